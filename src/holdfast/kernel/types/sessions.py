"""The beginning and the end of a session."""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.kernel.types.model import Model, Name, Text, Told

CRASHED: Final = "crashed"
"""The reason written for a session that ended without saying so. It is a presumption: an entry that
comes later in the same session shows that it goes on."""


class Holder(msgspec.Struct, frozen=True):
    """The process that a session lives and dies with."""

    pid: int
    started: str
    """What tells it from another process that gets the same number later."""


class SessionStarted(Model, frozen=True, kw_only=True):
    """A session began; `parent` is the one it goes on from."""

    parent: Name | None = None
    holder: Holder | None = None
    title: Text | None = None


class SessionEnded(Model, frozen=True, kw_only=True):
    """A session is over, and in which way."""

    reason: Told
