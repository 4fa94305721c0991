"""Where another ledger's entries come from. Nothing that it says is believed: all of it is proved.

head         how many entries there are, and the tree's root over them
consistency  the proof that the tree of a smaller size is the beginning of that of a larger one
read         the exact bytes of entries, in order
artifact     an artifact, None where it is not there (any more)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

import msgspec

from holdfast.kernel import merkle
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.storage.port import Reader, Selection

_LEDGER: Final = re.compile(r"[0-9a-f]{32}")
_ROOT: Final = re.compile(r"[0-9a-f]{64}")


class TreeHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a ledger says that it holds."""

    ledger: str
    size: int
    root: str

    def root_bytes(self) -> bytes:
        """Return the root as the tree has it."""
        return bytes.fromhex(self.root)


class Source(Protocol):
    """Another ledger, as far as it tells. MAY lie in every answer."""

    def head(self) -> TreeHead:
        """Return what it says it holds now."""

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Return its proof that nothing of the first `old_size` entries changed since."""

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes of its entries `first` up to before `stop`; ends early where it ends."""

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact that one of its entries names, None when it does not have it."""


class ReaderSource:
    """A ledger that can be opened here."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def head(self) -> TreeHead:
        """Return what the reader says; a ledger that cannot be read is damaged."""
        head = self._reader.head()
        return TreeHead(head.ledger, head.size, self._reader.node(0, head.size).hex())

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Make the proof from the kept nodes."""
        if new_size > self._reader.head().size:
            raise unproved(f"There are no {new_size} entries.")
        return merkle.consistency_proof(old_size, new_size, self._reader.node)

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """Yield entries, archived ones too, up to the first that is missing."""
        for expected, stored in enumerate(self._reader.read(Selection(first, stop)), first):
            if stored.seq != expected:
                return
            yield stored.body

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact from the vault."""
        return self._reader.artifact(sha256)


def checked_head(head: TreeHead) -> TreeHead:
    """Refuse what cannot be the head of any ledger."""
    if (
        _LEDGER.fullmatch(head.ledger)
        and _ROOT.fullmatch(head.root)
        and 0 <= head.size <= INTEGER_MAX
    ):
        return head
    raise unproved("What it says of itself is not the head of a ledger.")


def unproved(what: str) -> Damaged:
    """Say that a peer's word does not hold; that is not yet a contradiction to what it said."""
    return Damaged(
        what,
        meaning="Nothing of ours changed. What was merged of it before stays as it is.",
        remedy="Let its owner run `holdfast verify`; then try again.",
    )
