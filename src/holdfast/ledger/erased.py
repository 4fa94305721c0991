"""Which artifacts were erased on request: the ledger's own notes say so."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Reader, Selection

NOTE: Final = "artifact_erased"


class ErasedArtifacts:
    """Answers for one hash after another; the notes are looked up when that is first needed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, sha256: str) -> bool:
        """Tell whether there is a note of this artifact. Its bytes may have come again since."""
        return sha256 in self.notes

    def after(self, sha256: str, seq: int) -> bool:
        """Tell whether an artifact was erased after entry `seq` was recorded."""
        return self.notes.get(sha256, -1) > seq

    @cached_property
    def notes(self) -> dict[str, int]:
        """Every artifact that was ever erased, and the newest entry that says so."""
        found: dict[str, int] = {}
        for stored in self._reader.read(Selection(type=NOTE)):
            try:
                found[str(entries.read(stored.body).value().get("sha256"))] = stored.seq
            except Damaged:
                continue  # verify names it; its artifact then counts as lost
        return found
