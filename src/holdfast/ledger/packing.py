"""Which artifacts go into the pack beside an archive: all that its entries name, also in others.

One that an earlier archive named is packed again: a pack is then complete without any other.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.vault import KEY, references
from holdfast.storage.port import Reader


class Packer:
    """Finds the artifacts of entries in the vault."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._erased = ErasedArtifacts(reader)

    def artifacts_of(
        self, entry: Entry, body: bytes, packed: Mapping[str, bytes]
    ) -> dict[str, bytes]:
        """Return the artifacts that an entry names and that are not packed yet.

        Erased ones are left out. One that is gone without a word, or changed, raises Damaged.
        """
        found: dict[str, bytes] = {}
        if KEY.encode() not in body:
            return found
        waiting = references(entry.value())
        while waiting:
            sha256, may_nest = waiting.pop()
            if sha256 in packed or sha256 in found:
                continue
            content = self._reader.artifact(sha256)
            if content is not None:
                found[sha256] = content
                waiting += references(msgspec.json.decode(content)) if may_nest else []
            elif not self._erased.after(sha256, entry.seq):
                raise Damaged(f"the artifact {sha256[:12]} that it names is not in the vault")
        return found
