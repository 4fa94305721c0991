"""What `holdfast` alone says: where you are, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.cli.context import Invocation
from holdfast.cli.output import say, visible
from holdfast.cli.parts import say_parts
from holdfast.kernel.errors import NotALedger
from holdfast.wiring.status import Status, look


def welcome(invocation: Invocation) -> int:
    """Say in a few lines what to do next in this folder."""
    try:
        status = look(invocation.place())
    except NotALedger:
        say("There is no ledger in this folder yet.", "bold")
        _suggest([("init", "make one here"), ("demo", "see what it does, in a minute")])
        return 0
    counted = f"{status.entries:,} {'entry' if status.entries == 1 else 'entries'}"
    say(f"{visible(status.project or status.path)}: {counted}.", "bold")
    _suggest([*_next(status)])
    return 0


def _next(status: Status) -> Iterator[tuple[str, str]]:
    """Yield what there is to do, what is most pressing first."""
    if status.paused:
        yield "pause --off", "hooks record nothing now"
    if status.handoffs:
        yield "handoff list", f"work that waits for somebody: {len(status.handoffs):,}"
    if status.entries == 0:
        yield "agents install --help", "let an agent record by itself"
        yield "session start", "begin to work"
        yield "record --help", "append the first entry"
        return
    if status.sessions_open:
        yield "clear --check", f"what is in the way of a clear; open: {status.sessions_open[-1]}"
        yield "resume", "where the work stands"
    else:
        yield "resume", "where the work stood"
        yield "session start", "go on from there"
    yield "up", "the proxy and the web page"
    yield "log", "read the newest entries"
    yield "verify", "prove all of them"


def _suggest(steps: list[tuple[str, str]]) -> None:
    for step, why in (*steps, ("--help", "see everything else")):
        say_parts((f"  holdfast {step:<22} ", "cyan"), (visible(why), ""), hang=34)
