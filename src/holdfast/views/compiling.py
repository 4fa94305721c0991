"""The budgeted compiler: a frame that is always there, and items while there is room for them.

What can be put in stands in one order that does not depend on the budget: the sections take turns,
each with as many items as its `turn` says, until they are used up. Items are taken from the front
of that order up to the first one for which no room is left. So the same material and a larger
budget give the same items and perhaps more, never others.

An item that is too large by itself (`item_tokens`) is taken in the first of its shorter forms that
is not; what a form leaves out, the form says. One without such a form is passed over. Every section
says how many it left out, for whatever reason. Items are asked for one by one: a section over very
many costs no more than what is taken from it.

Tokens are counted on the canonical spelling (`kernel.tokens`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.tokens import estimate

_SIGNS_AROUND: Final = 8
"""Signs around the items of a section: what these cost beside them is not what they cost alone."""


class Candidate(msgspec.Struct, frozen=True):
    """Something that can be put in, in one form or several, the longest first."""

    handle: str
    forms: tuple[Any, ...]


class Section(msgspec.Struct, frozen=True):
    """Things of one kind, those that matter most first; `count` is how many there are in all."""

    name: str
    candidates: Iterable[Candidate]
    count: int
    turn: int = 1
    """How many it may put in before the other sections have their turn."""


class Compiled(msgspec.Struct, frozen=True):
    """What was put in."""

    value: dict[str, Any]
    canonical_bytes: bytes
    handles: tuple[str, ...]
    """Handles of the items, section by section."""
    left_out: dict[str, int]
    """By the section's name."""
    tokens: int


def compile_sections(
    frame: Mapping[str, Any], sections: Sequence[Section], *, tokens: int, item_tokens: int
) -> Compiled:
    """Put in as much as fits; a frame that does not fit by itself is refused."""
    taken: dict[str, list[tuple[str, Any]]] = {section.name: [] for section in sections}
    order: list[str] = []
    left = tokens - frame_tokens(frame, sections)
    if left < 0:
        raise InvalidInput(
            f"{tokens} tokens are too few: what must be there takes {tokens - left}.",
            meaning="Nothing was compiled.",
            remedy=f"Allow at least {tokens - left} tokens.",
        )
    for name, handle, value, cost in _in_turns(sections, item_tokens):
        if cost > left:
            break
        left -= cost
        taken[name].append((handle, value))
        order.append(name)
    compiled = _compiled(frame, sections, taken)
    while compiled.tokens > tokens and order:  # costs are bounds, so this is for what nobody knows
        taken[order.pop()].pop()
        compiled = _compiled(frame, sections, taken)
    return compiled


def frame_tokens(frame: Mapping[str, Any], sections: Sequence[Section]) -> int:
    """Return what the frame takes, with every section empty; no more is ever counted for it."""
    empty = _value(frame, sections, {section.name: [] for section in sections})
    return estimate(canonical.encode(empty).decode()) + _SIGNS_AROUND * len(sections)


def _in_turns(sections: Sequence[Section], item_tokens: int) -> Iterator[tuple[str, str, Any, int]]:
    """Yield section, handle, value and cost of everything that could be put in, in order."""
    waiting = [(section, iter(section.candidates)) for section in sections]
    while waiting:
        going_on = []
        for section, candidates in waiting:
            put = 0
            for candidate in candidates:
                found = _fitting(candidate, item_tokens)
                if found is not None:
                    yield section.name, candidate.handle, *found
                    put += 1
                    if put == section.turn:
                        going_on.append((section, candidates))
                        break
        waiting = going_on


def _fitting(candidate: Candidate, item_tokens: int) -> tuple[Any, int] | None:
    for value in candidate.forms:
        cost = cost_of(value)
        if cost <= item_tokens:
            return value, cost
    return None


def cost_of(value: object) -> int:
    """Return the most that a value adds to the tokens of what it is put into.

    Signs next to each other can cost more together than apart, but never more than their number.
    """
    text = canonical.encode(value).decode()
    inner = text.strip(_SIGNS)
    return estimate(text) + len(text) - len(inner) + 1


_SIGNS: Final = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())


def _compiled(
    frame: Mapping[str, Any],
    sections: Sequence[Section],
    taken: Mapping[str, list[tuple[str, Any]]],
) -> Compiled:
    value = _value(frame, sections, taken)
    spelled = canonical.encode(value)
    return Compiled(
        value,
        spelled,
        tuple(handle for section in sections for handle, _ in taken[section.name]),
        {section.name: _left_out(section, taken) for section in sections},
        estimate(spelled.decode()),
    )


def _value(
    frame: Mapping[str, Any],
    sections: Sequence[Section],
    taken: Mapping[str, list[tuple[str, Any]]],
) -> dict[str, Any]:
    return {
        **frame,
        "sections": [
            {
                "items": [value for _, value in taken[section.name]],
                "left_out": _left_out(section, taken),
                "name": section.name,
            }
            for section in sections
        ],
    }


def _left_out(section: Section, taken: Mapping[str, list[tuple[str, Any]]]) -> int:
    return section.count - len(taken[section.name])
