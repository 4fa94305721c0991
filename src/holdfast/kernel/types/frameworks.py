"""What agent frameworks keep in the ledger: their state, byte for byte, and what they let go."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Name, Text

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""Names a framework's thread or a thing in it; its own names may look like secrets."""


class StateKept(Model, frozen=True, kw_only=True):
    """A framework put state. `about` is what it is the state of, `nth` counts the times it was."""

    framework: Name
    kind: Name
    scope: Digest
    about: Digest
    nth: Count = 0
    content: dict[str, Any] | None = None
    """The bytes, in the vault; their hash and size alone where a secret was found in them."""
    text: Text | None = None
    """What it says, for people and for search."""


class StateDropped(Model, frozen=True, kw_only=True):
    """A framework asked to delete. It no longer sees that state; nothing of it is removed."""

    framework: Name
    reason: Name
    about: list[Digest] | dict[str, Any] | None = None
    """What is no longer seen; null for all state of the session up to here."""
