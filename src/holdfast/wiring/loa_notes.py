"""NOTES.md of Loa as entries: its decisions, what blocks the work, and where that stands.

What holdfast itself wrote into the file is recorded already, and left out. The rest of the text is
kept whole beside what could be read of it, so that no line of a person's is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.ledger.importing.lines import Line
from holdfast.views import notes
from holdfast.views.notes.reading import Read, ReadDecision
from holdfast.wiring.loa_lines import LoaReader, origin

_ITEM: Final = re.compile(r"\s*[-*+]\s+(?:\[([ xX])\]\s+)?(.*\S)\s*\Z")
_OVER: Final = re.compile(r"\[?\b(?:RESOLVED|DONE|CLOSED)\b\]?", re.IGNORECASE)
_STATE: Final = re.compile(
    r"\[?\b(?:RESOLVED|DONE|CLOSED|ACTIVE|OPEN)\b\]?:?\s*|[~*]", re.IGNORECASE
)
_NONE: Final = frozenset({"none", "none yet", "n/a", "-", "nothing", "none."})
_NAME_CHARS: Final = 12
_BLOCKERS: Final = ("blockers", "blocked", "open blockers", "active blockers")


def take_notes(reader: LoaReader, source: str, text: str) -> None:
    """Record what notes say; where the work stands comes last, so that it is the newest word."""
    whole = notes.parse(text)
    ours = _ours(whole)
    document = _of_others(whole, ours)
    said = notes.read(document)
    for decision in said.decisions:
        if decision.line - 1 not in ours:
            _take_decision(reader, source, decision)
    for number, blocker, over in blockers(document):
        _take_blocker(reader, Line(source, number, blocker.encode()), blocker, over=over)
    _take_standing(reader, source, said)


def text_of_others(text: str) -> str:
    """Return notes without the lines that holdfast wrote, which change by themselves."""
    document = notes.parse(text)
    ours = _ours(document)
    kept = (line for at, line in enumerate(document.lines) if at not in ours)
    return "".join(line.text + line.end for line in kept)


def blockers(document: notes.Document) -> Iterator[tuple[int, str, bool]]:
    """Yield what blocks the work: the line it stands in, its words, and whether that is over."""
    for heading in document.headings:
        if not heading.title.casefold().strip().startswith(_BLOCKERS):
            continue
        for at in range(heading.after, document.next_after(heading)):
            line = document.lines[at]
            found = _ITEM.match(line.text) if line.place == "text" else None
            if found is None:
                continue
            words = _STATE.sub("", found[2]).strip()
            placeholder = words.startswith("[") and words.endswith("]")
            if words and words.casefold() not in _NONE and not placeholder:
                over = (found[1] or "").lower() == "x" or bool(_OVER.match(found[2].lstrip("*~ ")))
                yield at + 1, words, over or found[2].startswith("~~")


def _ours(document: notes.Document) -> set[int]:
    return {at for block in notes.blocks_of(document) for at in block.ours}


def _of_others(document: notes.Document, ours: set[int]) -> notes.Document:
    """Leave out what was written from here; headings stay, and so does every line's number."""
    gone = ours - {heading.first for heading in document.headings}
    lines = [("" if at in gone else line.text) + line.end for at, line in enumerate(document.lines)]
    return notes.parse("".join(lines))


def _take_decision(reader: LoaReader, source: str, decision: ReadDecision) -> None:
    choice = decision.decision.strip() or decision.title.strip()
    if not choice:
        return
    parts = (decision.timestamp, decision.title, choice, decision.rationale, decision.evidence)
    said = "\n".join(part or "" for part in parts)
    # its quotes are looked up once: what is recorded stays, whatever became of the code
    known = reader.is_known("decision", said)
    evidence = [] if known or not decision.evidence else [decision.evidence]
    line = Line(source, decision.line, said.encode("utf-8", "surrogateescape"))
    more = {
        "last": decision.last,
        "evidence": decision.evidence,
        "test_scenarios": decision.scenarios,
    }
    data = {
        "question": decision.title or choice,
        "choice": choice,
        "reasoning": decision.rationale or "",
        "alternatives": [],
        "grounds": reader.grounds(evidence),
        "imported": origin(line, decision.timestamp, **more),
    }
    reader.take(line, "decision", data, said)


def _take_blocker(reader: LoaReader, line: Line, words: str, *, over: bool) -> None:
    """Let a blocker wait; one that is over waits no longer, and says so once."""
    name = f"blocker-{reader.id_of(words, counted=False)[-_NAME_CHARS:]}"
    came = {"imported": origin(line, None)}
    opened: dict[str, Any] = {"pending": name, "kind": "blocker", "prompt": words}
    reader.take(line, "pending_opened", opened | came, words)
    if over:
        resolved = {"pending": name, "outcome": "resolved, as the notes say"}
        reader.take(line, "pending_resolved", resolved | came, words)


def _take_standing(reader: LoaReader, source: str, said: Read) -> None:
    if said.bead is None and said.reasoning is None:
        return
    parts = {"Task": said.bead, "Last checkpoint": said.checkpoint, "Next": said.reasoning}
    words = "\n".join(f"{name}: {part}" for name, part in parts.items() if part)
    line = Line(source, said.section or 1, words.encode("utf-8", "surrogateescape"))
    identifiers = [msgspec.to_builtins(one) for one in said.identifiers]
    data = {
        "task": said.bead or "",
        "completed": 0,
        "total": 0,
        "files_created": [],
        "files_modified": [],
        "decisions_made": len(said.decisions),
        "next_action": said.reasoning or "",
        "quick_resume": words,
        "imported": origin(line, said.checkpoint, identifiers=identifiers),
    }
    reader.take(line, "checkpoint", data, words)
