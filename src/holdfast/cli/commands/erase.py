"""`holdfast erase`."""

from __future__ import annotations

import sys
from typing import Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.erasing import Eraser, Erasure, Target, find
from holdfast.wiring.saves import campaigns_beside

ENTRIES_SHOWN: Final = 10
REASON: Final = "asked for at the command line"
BACKUPS: Final = "Backups and copies made before still hold it; they are yours to look after."
QUOTES: Final = (
    "Checkpoints and the notes of seals only name it, by size and hash. But earlier versions of "
    "holdfast let checkpoints quote some of it: those, what carries on from them, and entries into "
    "which somebody copied some of it keep what they quote; `holdfast search` with words of it "
    "shows which."
)


@make_command(
    example="""
    holdfast erase 9f86d081884c --reason "a customer's data"
    holdfast erase 120 --yes --json
    """
)
@click.argument("key", metavar="HASH|ENTRY")
@click.option("--reason", default=REASON, metavar="R", help="Why; it is recorded.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def command(invocation: Invocation, key: str, reason: str, yes: bool, as_json: bool) -> int:
    """Drop the bytes of an artifact from the ledger, its packs and the search index, for good.

    An artifact is a part of an entry that was too large to stand in it. It is named by its hash, by
    8 or more of the hash's first digits, or by an entry: then all artifacts of that entry go. The
    hash stays, an entry says that it was erased and why, and `verify` passes as before. Entries
    themselves are never erased. Backups made before still hold the bytes.
    """
    with invocation.project() as project:
        with progress("Looking for the artifact") as advance:
            targets = find(project.ledger.reader, key, progress=advance)
        for line in (line for target in targets for line in _describe(target)):
            talk(line)
        if not yes and not _confirmed(len(targets)):
            talk("Nothing was erased.")
            return NO
        eraser = Eraser(
            project.ledger,
            project.archives,
            project.views,
            lock_path=str(project.place.seal_lock),
        )
        wait_s = project.settings.lock.wait_s
        done = [eraser.erase(target, reason, wait_s=wait_s) for target in targets]
        campaigns = [str(path) for path in campaigns_beside(project.place)]
    if as_json:
        print_json({"erased": done, "note": BACKUPS, "campaigns": campaigns})
    else:
        _tell(done)
        for path in campaigns:
            say(visible(f"{path} was made as a whole and may still hold it; see to that file."))
    return DONE


def _describe(target: Target) -> list[str]:
    """Say what would go."""
    shown = ", ".join(map(str, target.named_by[:ENTRIES_SHOWN]))
    more = len(target.named_by) - ENTRIES_SHOWN
    word = "entry" if len(target.named_by) == 1 else "entries"
    lines = [
        f"{target.sha256}  {target.bytes:,} bytes, part of {word} {shown}"
        + (f" and {more:,} later ones" if more > 0 else "")
    ]
    return [*lines, "  erased before; whatever is left of it goes"] if target.erased else lines


def _confirmed(count: int) -> bool:
    if not _somebody_is_there():
        raise InvalidInput(
            "Erasing cannot be undone, and there is nobody to ask.",
            meaning="Nothing was erased.",
            remedy="Look at what is named above; --yes says that this is meant.",
        )
    what = "this artifact" if count == 1 else f"these {count} artifacts"
    return click.confirm(f"Drop the bytes of {what} for good?", err=True)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()


def _tell(done: list[Erasure]) -> None:
    for erasure in done:
        packs = f" and {erasure.packs} packs" if erasure.packs else ""
        say(
            f"{erasure.sha256[:12]} was erased from the ledger{packs}; entry {erasure.seq} says so."
        )
    say(BACKUPS)
    say(QUOTES)
