"""What an answer is made of, whatever dialect it came in."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class Words(msgspec.Struct, frozen=True):
    """Some text of a block of the answer."""

    block: str
    text: str
    hidden: bool = False
    """It is the model's thinking, which is not part of what it says."""


class Call(msgspec.Struct, frozen=True):
    """A tool that the model calls, or a piece of its arguments."""

    block: str
    name: str
    arguments: str
    """JSON, or the text of a tool that takes one; pieces are joined."""
    id: str = ""
    """What the call is called, where the dialect gives it a name; pieces leave it out."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the upstream counts them; null where it does not say."""

    input: int | None
    output: int | None


class End(msgspec.Struct, frozen=True):
    """The answer is whole, as the upstream has it."""

    reason: str | None


class Failure(msgspec.Struct, frozen=True):
    """The upstream says that something went wrong."""

    message: str


class Unread(msgspec.Struct, frozen=True):
    """An event that could not be read, or was too large to be kept."""

    reason: str


Event: TypeAlias = Words | Call | Usage | End | Failure | Unread

Dialect: TypeAlias = Literal[
    "chat", "responses", "messages", "completions", "ollama-chat", "ollama-generate"
]
