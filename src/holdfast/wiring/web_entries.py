"""Entries as the web page lists and opens them, and the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.kernel.limits import WEB_VALUE_BYTES_MAX
from holdfast.kernel.merkle import inclusion_proof
from holdfast.recall.search import Query, search
from holdfast.storage.port import Selection, Stored
from holdfast.views.entry_lines import line_of
from holdfast.web.values import Asked, Page
from holdfast.wiring.web_answers import Shown, cut, key_number, number, rows_asked

LINE_CHARS_MAX: Final = 300
DIFF_CHARS_MAX: Final = 100_000


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {
        "entries": lambda asked: listed(site, asked),
        "entry": lambda asked: opened(site, asked),
        "search": lambda asked: found(site, asked),
    }


def listed(site: Shown, asked: Asked) -> dict[str, Any]:
    """List entries, the newest first: those before a number, or the oldest after one."""
    reader = site.reader
    size = reader.head().size
    limit = rows_asked(asked)
    kind, session = asked.query.get("type") or None, asked.query.get("session") or None
    if "after" in asked.query:
        first = number(asked, "after", 0) + 1
        wanted = Selection(first, size, type=kind, session_id=session)
        rows = list(reversed([row(one) for one in islice(reader.read(wanted), limit)]))
    else:
        stop = min(number(asked, "before", size), size)
        wanted = Selection(0, stop, type=kind, session_id=session, newest_first=True)
        rows = [row(one) for one in islice(reader.read(wanted), limit)]
    return {"entries": size, "rows": rows, "more": len(rows) == limit}


def row(stored: Stored) -> dict[str, Any]:
    """Spell an entry as a row; a damaged one says so."""
    try:
        entry = entries.read(stored.body)
        line = line_of(entry.type, entry.value())
    except Damaged as problem:
        return {"seq": stored.seq, "damaged": problem.what}
    return {
        "seq": entry.seq,
        "id": entry.id,
        "time": entry.timestamp,
        "type": entry.type,
        "actor": msgspec.to_builtins(entry.actor),
        "session": entry.session_id,
        "line": cut(line, LINE_CHARS_MAX),
    }


def opened(site: Shown, asked: Asked) -> dict[str, Any]:
    """Open an entry: all it says, where it belongs, and what proves it."""
    stored = site.project.ledger.get(key_number(asked))
    told = row(stored) | {"leaf": stored.leaf.hex(), "bytes": len(stored.body)}
    told["proof"] = _proof(site, stored.seq)
    try:
        entry = entries.read(stored.body)
    except Damaged:
        return told | {"raw": cut(stored.body.decode("utf-8", "backslashreplace"))}
    told |= {
        "hash": entry.hash,
        "prev": entry.prev,
        "version": entry.v,
        "span": msgspec.to_builtins(entry.span),
        "data": _data(site, entry, full="full" in asked.query),
        "around": _around(site, entry),
    }
    if entry.type == "decision":
        from holdfast.wiring.web_decisions import grounds

        told |= grounds(site, entry)
    if entry.type == "file_change":
        told["diff"] = file_diff(site, entry.value())
    return told


def file_diff(site: Shown, data: Any) -> str | None:
    """Return how a file differs from what it was before, where both are in the vault."""
    match data:
        case {"content": {"$artifact": str(after)}, **rest}:
            texts = [_text(site, rest.get("hash_before")), _text(site, after)]
        case _:
            return None
    if texts[1] is None:
        return None
    before, now = ((text or "").splitlines() for text in texts)
    return cut("\n".join(list(unified_diff(before, now, lineterm="", n=3))[2:]), DIFF_CHARS_MAX)


def _text(site: Shown, digest: Any) -> str | None:
    """Return a file's text; None for one that is not kept, too long, or no text."""
    content = site.reader.artifact(digest) if isinstance(digest, str) else None
    if content is None or len(content) > WEB_VALUE_BYTES_MAX or b"\0" in content:
        return None
    return content.decode("utf-8", "replace")


def found(site: Shown, asked: Asked) -> dict[str, Any]:
    """Search, as the command does."""
    kind = asked.query.get("type")
    query = Query(
        asked.query.get("q", ""),
        types=(kind,) if kind else (),
        session=asked.query.get("session") or None,
        path=asked.query.get("path") or None,
        limit=rows_asked(asked, 30),
    )
    if not query.text.strip():
        return {"hits": [], "more": 0, "searched": site.project.views.size}
    answer: dict[str, Any] = msgspec.to_builtins(search(site.project.views, site.reader, query))
    return answer


def _data(site: Shown, entry: Entry, *, full: bool) -> Any:
    """Return what an entry says; large parts are left in the vault unless all is wanted."""
    stored = entry.value()
    if not full:
        return shortened(stored)
    data = site.project.ledger.data(entry)
    spelled = msgspec.json.encode(data, enc_hook=repr)
    if len(spelled) > WEB_VALUE_BYTES_MAX:
        return {"too_long": len(spelled), "command": f"holdfast show {entry.seq} --full"}
    return msgspec.json.decode(spelled)


def shortened(value: Any) -> Any:
    """Cut the long texts of a value."""
    match value:
        case str():
            return cut(value)
        case dict():
            return {key: shortened(part) for key, part in value.items()}
        case list():
            shown = [shortened(part) for part in value[:100]]
            return shown + ([f"… (+{len(value) - 100:,} more)"] if len(value) > 100 else [])
        case _:
            return value


def _proof(site: Shown, seq: int) -> dict[str, Any]:
    """Return the path of hashes from an entry to the root of the tree, as RFC 9162 has it."""
    reader = site.reader
    size = reader.head().size
    try:
        path = inclusion_proof(seq, size, reader.node)
        return {
            "index": seq,
            "size": size,
            "path": [one.hex() for one in path],
            "root": reader.node(0, size).hex(),
        }
    except HoldfastError as problem:
        return {"index": seq, "size": size, "problem": problem.what}


def _around(site: Shown, entry: Entry) -> dict[str, Any]:
    """Return where an entry belongs: its session, and the entries next to it there."""
    session: Any = {}
    if entry.session_id is not None:
        session = site.project.views.items("sessions").get(entry.session_id) or {}
    return {
        "session": session,
        "before": next(_next(site, entry, newest_first=True), None),
        "after": next(_next(site, entry, newest_first=False), None),
    }


def _next(site: Shown, entry: Entry, *, newest_first: bool) -> Iterator[int]:
    size = site.reader.head().size
    span = (0, entry.seq) if newest_first else (entry.seq + 1, size)
    wanted = Selection(*span, session_id=entry.session_id, newest_first=newest_first)
    yield from (stored.seq for stored in site.reader.read(wanted))
