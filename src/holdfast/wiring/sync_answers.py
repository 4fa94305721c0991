"""What another ledger is told of this one, however it asks: over HTTP, or over MCP.

head                         {"ledger", "size", "root"}
proof?old=N&new=M            {"proof": [hashes in hex]}
entries?first=N&stop=M       the bytes of entries, a line each, as many as fit a page
artifacts/SHA256             an artifact; with ?from=N the part of it that begins there
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs

import msgspec

from holdfast.kernel.limits import INTEGER_MAX, SYNC_PAGE_ENTRIES, SYNC_PART_BYTES
from holdfast.ledger.peers.source import Source

ARTIFACTS: Final = "artifacts/"


def answer(source: Source, path: str, query: str, *, page_bytes: int) -> bytes | None:
    """Return the answer to a question, None when there is no such thing.

    Raises ValueError for a question that nobody who means well asks.
    """
    asked = parse_qs(query, max_num_fields=4)
    match path:
        case "head":
            return msgspec.json.encode(source.head())
        case "proof":
            proof = source.consistency(_number(asked, "old"), _number(asked, "new"))
            return msgspec.json.encode({"proof": [one.hex() for one in proof]})
        case "entries":
            return _page(source, _number(asked, "first"), _number(asked, "stop"), page_bytes)
        case _ if path.startswith(ARTIFACTS):
            return _artifact(source, path.removeprefix(ARTIFACTS), asked)
        case _:
            return None


def _artifact(source: Source, name: str, asked: Mapping[str, list[str]]) -> bytes | None:
    content = source.artifact(name) if len(name) == 64 and name.isalnum() else None
    if content is None or "from" not in asked:
        return content
    first = _number(asked, "from")
    return content[first : first + SYNC_PART_BYTES]


def _page(source: Source, first: int, stop: int, page_bytes: int) -> bytes:
    lines: list[bytes] = []
    weight = 0
    for body in source.read(first, min(stop, first + SYNC_PAGE_ENTRIES)):
        lines.append(body + b"\n")
        weight += len(body) + 1
        if weight >= page_bytes:
            break
    return b"".join(lines)


def _number(asked: Mapping[str, list[str]], name: str) -> int:
    [text] = asked.get(name, [])
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(INTEGER_MAX))):
        raise ValueError(name)
    return int(text)
