"""What is said about saves: those that came by themselves, and files that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.cli.output import talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.saves import DamagedSave
    from holdfast.wiring.saving import AutoSaved


def tell_auto(made: AutoSaved) -> str | None:
    """Say what became of a save that came by itself; return its id, None when it failed."""
    if made.put_off is not None:
        talk(visible(f"No save was made: {made.put_off}"), "bold yellow")
        return None
    talk(f"Saved as {made.snapshot_id} ({made.save_type.lower()}).")
    return made.snapshot_id


def tell_damaged(damaged: list[DamagedSave]) -> None:
    """Name the files among the saves that are none."""
    for one in damaged:
        talk(visible(f"{one.name} is no save: {one.why}"), "bold yellow")
