"""What callers give to be recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.kernel.entry import Actor, Span


class Draft(msgspec.Struct, frozen=True):
    """What a caller wants recorded."""

    type: str
    data: Mapping[str, Any]
    session_id: str | None = None
    actor: Actor | None = None
    id: str | None = None
    span: Span | None = None
