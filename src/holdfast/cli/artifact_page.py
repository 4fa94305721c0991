"""An artifact of the vault, opened by its hash."""

from __future__ import annotations

import base64
import re
import sys
from typing import Any, Final

from holdfast.cli.output import print_json, say, visible
from holdfast.storage.port import Reader, Selection

_SHA256: Final = re.compile(r"[0-9a-f]{64}\Z")


def find_artifact(reader: Reader, key: str) -> bytes | None:
    """Return what the vault holds under a hash; None for anything else, such as an entry's id."""
    if not _SHA256.match(key) or next(iter(reader.read(Selection(id=key))), None) is not None:
        return None
    return reader.artifact(key)


def show_artifact(key: str, content: bytes, *, as_json: bool) -> None:
    """Show an artifact: its bytes as they are where nobody looks, else what a terminal can show."""
    try:
        text: str | None = content.decode()
    except UnicodeDecodeError:
        text = None
    if as_json:
        told: dict[str, Any] = {"artifact": key, "bytes": len(content)}
        told |= {"base64": base64.b64encode(content).decode()} if text is None else {"text": text}
        print_json(told)
    elif not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    elif text is None:
        say(f"{len(content):,} bytes that are no text; with --json or into a file they are whole.")
    else:
        say(visible(text, lines=True))
