"""One thing, opened by its name: an entry, an artifact of the vault, or code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import INTEGER_MAX, MCP_RESULT_CHARS_MAX
from holdfast.mcp_server.values import Show, Told
from holdfast.recall import identifiers
from holdfast.recall.answers import spell
from holdfast.storage.port import Selection, Stored
from holdfast.views.visible import visible, visible_json
from holdfast.wiring.mcp.telling import grounds, lines, quoted
from holdfast.wiring.retrieving import retrieve

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

_SHA256: Final = re.compile(r"[0-9a-f]{64}\Z")


def show(project: Project, files: ProjectFiles, asked: Show) -> Told:
    """Open one thing; of a long one a page at a time."""
    key = str(asked.key).strip()
    if asked.evidence:
        from holdfast.wiring.proving import prove_again

        proven = prove_again(project, files, key)
        text = lines(grounds(proven.report, proven.proofs))
    else:
        text = _opened(project, files, key)
    return _page(visible(text, lines=True), asked.start)


def _page(text: str, start: int) -> Told:
    if start and start >= len(text):
        raise InvalidInput(
            f"There is nothing from character {start:,} on.",
            meaning=f"It has {len(text):,} characters.",
            remedy="Leave `start` out to begin at the first one.",
        )
    stop = min(start + MCP_RESULT_CHARS_MAX, len(text))
    told = []
    if start:
        told.append(f"[characters {start:,} to {stop:,} of {len(text):,}]")
    if stop < len(text):
        told.append(f"[{len(text) - stop:,} more characters: call it again with start={stop}]")
    return Told(text[start:stop], tuple(told))


def _opened(project: Project, files: ProjectFiles, key: str) -> str:
    stored = entry_of(project, key)
    identifier = None if key.isdigit() else identifiers.parse(key)
    if identifier is not None and (stored is None or key.startswith(identifiers.PROJECT_ROOT)):
        found = retrieve(files, identifier)
        is_guess = found.by == "patterns"
        guess = "Found by line patterns: where it ends is a guess." if is_guess else ""
        text = (found.indent + found.text).replace("\r\n", "\n")
        return lines([found.identifier, guess, quoted(text)])
    if stored is None and _SHA256.match(key):
        content = project.ledger.artifact(key)
        if content is not None:
            return _artifact(key, content)
    if stored is None:
        stored = project.ledger.get(int(key[:16]) if key.isdigit() else key)  # says why not
    return _told(project, stored)


def entry_of(project: Project, key: str) -> Stored | None:
    """Return an entry by its number or id; None when there is none."""
    if key.isascii() and key.isdigit():
        seq = int(key[:20])
        chosen = Selection(seq, seq + 1) if seq < INTEGER_MAX else None
    else:
        chosen = Selection(id=key)
    found = () if chosen is None else project.ledger.reader.read(chosen)
    return next(iter(found), None)


def _artifact(key: str, content: bytes) -> str:
    try:
        return lines([f"artifact {key}, {len(content):,} bytes", quoted(content.decode())])
    except UnicodeDecodeError:
        return (
            f"artifact {key}: {len(content):,} bytes that are no text; "
            f"`holdfast show {key} > FILE` writes them."
        )


def _told(project: Project, stored: Stored) -> str:
    """Show an entry with its data as JSON, in which nothing can pass for words of ours."""
    entry = entries.read(stored.body)
    broken = leaf_hash(stored.body) != stored.leaf
    head = (
        f"#{entry.seq} {entry.type} v{entry.v}, {entry.timestamp}, "
        f"session {entry.session_id or 'none'}, by {entry.actor.name} ({entry.actor.kind})"
    )
    alarm = "NOT what was sealed: run `holdfast verify`." if broken else ""
    data = visible_json(spell(project.ledger.data(entry)))
    return lines([head, f"id {entry.id}, data {entry.hash}", alarm, data])
