"""The briefing: what an agent is told when it comes back, as far as there is room for it.

    <what comes first, whole>

    The user's own words:
    - #12 Never push to main
    ...
    Left out for want of room: 3 of 9 commands. `holdfast log` has everything.

Every section gets its share of the room, and what others leave goes to the first that need it.
Lines are told whole or left out, and what is left out is counted. What was told is known by its
first words and its last, so that nobody takes it for another's where it comes back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Final

import msgspec

from holdfast.views.wording import cut_middle


class Section(msgspec.Struct, frozen=True):
    """Lines of one kind, the most important first."""

    title: str
    name: str
    """What its lines are called when some are left out."""
    lines: tuple[str, ...]
    share: int = 1
    """How much of the room it gets, beside the shares of the others."""
    more: int = 0
    """Lines that there are beside those given."""
    seqs: tuple[int | None, ...] = ()
    """The entry that each line is told from; none are named where this is shorter."""


class Briefed(msgspec.Struct, frozen=True):
    """What is told, and what it is made of."""

    text: str
    about: tuple[int, ...] = ()
    """The entries that its lines are told from, in the order of the lines, each once."""
    left_out: Mapping[str, int] = {}
    """How many lines of each section there was no room for."""


FIRST: Final = "From holdfast, this project's ledger; #N is an entry: `holdfast show N`."
"""What it begins with."""
LEFT_OUT: Final = "Left out for want of room: "
EVERYTHING: Final = "`holdfast log` and `holdfast search WORDS` find everything, word for word."


def briefing(
    first: str, sections: Sequence[Section], most: int, *, units: Callable[[str], int] = len
) -> str:
    """Tell as much as fits, and what was left out. `units` counts as the agent does."""
    return briefed(first, sections, most, units=units).text


def briefed(
    first: str, sections: Sequence[Section], most: int, *, units: Callable[[str], int] = len
) -> Briefed:
    """Tell as much as fits, with what it is made of and what was left out."""
    filled = [section for section in sections if section.lines or section.more]
    room = most - units(first) - units(_ending(filled, [0] * len(filled))) - len(_GAP)
    if room < 0:  # no agent has so little room: what comes first has at most 100 tokens
        return Briefed(_cut(first, most, units), (), _left_out(filled, [0] * len(filled)))
    shown = _fitted(filled, room, units)
    parts = [first, *(_spelled(one, count) for one, count in zip(filled, shown, strict=True))]
    parts.append(_ending(filled, shown))
    told = (seq for one, count in zip(filled, shown, strict=True) for seq in one.seqs[:count])
    about = tuple(dict.fromkeys(seq for seq in told if seq is not None))
    text = _GAP.join(part for part in parts if part)
    return Briefed(text, about, _left_out(filled, shown))


def without_briefings(text: str) -> str:
    """Return a text without what an agent was told by `briefing`, should it stand in there: it is
    from the ledger, whoever repeats it."""
    return _BRIEFING.sub("\n", text) if FIRST in text else text


_BRIEFING: Final = re.compile(rf"{re.escape(FIRST)}.*?(?:{re.escape(EVERYTHING)}|\Z)", re.DOTALL)


_GAP: Final = "\n\n"


def _cut(text: str, most: int, units: Callable[[str], int]) -> str:
    kept = len(text)
    while kept and units(cut_middle(text, kept)) > most:
        kept -= 1
    return cut_middle(text, kept) if kept else ""


def _fitted(sections: Sequence[Section], room: int, units: Callable[[str], int]) -> list[int]:
    """Return how many lines of each section are told."""
    sizes = [_sizes(section, units) for section in sections]
    shares = sum(section.share for section in sections) or 1
    shown = [
        _fits(one, 0, room * section.share // shares)
        for section, one in zip(sections, sizes, strict=True)
    ]
    left = room - sum(one[count] for one, count in zip(sizes, shown, strict=True))
    for at, one in enumerate(sizes):
        own = one[shown[at]]
        shown[at] = _fits(one, shown[at], left + own)
        left -= one[shown[at]] - own
    return shown


def _sizes(section: Section, units: Callable[[str], int]) -> list[int]:
    """Return what it takes to tell none of the lines, the first of them, the first two..."""
    title = units(section.title) + 1 + len(_GAP)
    lines = (units(line) + len("\n- ") for line in section.lines)
    return [0, *islice(accumulate(lines, initial=title), 1, None)]


def _fits(sizes: Sequence[int], shown: int, room: int) -> int:
    """Return how many lines fit, from those on that are told already."""
    while shown + 1 < len(sizes) and sizes[shown + 1] <= room:
        shown += 1
    return shown


def _spelled(section: Section, count: int) -> str:
    if not count:
        return ""
    return "\n".join([f"{section.title}:", *(f"- {line}" for line in section.lines[:count])])


def _left_out(sections: Sequence[Section], shown: Sequence[int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for section, count in zip(sections, shown, strict=True):
        if (more := len(section.lines) + section.more - count) > 0:
            found[section.name] = found.get(section.name, 0) + more
    return found


def _ending(sections: Sequence[Section], shown: Sequence[int]) -> str:
    """Say what was left out, and where all of it is."""
    counted = [
        f"{all_of - count:,} of {all_of:,} {section.name}"
        for section, count in zip(sections, shown, strict=True)
        if (all_of := len(section.lines) + section.more) > count
    ]
    return f"{LEFT_OUT}{', '.join(counted)}. {EVERYTHING}" if counted else EVERYTHING
