"""Which call a result belongs to, and which results are new."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

import msgspec

from holdfast.wire.requests import Part, Request

At: TypeAlias = tuple[int, int]
"""Where a part stands: its turn, and its place there."""


class Calls(msgspec.Struct):
    """The calls of a request, as its results need them."""

    of: dict[At, Part] = {}
    """By where a result stands: the call that it belongs to."""
    last: dict[str, Part] = {}
    """By name: the last call of that name."""
    unnamed: list[Part] = []
    """Those that wait, and have no name."""

    def take(self, at: At, part: Part, begins: bool) -> None:
        """Take in a call, or a result; `begins` when it is the first call behind other parts."""
        if _is_call(part):
            if begins:
                self.unnamed.clear()
            if part.call is None:
                self.unnamed.append(part)
            else:
                self.last[part.call] = part
        elif part.call is None:
            if len(self.unnamed) == 1:
                self.of[at] = self.unnamed.pop()
        elif part.call in self.last:
            self.of[at] = self.last[part.call]


def calls_of(request: Request) -> Calls:
    """Return the calls of a request.

    Some clients give the same name to call after call: the nearest one before a result is meant. A
    call without a name is known by its place alone, which holds only while no other one waits.
    """
    calls, begins = Calls(), True
    for place, turn in enumerate(request.turns):
        for number, part in enumerate(turn.parts):
            if _is_call(part) or part.speaker == "tool":
                calls.take((place, number), part, begins)
            begins = not _is_call(part)
    return calls


def _is_call(part: Part) -> bool:
    return part.speaker == "model" and part.tool is not None


def results_of(request: Request, pending: Collection[str]) -> Iterator[tuple[Part, Part]]:
    """Yield results with their calls, in the order of the results."""
    newest = set(_newest_results(request))
    if not newest and not pending:
        return
    calls = calls_of(request)
    for at, call in calls.of.items():
        part = request.turns[at[0]].parts[at[1]]
        # What is waited for is what came of the last call of that name.
        awaited = part.call in pending and calls.last[part.call or ""] is call
        if at in newest or awaited:
            yield part, call


def ends_with_results(request: Request) -> bool:
    """Tell whether the last thing in a request is what came of calls."""
    return next(_newest_results(request), None) is not None


def _newest_results(request: Request) -> Iterator[At]:
    """Yield where the results of the last calls stand, and nothing older."""
    called = False
    for place in range(len(request.turns) - 1, -1, -1):
        parts = request.turns[place].parts
        for number in range(len(parts) - 1, -1, -1):
            part = parts[number]
            if part.speaker == "user" or (part.speaker == "model" and part.tool is None):
                return
            if part.speaker == "tool":
                if called:
                    return
                yield place, number
            called = called or part.speaker == "model"
