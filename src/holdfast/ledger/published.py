"""Reading a view on disk back: believed only when it is whole and as new as the ledger.

Kept apart from the writing, and light: `resume` is this and little else.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.port import Reader

CURRENT_STATE: Final = "CURRENT_STATE.json"
SESSION_MEMORY: Final = "SESSION_MEMORY.json"
RESTORE_INDEX: Final = "indexes/restore_index.json"
DOCUMENTS: Final = (CURRENT_STATE, SESSION_MEMORY, RESTORE_INDEX)

FORMAT: Final = 3
"""Changes when the same entries would give another document."""


def spell(document: dict[str, Any]) -> bytes:
    """Return a document as it is written, with the digest over all of it."""
    content = {**document, "format": FORMAT}
    whole = {**content, "digest": digest(content)}
    return msgspec.json.format(canonical.encode(whole), indent=1) + b"\n"


def spell_index(document: dict[str, Any]) -> bytes:
    """Return the restore index as it is written: it can be long, so on one line and quickly."""
    content = {**document, "format": FORMAT}
    return msgspec.json.encode({**content, "digest": _quick_digest(content)}) + b"\n"


def digest(content: dict[str, Any]) -> str:
    """Return the hash that shows whether somebody changed a document."""
    return sha256(canonical.encode(content)).hexdigest()


def _quick_digest(content: dict[str, Any]) -> str:
    """Return the same for the restore index, which holds nothing but text and whole numbers."""
    return sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def read(path: Path) -> dict[str, Any] | None:
    """Return a document that is whole and was not changed since it was written."""
    is_index = path.name == Path(RESTORE_INDEX).name
    try:
        document = msgspec.json.decode(path.read_bytes())
        said = document.pop("digest")
        found = (_quick_digest if is_index else digest)(document)
        return document if said == found and document["format"] == FORMAT else None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, HoldfastError):
        return None
    except (AttributeError, KeyError, TypeError):
        return None  # not an object, or one of somebody else


def is_former(content: bytes) -> bool:
    """Tell whether a document was written by an older holdfast: it is made anew, not damaged."""
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    version = found.get("format") if isinstance(found, dict) else None
    return isinstance(version, int) and version < FORMAT


def earlier(path: Path, reader: Reader) -> dict[str, Any] | None:
    """Return a document that was true of this ledger at some entry; None for a foreign one."""
    document = read(path)
    head = reader.head()
    if document is None or document.get("ledger") != head.ledger:
        return None
    seq = document.get("as_of_seq")
    if not isinstance(seq, int) or not 0 <= seq < head.size:
        return None
    return document if reader.node(seq, seq + 1).hex() == document.get("head") else None


def current(path: Path, head: Head) -> dict[str, Any] | None:
    """Return a document that says what is true at the head; None for a stale or foreign one."""
    document = read(path)
    if document is None:
        return None
    marks = (document.get("ledger"), document.get("as_of_seq"), document.get("head"))
    return document if marks == (head.ledger, head.size - 1, head.leaf.hex()) else None
