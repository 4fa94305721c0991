"""Items of the sessions store, as values with names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.kernel.types import Holder


class OpenSession(msgspec.Struct, frozen=True):
    """What is known of a session that goes on."""

    session_id: str
    parent: str | None
    started: int
    last: int
    actor: str
    holder: Holder | None


class Listed(msgspec.Struct, frozen=True):
    """A session on a list."""

    session_id: str
    state: str
    """open, ended, or unstarted for one whose entries only name it."""
    reason: str | None
    entries: int
    parent: str | None
    title: str | None
    actor: str
    first: int
    last: int


def open_session(session_id: str, item: Mapping[str, Any]) -> OpenSession:
    """Read an item of a session that goes on."""
    holder = item["holder"]
    return OpenSession(
        session_id,
        item["parent"],
        item["started"],
        item["last"],
        item["actor"],
        None if holder is None else msgspec.convert(holder, Holder),
    )


def listed(session_id: str, item: Mapping[str, Any]) -> Listed:
    """Read an item for a list."""
    begun = "unstarted" if item["started"] is None else "open"
    return Listed(
        session_id=session_id,
        state="ended" if item["ended"] is not None else begun,
        reason=item["reason"],
        entries=item["entries"],
        parent=item["parent"],
        title=item["title"],
        actor=item["actor"],
        first=item["first"],
        last=item["last"],
    )
