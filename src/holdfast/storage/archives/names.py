"""How archive files and packs are called."""

from __future__ import annotations

import re
from typing import Final

from holdfast.kernel.errors import InvalidInput

ARCHIVE_END: Final = ".jsonl.zst"
PACK_END: Final = ".artifacts.zst"
DRAFT_END: Final = ".new"

_DAY: Final = re.compile(r"[0-9]{8}")


def name_of(first: int, last: int, day: str) -> str:
    """Name the archive of entries `first` to `last`; the day is only for people."""
    if not _DAY.fullmatch(day) or not 0 <= first <= last:
        raise InvalidInput(
            f"No archive can be named after the day {day!r} and entries {first} to {last}.",
            meaning="Nothing was written.",
            remedy="Give a day like 20261115 and a range that is not empty.",
        )
    return f"archive_{day}_{first}-{last}{ARCHIVE_END}"


def pack_name(archive_name: str) -> str:
    """Name the pack beside an archive."""
    return archive_name.removesuffix(ARCHIVE_END) + PACK_END


def is_pack(name: str) -> bool:
    """Tell a pack by its name."""
    return name.endswith(PACK_END)


def is_pack_draft(name: str) -> bool:
    """Tell what a writer of packs that was killed may have left."""
    return f"{PACK_END}." in name and name.endswith(DRAFT_END)
