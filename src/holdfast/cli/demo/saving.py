"""The demo's cold boot: everything derived is lost, and comes back from a save and the log."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.wiring.places import place_of

PROMPT = "Publish the pages?"


def save_and_boot(project: Path) -> Step:
    """Save, lose what is derived, boot, and compare."""
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
    return Step(
        "Cold boot: what is derived is lost, and comes back byte for byte",
        "Only the log is authority. A save keeps the digest of every store, so a boot can prove"
        " that it rebuilt the same.",
        terminal.lines,
        terminal.ok and same and PROMPT in said,
        {"booted": same},
    )


def _lose(project: Path) -> list[str]:
    """Take away the kept folds and the views on disk; return what went. Archives are no views."""
    place = place_of(project)
    lost = [*place.folder.glob("views.db*"), *place.state.glob("*.json*"), place.state / "indexes"]
    lost = [path for path in lost if path.exists()]
    for path in lost:
        if path.is_dir():
            rmtree(path)
        else:
            path.unlink()
    return sorted(path.name for path in lost)
