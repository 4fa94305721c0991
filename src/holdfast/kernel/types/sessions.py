"""The beginning and the end of a session."""

from __future__ import annotations

from holdfast.kernel.types.model import Model, Name, Told


class SessionStarted(Model, frozen=True, kw_only=True):
    """A session began; `parent` is the one it goes on from."""

    parent: Name | None = None


class SessionEnded(Model, frozen=True, kw_only=True):
    """A session is over, and in which way."""

    reason: Told
