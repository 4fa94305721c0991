"""The prompts: which there are, and what they take."""

from __future__ import annotations

from typing import Final, NamedTuple


class Argument(NamedTuple):
    """Something that a prompt takes; none has to be given."""

    name: str
    description: str


class Prompt(NamedTuple):
    """One prompt."""

    name: str
    description: str
    arguments: tuple[Argument, ...]


PROMPTS: Final = (
    Prompt(
        "ride",
        "Take up the work from the ledger, go on with it, and hand it over without loss.",
        (Argument("task", "The task's id; else the current one."),),
    ),
    Prompt(
        "handoff",
        "Hand the work over, to the next session or to another agent.",
        (Argument("to", "An agent's name or a session; else whoever comes next."),),
    ),
)
