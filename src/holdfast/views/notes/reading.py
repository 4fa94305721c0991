"""What notes say, whoever wrote them, in each of the forms that are found.

Session Continuity may stand anywhere, with an Active Context or, in older notes, a table of
sessions; `Current Focus` says the same in others. Decisions stand in Session Continuity or in
sections of their own: as headings with fields, as bold lines with bullets, or as rows of a table.
Placeholders of a template are no values. A line that cannot be understood is left out and named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from holdfast.kernel.limits import NOTES_DROPPED_MAX
from holdfast.views.notes.lines import Document, Heading, Line
from holdfast.views.notes.tables import Row, rows_of
from holdfast.views.notes.writing import PROJECT_ROOT, TITLE

_FIELD: Final = re.compile(r"\s*(?:[-*+]\s+)?\*\*([^*:]+)(?::\*\*|\*\*\s*:)\s*(.*)\Z")
_BOLD_DECISION: Final = re.compile(r"\s*\*\*Decision:\s*(.+?)\*\*\s*\Z", re.IGNORECASE)
_DATE: Final = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_DATED: Final = re.compile(rf"\[?({_DATE})\]?\s*(?:[-\u2013\u2014:|]\s*)?(.*)\Z")
_SOME_DATE: Final = re.compile(_DATE)
_IDENTIFIER: Final = re.compile(r"`?((?:\$\{PROJECT_ROOT\}|/)[^`]*?):L?(\d+)(?:-L?(\d+))?`?\Z")
_PLACEHOLDER: Final = re.compile(r"\[[^\]]+\](?:\s*\(?\[[^\]]+\]\)?|\s*-\s*\[[^\]]+\])?\Z")
_LOGS: Final = ("decision log", "decisions", "decision archive", "key decisions")

_CONTEXT: Final = "active context"
_FOCUS: Final = "current focus"
_NOTHING: Final = frozenset({"none", "none yet", "nothing recorded yet", "n/a", "-"})
_ALSO_CALLED: Final = {
    "current task": "current bead",
    "active task": "current bead",
    "next action": "reasoning state",
    "why": "rationale",
    "source": "evidence",
}


class Dropped(msgspec.Struct, frozen=True):
    """A line that was not understood. It stays in the file."""

    line: int
    text: str
    why: str


class ReadIdentifier(msgspec.Struct, frozen=True):
    """A place in the code that the notes name."""

    path: str
    """From the project's root where they say so, else absolute."""
    first: int
    last: int
    purpose: str
    verified: str


class ReadDecision(msgspec.Struct, frozen=True):
    """A decision that the notes tell of."""

    line: int
    last: int
    timestamp: str | None
    title: str
    decision: str
    rationale: str | None = None
    evidence: str | None = None
    scenarios: str | None = None


class Read(msgspec.Struct, frozen=True):
    """What notes say."""

    section: int | None
    """The line of the heading Session Continuity."""
    bead: str | None
    checkpoint: str | None
    reasoning: str | None
    identifiers: list[ReadIdentifier]
    decisions: list[ReadDecision]
    dropped: list[Dropped]
    dropped_more: int = 0


def read(document: Document) -> Read:
    """Return what notes say; never refuses."""
    return _Reading(document).read()


class _Reading:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._fields: dict[str, str] = {}
        self._otherwise: dict[str, str] = {}
        """Of notes that say it in an older way; it counts where the Active Context says nothing."""
        self._identifiers: list[ReadIdentifier] = []
        self._decisions: list[ReadDecision] = []
        self._dropped: list[Dropped] = []

    def read(self) -> Read:
        section = None
        seen: set[int] = set()
        for heading in self._document.headings:
            name = heading.title.casefold()
            if heading.first in seen:
                continue
            if _is_section(name):
                section = heading.first + 1 if section is None else section
                self._read_sessions(heading)
            elif name in (_CONTEXT, _FOCUS):
                self._read_context(heading, self._fields if name == _CONTEXT else self._otherwise)
            elif name == "lightweight identifiers":
                self._read_identifiers(heading)
            elif name.startswith(_LOGS):
                self._read_log(heading)
                # what stands below it was read as its decisions
                stop = self._document.stop_of(heading)
                seen |= set(range(heading.first, stop))
        return self._result(section)

    def _result(self, section: int | None) -> Read:
        fields = self._otherwise | self._fields
        self._dropped.sort(key=lambda one: one.line)
        return Read(
            section,
            fields.get("current bead"),
            fields.get("last checkpoint"),
            fields.get("reasoning state"),
            self._identifiers,
            sorted(self._decisions, key=lambda one: one.line),
            self._dropped[:NOTES_DROPPED_MAX],
            max(0, len(self._dropped) - NOTES_DROPPED_MAX),
        )

    # Where the work stands

    def _read_context(self, heading: Heading, fields: dict[str, str]) -> None:
        for at, line in self._text(heading.after, self._document.next_after(heading)):
            field = _FIELD.match(line.text)
            if field is None:
                self._drop(at, line, "is no field of the form `- **Name**: value`")
            elif value := _said(field[2]):
                fields.setdefault(_name(field[1]), value)

    def _read_sessions(self, heading: Heading) -> None:
        """Read the table of older notes: its last row says where the work was left."""
        for row in self._rows(heading.after, self._document.next_after(heading)):
            if (when := row.cells.get("timestamp")) and (summary := row.cells.get("summary")):
                self._otherwise |= {"last checkpoint": when, "reasoning state": summary}

    def _read_identifiers(self, heading: Heading) -> None:
        for row in self._rows(heading.after, self._document.next_after(heading)):
            named = row.cells.get("identifier", "")
            if "[" in named:
                continue  # a template's placeholder
            found = _IDENTIFIER.match(named)
            if found is None:
                self._drop_row(row, "names no `${PROJECT_ROOT}/path:line`")
                continue
            first = int(found[2])
            self._identifiers.append(
                ReadIdentifier(
                    found[1].removeprefix(PROJECT_ROOT),
                    first,
                    int(found[3] or first),
                    row.cells.get("purpose", ""),
                    row.cells.get("last verified", ""),
                )
            )

    # Decisions

    def _read_log(self, heading: Heading) -> None:
        """Read a log of decisions, in whichever form they stand there."""
        day = _SOME_DATE.search(heading.title)
        stop = self._document.stop_of(heading)
        inner = self._document.below(heading)
        self._read_plain(heading.after, inner[0].first if inner else stop)
        for number, one in enumerate(inner):
            end = inner[number + 1].first if number + 1 < len(inner) else stop
            self._read_headed(one, end, day[0] if day else None)

    def _read_headed(self, heading: Heading, stop: int, day: str | None) -> None:
        dated = _DATED.match(heading.title)
        when, title = (dated[1], dated[2]) if dated else (day, heading.title)
        fields = self._fields_in(heading.after, stop)
        if when is None and "decision" not in fields:
            line = self._document.lines[heading.first]
            self._drop(heading.first, line, "is no decision: it has neither a time nor a field")
            self._read_plain(heading.after, stop)
            return
        self._add(heading.first, stop, when, title, fields)

    def _read_plain(self, first: int, stop: int) -> None:
        """Read decisions that have no heading: rows of a table, or bold lines."""
        for row in self._rows(first, stop):
            decision = _said(row.cells.get("decision", ""))
            if decision is None or "YYYY" in row.cells.get("date", ""):
                continue
            self._decisions.append(
                ReadDecision(
                    row.line + 1,
                    row.line + 1,
                    row.cells.get("date") or row.cells.get("timestamp"),
                    decision,
                    decision,
                    row.cells.get("rationale"),
                    row.cells.get("evidence"),
                )
            )
        bold = [
            (at, found[1])
            for at, line in self._text(first, stop)
            if (found := _BOLD_DECISION.match(line.text))
        ]
        for number, (at, title) in enumerate(bold):
            end = bold[number + 1][0] if number + 1 < len(bold) else stop
            self._add(at, end, None, title, self._fields_in(at + 1, end))

    def _add(
        self, first: int, stop: int, when: str | None, title: str, fields: dict[str, str]
    ) -> None:
        last = max((at + 1 for at, _ in self._text(first, stop)), default=first + 1)
        title = title.strip() or fields.get("decision", "")
        self._decisions.append(
            ReadDecision(
                first + 1,
                last,
                when,
                title,
                fields.get("decision", title),
                fields.get("rationale"),
                fields.get("evidence"),
                fields.get("test scenarios"),
            )
        )

    def _fields_in(self, first: int, stop: int) -> dict[str, str]:
        """Return the fields of some lines; a line right below one goes on with it."""
        found: dict[str, str] = {}
        name, below = None, -1
        for at, line in self._text(first, stop):
            if field := _FIELD.match(line.text):
                name = _name(field[1])
                found.setdefault(name, field[2].strip())
            elif name is not None and at == below:
                found[name] = f"{found[name]}\n{line.text.strip()}".strip()
            else:
                name = None
            below = at + 1
        return {name: value for name, value in found.items() if value}

    # Lines

    def _text(self, first: int, stop: int) -> Iterator[tuple[int, Line]]:
        """Yield lines that say something: no blank ones, no comments, no code."""
        for at in range(first, stop):
            line = self._document.lines[at]
            said = line.text.strip()
            if line.place == "text" and said and not said.startswith("<!--"):
                yield at, line

    def _rows(self, first: int, stop: int) -> Iterator[Row]:
        lines = [(at, line.text) for at, line in self._text(first, stop)]
        for row in rows_of(lines):
            if row.fault is None:
                yield row
            else:
                self._drop_row(row, row.fault)

    def _drop_row(self, row: Row, why: str) -> None:
        self._drop(row.line, self._document.lines[row.line], why)

    def _drop(self, at: int, line: Line, why: str) -> None:
        self._dropped.append(Dropped(at + 1, line.text, why))


def _is_section(name: str) -> bool:
    """Tell whether a heading is Session Continuity, maybe with a date behind it."""
    wanted = TITLE.casefold()
    return name == wanted or (name.startswith(wanted) and not name[len(wanted) :].strip().isalpha())


def _name(given: str) -> str:
    name = given.strip().casefold()
    return _ALSO_CALLED.get(name, name)


def _said(value: str) -> str | None:
    """Return a value, None for one that was left empty or still is a template's."""
    value = value.strip()
    unsaid = not value or "YYYY" in value or value.casefold() in _NOTHING
    return None if unsaid or _PLACEHOLDER.match(value) else value
