"""What a program does to its files, as values in one order. Names are relative to one folder."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Create(msgspec.Struct, frozen=True, tag=True):
    """A name appeared for an empty file."""

    file: str


class Write(msgspec.Struct, frozen=True, tag=True):
    """Bytes were written at an offset."""

    file: str
    offset: int
    content: bytes


class Truncate(msgspec.Struct, frozen=True, tag=True):
    """A file was cut, or made longer with zeros."""

    file: str
    size: int


class Sync(msgspec.Struct, frozen=True, tag=True):
    """The bytes of a file were forced to the disk."""

    file: str


class SyncFailed(msgspec.Struct, frozen=True, tag=True):
    """The disk refused a sync. The system forgot that these bytes were ever to be written."""

    file: str


class Delete(msgspec.Struct, frozen=True, tag=True):
    """A name was removed."""

    file: str


class Rename(msgspec.Struct, frozen=True, tag=True):
    """A file took another name, in place of what had it before."""

    old: str
    new: str


class SyncFolder(msgspec.Struct, frozen=True, tag=True):
    """The names in a folder were forced to the disk; "" is the folder of the recording."""

    folder: str


class Acknowledge(msgspec.Struct, frozen=True, tag=True):
    """The program told somebody that its first `steps` steps are done for good."""

    steps: int


Op: TypeAlias = (
    Create | Write | Truncate | Sync | SyncFailed | Delete | Rename | SyncFolder | Acknowledge
)


class Step(msgspec.Struct, frozen=True):
    """One operation, and which part of the work it belongs to."""

    op: Op
    phase: str


class Recording(msgspec.Struct, frozen=True):
    """A whole run: the files there were, all on disk, and what was done to them."""

    baseline: dict[str, bytes]
    steps: list[Step]
