"""Files that prove nothing, because holdfast or git wrote them: a decision would prove itself.

The notes repeat what was decided, and the folders of holdfast and git hold what somebody recorded.
A note ranks below the code in any case, so the whole notes file is refused, not only our part.
"""

from __future__ import annotations

from typing import Final

import msgspec

NOTES: Final = "NOTES.md"

_FOLDERS: Final = frozenset({".holdfast", ".git"})
_FILES: Final = frozenset({".claude/checksums.json"})


class OwnFiles(msgspec.Struct, frozen=True):
    """What is no evidence in a project; paths are those below its root."""

    notes: str = NOTES
    """The notes file."""
    folders: tuple[str, ...] = ()
    """What holdfast writes beside a ledger that stands alone."""

    def __contains__(self, path: str) -> bool:
        """Tell whether a file is one. Capitals do not count: on some disks they are the same."""
        parts = _parts(path)
        if not _FOLDERS.isdisjoint(parts):
            return True
        if "/".join(parts) in _FILES or parts == _parts(self.notes):
            return True
        return any(parts[: len(own)] == own for own in map(_parts, self.folders))


def _parts(path: str) -> list[str]:
    return [part for part in path.casefold().split("/") if part not in ("", ".")]
