"""`holdfast protocols`: install, status, remove."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.evidence.installing import FileState, Installation, Mine, Step

_WORDS: Final = {
    "write": "written",
    "update": "updated",
    "unchanged": "as it is",
    "left": "left alone",
    "adopt": "kept as yours",
    "restore": "ours again",
    "remove": "removed",
}
_TO_DO: Final = {**_WORDS, "write": "write", "update": "update", "unchanged": "keep"}


@click.group(
    "protocols",
    cls=ExampleGroup,
    example="""
    holdfast protocols install --dry-run
    holdfast protocols install
    holdfast protocols status --json
    holdfast protocols remove
    """,
)
def command() -> None:
    """Install the protocols that agents read, see whether they are current, take them away.

    They are Markdown files, the command /ride, a skill and three scripts below .claude/ of the
    project, with their digests in .claude/checksums.json. Files that holdfast did not write stay
    as they are. Your own version of one goes to .holdfast/overrides/, counts instead of ours, and
    no update touches it.
    """


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast protocols install --dry-run
    holdfast protocols install --keep-mine
    """,
)
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--keep-mine", is_flag=True, help="Files that were edited become your overrides.")
@click.option(
    "--restore", is_flag=True, help="Put ours in the place of edited files; yours are kept aside."
)
@json_option
@click.pass_obj
def install(
    invocation: Invocation, dry_run: bool, keep_mine: bool, restore: bool, as_json: bool
) -> int:
    """Write what is missing or older, and say which files; safe to run again.

    Exit code 1 when a file was left alone because holdfast did not write it or somebody edited it.
    """
    if keep_mine and restore:
        raise InvalidInput(
            "--keep-mine and --restore say opposite things.",
            meaning="Nothing was written.",
            remedy="Give one of them.",
        )
    mine: Mine = "keep" if keep_mine else "restore" if restore else "leave"
    installation = _installation(invocation)
    if dry_run:
        steps = installation.plan(mine)
    else:
        with _our_writing(invocation, installation):
            steps = installation.install(mine)
    left = [step for step in steps if step.action == "left"]
    if as_json:
        print_json({"ok": not left, "dry_run": dry_run, "files": _plain(steps)})
    else:
        _tell(steps, _TO_DO if dry_run else _WORDS)
        if any("edited" in step.note for step in left):
            talk("Of an edited file, --keep-mine keeps your version and --restore brings ours.")
    return NO if left else DONE


@command.command(cls=ExampleCommand, example="holdfast protocols status --json")
@json_option
@click.pass_obj
def status(invocation: Invocation, as_json: bool) -> int:
    """Say of every file whether it is current; exit code 1 when one is not.

    Overrides that stand in for nothing are named too.
    """
    from holdfast.evidence.shipped import strays

    installation = _installation(invocation)
    states = installation.states()
    recorded = installation.checksums().ours
    stray = strays(invocation.place().overrides)
    ok = all(one.state == "current" for one in states)
    if as_json:
        version = None if recorded is None else recorded.version
        print_json({"ok": ok, "version": version, "files": _plain(states), "strays": stray})
        return DONE if ok else NO
    for one in states:
        source = " (your override)" if one.source == "override" else ""
        say(visible(f"{one.state:<10} {one.path}{source}{f': {one.note}' if one.note else ''}"))
    for name in stray:
        talk(visible(f".holdfast/overrides/{name} stands in for nothing that is installed."))
    if recorded is None:
        talk("Nothing is installed here. Install with `holdfast protocols install`.")
    return DONE if ok else NO


@command.command(cls=ExampleCommand, example="holdfast protocols remove")
@json_option
@click.pass_obj
def remove(invocation: Invocation, as_json: bool) -> int:
    """Take away what was installed; the project is as it was before, byte for byte.

    Files that were edited since stay, and are named; the exit code is 1 then. Overrides stay.
    """
    installation = _installation(invocation)
    with _our_writing(invocation, installation):
        steps = installation.remove()
    left = [step for step in steps if step.action == "left" and "edited" in step.note]
    if as_json:
        print_json({"ok": not left, "files": _plain(steps)})
    elif steps:
        _tell(steps, _WORDS)
    else:
        talk("Nothing is installed here.")
    return NO if left else DONE


def _our_writing(
    invocation: Invocation, installation: Installation
) -> AbstractContextManager[None]:
    """Keep what is written from being taken for an agent's change."""
    from holdfast.wiring.own_writes import writing

    return writing(invocation.place(), installation.paths())


def _installation(invocation: Invocation) -> Installation:
    from holdfast.wiring.integrity import installation_of

    return installation_of(invocation.place())


def _tell(steps: list[Step], words: dict[str, str]) -> None:
    for step in steps:
        note = f" ({step.note})" if step.note else ""
        say(visible(f"{words[step.action]:<13} {step.path}{note}"))


def _plain(items: list[Step] | list[FileState]) -> list[object]:
    return [msgspec.to_builtins(one) for one in items]
