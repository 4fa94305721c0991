"""The vault: bytes by the hash that they must have."""

from __future__ import annotations

from hashlib import sha256

import apsw

from holdfast.kernel.errors import Damaged
from holdfast.storage.sqlite.queries import SQL


def read(connection: apsw.Connection, name: str) -> bytes | None:
    """Return an artifact, None when it is not there."""
    if not is_name(name):
        return None
    content = connection.execute(SQL["artifact"], (bytes.fromhex(name),)).get
    if content is None:
        return None
    assert isinstance(content, bytes)
    if sha256(content).hexdigest() != name:
        raise Damaged(
            f"Artifact {name[:12]} is not what was stored.",
            meaning="Its bytes changed on disk; the entries that name it are untouched.",
            remedy="Run `holdfast verify`, then take the artifact from a backup.",
        )
    return content


def is_name(text: str) -> bool:
    """Tell whether an artifact can have this name: its SHA-256 in lower-case hex."""
    return len(text) == 64 and not text.strip("0123456789abcdef")
