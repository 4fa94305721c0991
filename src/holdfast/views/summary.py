"""A session's summary within so many bytes: its frame always, details while there is room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from holdfast.kernel import canonical
from holdfast.kernel.limits import ITEM_CHARS_MAX
from holdfast.views.tally import Tally
from holdfast.views.wording import cut_middle, one_line

_ROOM_FOR_MORE: Final = 110
"""Bytes kept for the counts of what is left out."""

_LISTS: Final = ("decisions", "files_created", "files_modified")

Detail: TypeAlias = tuple[str, str | None, tuple[Any, ...]]
"""Where it stands in the summary, the id of the entry whose words it repeats, and those words in
some lengths, the longest first."""


def summarise(session_id: str, tally: Tally, room_bytes: int) -> tuple[dict[str, Any], list[str]]:
    """Return the summary, and the ids of the entries whose words are in it."""
    summary = _frame(session_id, tally)
    left = room_bytes - len(canonical.encode(summary)) - _ROOM_FOR_MORE
    mentioned: dict[str, None] = {}
    more: dict[str, int] = {}
    for name, entry_id, lengths in _details(tally):
        around = 1 if name in summary else len(name) + 6
        costs = ((len(canonical.encode(value)) + around, value) for value in lengths)
        cost, value = next((fits for fits in costs if fits[0] <= left), (0, None))
        if value is None:
            more[name] = more.get(name, 0) + 1
            continue
        left -= cost
        if name in _LISTS:
            summary.setdefault(name, []).append(value)
        else:
            summary[name] = value
        if entry_id is not None:
            mentioned[entry_id] = None
    if more:
        summary["more"] = more
    return summary, list(mentioned)


def _frame(session_id: str, tally: Tally) -> dict[str, Any]:
    duration_s = _seconds_between(tally.first_time, tally.last_time)
    frame: dict[str, Any] = {
        "session_id": session_id,
        "first": tally.ranges[0][0],
        "last": tally.ranges[-1][1],
        "entries": len(tally.ids),
        "started": tally.first_time,
        "ended": tally.last_time,
        "duration_s": max(duration_s, 0),
        "counts": {
            "commands": tally.commands,
            "decisions": tally.decided,
            "errors": tally.errors,
            "files": tally.files_changed,
        },
    }
    if tally.time_went_back:
        frame["clock"] = "went backwards"
    return frame


def _seconds_between(start: str, end: str) -> int:
    return (_micros(end) - _micros(start)) // 1_000_000


def _micros(timestamp: str) -> int:
    """Read our own spelling of UTC time as microseconds since some day long ago."""
    found = _TIME.fullmatch(timestamp)
    if found is None:
        return 0
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    micros = int((found[7] or "0").ljust(6, "0")[:6])
    return ((_days(year, month, day) * 24 + hour) * 60 + minute) * 60_000_000 + (
        second * 1_000_000 + micros
    )


def _days(year: int, month: int, day: int) -> int:
    """Count days; January and February belong to the year before, so leap days come last."""
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day


_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z", re.ASCII)


def _details(tally: Tally) -> Iterator[Detail]:
    """Yield what there is to tell, what matters most first, kinds taking turns."""
    if tally.checkpoint is not None:
        key, data = tally.checkpoint
        resume = one_line(data["quick_resume"])
        lengths = (3 * ITEM_CHARS_MAX, ITEM_CHARS_MAX, ITEM_CHARS_MAX // 2, ITEM_CHARS_MAX // 4)
        yield "quick_resume", key, tuple(cut_middle(resume, length) for length in lengths)
    if tally.failing is not None:
        key, line, code = tally.failing
        yield "last_failing", key, tuple({"command": c, "exit_code": code} for c in _cuts(line))
    decisions: list[Detail] = [
        ("decisions", key, tuple({"choice": cut, "id": key} for cut in _cuts(text)))
        for key, text in tally.current_decisions
    ]
    created: list[Detail] = [("files_created", None, _cuts(p)) for p in reversed(tally.created)]
    modified: list[Detail] = [("files_modified", None, _cuts(p)) for p in reversed(tally.modified)]
    for turn in range(max(len(decisions), len(created), len(modified))):
        for kind in (decisions, created, modified):
            yield from kind[turn : turn + 1]


def _cuts(text: str) -> tuple[str, ...]:
    return (cut_middle(text, ITEM_CHARS_MAX), cut_middle(text, ITEM_CHARS_MAX // 4))
