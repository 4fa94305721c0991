"""The demo's last scene: everything derived is lost, and comes back from a save and the log."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.wiring.places import place_of

PROMPT = "Publish the pages?"


def save_and_boot(folder: Path) -> Step:
    """Save, lose what is derived, boot, and compare."""
    project = folder / "recovery"
    terminal = Terminal(project)
    terminal("pending", "open", "approval", PROMPT, "--id", "publish")
    terminal("save")
    [save] = terminal.quietly("save")
    terminal.lines.append(f"then these were lost: {', '.join(_lose(project))}")
    said = terminal("boot", "--resume")
    [booted] = terminal.quietly("boot", save["snapshot_id"])
    same = booted["digests"] == save["store_digests"]
    terminal.lines.append(
        f"{len(booted['digests'])} stores, rebuilt from {booted['seq'] + 1} entries:"
        f" {'the same digests' if same else 'OTHER digests'} as in the save"
    )
    title = "What is derived is lost: a boot rebuilds it from the log, and proves it"
    return Step(title, terminal.lines, terminal.ok and same and PROMPT in said, {"booted": same})


def _lose(project: Path) -> list[str]:
    """Take away the kept folds and the views on disk; return what went. Archives are no views."""
    place = place_of(project)
    lost = [*place.folder.glob("views.db*"), *place.state.glob("*.json*"), place.state / "indexes"]
    for path in lost:
        if path.is_dir():
            rmtree(path)
        else:
            path.unlink()
    return sorted(path.name for path in lost)
