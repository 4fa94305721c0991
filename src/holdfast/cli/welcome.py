"""What `holdfast` alone says: where you are, and what to do next."""

from __future__ import annotations

from holdfast.cli.context import Invocation
from holdfast.cli.output import say, visible
from holdfast.kernel.errors import NotALedger
from holdfast.wiring.status import look


def welcome(invocation: Invocation) -> int:
    """Say in a few lines what to do next in this folder."""
    try:
        status = look(invocation.place())
    except NotALedger:
        say("There is no ledger in this folder yet.")
        _suggest(("init", "make one here"), ("demo", "see what it does, in ten seconds"))
        return 0
    say(f"{visible(status.project or status.path)}: {status.entries:,} entries.")
    if status.entries == 0:
        _suggest(("record --help", "append the first entry"))
    else:
        _suggest(("log", "read the newest entries"), ("verify", "prove all of them"))
    return 0


def _suggest(*steps: tuple[str, str]) -> None:
    for step, why in (*steps, ("--help", "see everything else")):
        say(f"  holdfast {step:<14} {why}")
