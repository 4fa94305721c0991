"""How a difference between two entries is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from holdfast.cli.output import visible
from holdfast.cli.summary import shorten
from holdfast.views.entry_lines import spell as spell_value

if TYPE_CHECKING:
    from holdfast.ledger.history import Difference
    from holdfast.views.changes import Changes

LINES_MAX: Final = 50
"""Items of one store that are told to people; --json has all."""

_TELLING: Final = ("choice", "payload", "prompt", "title", "scene", "reason", "kind")
"""Fields that say what an item is about, the most telling first."""


def spell(difference: Difference) -> dict[str, Changes]:
    """Return what changed, by store, for scripts and for `tell`."""
    from holdfast.views.changes import readable

    found = {one.store: readable(one.added, one.removed, one.changed) for one in difference.stores}
    return {store: changes for store, changes in found.items() if changes}


def tell(stores: dict[str, Changes], write: Callable[[str], None]) -> None:
    """Write what changed, store by store."""
    if not stores:
        write("nothing")
    for store, changes in stores.items():
        lines = _lines(changes)
        write(f"{store}: {len(lines):,} changed")
        for line in lines[:LINES_MAX]:
            write(f"  {line}")
        if len(lines) > LINES_MAX:
            write(f"  and {len(lines) - LINES_MAX:,} more after these: --json has all")


def _lines(changes: Changes) -> list[str]:
    lines = [f"+ {_item(key, item)}" for key, item in changes.added.items()]
    lines += [f"- {_item(key, item)}" for key, item in changes.removed.items()]
    for key, fields in changes.changed.items():
        parts = ", ".join(
            f"{name}: {spell_value(old)} -> {spell_value(new)}"
            for name, (old, new) in fields.items()
        )
        lines.append(f"~ {visible(key)}  {shorten(visible(parts))}")
    return lines


def _item(key: str, item: Any) -> str:
    if not isinstance(item, dict):
        return shorten(visible(f"{key}  {item}"))
    told = next((item[name] for name in _TELLING if item.get(name) is not None), "")
    return f"{visible(key)}  {shorten(visible(str(told)))}".rstrip()
