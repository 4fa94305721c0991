"""Resuming: a cold boot, and where to go on. It invents nothing and appends nothing.

What was pending is still required. A chain of steps is gone through in one session, so whoever
comes back begins it anew: no step that was taken before counts, whatever the save has under
`taken`. What is shown is what was there at the save.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.ledger.booting import Booted
from holdfast.stores import story


class Required(msgspec.Struct, frozen=True):
    """Something that waits for somebody and cannot be passed over."""

    pending: str
    kind: str
    prompt: str
    """What was asked, word for word."""
    steps: tuple[str, ...]
    """What has to be done, all of it in the session that goes on."""
    details: Any
    seq: int
    """The entry that opened it."""


class Resumed(msgspec.Struct, frozen=True):
    """A save that was booted, what is still required, and where the story goes on."""

    booted: Booted
    required: tuple[Required, ...]
    """The oldest first."""
    scene: str | None
    title: str | None
    mode: str | None
    campaign: str | None
    world: str | None

    @property
    def ready(self) -> bool:
        """Nothing has to be answered before the next input."""
        return not self.required


def resume(booted: Booted) -> Resumed:
    """Say what is required now and where the story goes on; what was booted is all it looks at."""
    place: Mapping[str, Any] = story.place(booted.fold.state("story").items)
    return Resumed(
        booted,
        tuple(_required(name, waiting) for name, waiting in booted.pending.items()),
        scene=place["scene"],
        title=place["title"],
        mode=place["mode"],
        campaign=place["campaign"],
        world=place["world"],
    )


def _required(name: str, waiting: Mapping[str, Any]) -> Required:
    details = waiting["details"]
    return Required(
        name,
        waiting["kind"],
        waiting["prompt"],
        tuple(waiting["steps"]),
        None if details is None else msgspec.json.decode(details),
        waiting["seq"],
    )
