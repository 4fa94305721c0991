"""The order of truth: which of two sources outranks the other. The context never wins.

Code on disk, then what the user typed, tasks, NOTES.md, the trajectory, design documents, legacy
documents, and last what a model says.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.entry import ActorKind

Source: TypeAlias = Literal[
    "code", "user", "task", "notes", "trajectory", "design", "legacy", "model"
]

ORDER: Final[tuple[Source, ...]] = (
    "code",
    "user",
    "task",
    "notes",
    "trajectory",
    "design",
    "legacy",
    "model",
)
"""The highest first."""

_WORDS: Final[dict[Source, str]] = {
    "code": "code on disk",
    "user": "what the user decided",
    "task": "a decision of a task",
    "notes": "a decision in the log",
    "trajectory": "the trajectory",
    "design": "a design document",
    "legacy": "a legacy document",
    "model": "what a model says now",
}


class Higher(msgspec.Struct, frozen=True):
    """Which side of a fork is the higher truth, and why."""

    side: Literal["statement", "against"]
    source: Source
    text: str


def source_of(kind: ActorKind, *, task: str | None = None, recorded: bool = True) -> Source:
    """Return what kind of source somebody's statement is.

    A recorded decision of an agent is more than what it says now: it was written down.
    """
    if kind == "user":
        return "user"
    if not recorded:
        return "model"
    return "notes" if task is None else "task"


def higher(statement: Source, against: Source) -> Higher:
    """Name the side that outranks the other; of equals, what was recorded before stands."""
    if ORDER.index(statement) < ORDER.index(against):
        return Higher("statement", statement, _outranks(statement, against))
    if ORDER.index(statement) > ORDER.index(against):
        return Higher("against", against, _outranks(against, statement))
    text = f"Both are {_WORDS[against]}: what was recorded before stands until it is ruled on."
    return Higher("against", against, text)


def _outranks(one: Source, other: Source) -> str:
    words = _WORDS[one]
    return f"{words[0].upper()}{words[1:]} outranks {_WORDS[other]}."
