"""The bytes that a LangGraph checkpointer keeps: MessagePack of these, values as serialized."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec
from langgraph.checkpoint.base import WRITES_IDX_MAP

Pending: TypeAlias = list[tuple[str, str, Any]]
"""What tasks wrote: task, channel, value."""

CHECKPOINT: Final = "checkpoint"
WRITES: Final = "writes"


class PutCheckpoint(msgspec.Struct, frozen=True):
    """The bytes of a checkpoint, as MessagePack; of values their serializer's type and bytes."""

    ns: str
    id: str
    parent: str | None
    checkpoint: tuple[str, bytes]
    metadata: tuple[str, bytes]


class PutWrite(msgspec.Struct, frozen=True):
    """One write of a task."""

    idx: int
    channel: str
    value: tuple[str, bytes]


class PutWrites(msgspec.Struct, frozen=True):
    """The bytes of what a task wrote, as MessagePack."""

    ns: str
    id: str
    task_id: str
    task_path: str
    writes: list[PutWrite]

    @property
    def replaces(self) -> bool:
        """Tell whether they take the place of earlier ones; others are put once."""
        return all(write.channel in WRITES_IDX_MAP for write in self.writes)
