"""What the demo tells of: one step after the other."""

from __future__ import annotations

from typing import Any

import msgspec


class Step(msgspec.Struct, frozen=True):
    """Something that was done, what was seen, and whether it is as promised."""

    title: str
    why: str
    """One sentence for who sees it for the first time."""
    lines: list[str]
    ok: bool
    facts: dict[str, Any]
