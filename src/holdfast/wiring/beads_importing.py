"""Taking in Beads: its issues become tasks, and what is said of them notes of those tasks.

Read is the file that `bd export` writes, else what `bd` itself tells. Issues that changed since
change their tasks; what was deleted there stays here. Tasks and notes say where they come from and
when that was, in `imported`; an author's words are named as theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.evidence.beads.exported import DELETED, NAMES
from holdfast.evidence.beads.port import Found as Issues
from holdfast.evidence.beads.port import Issue
from holdfast.evidence.beads.program import FOLDER
from holdfast.evidence.beads.shapes import issue_of
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.ledger.importing import Imported
from holdfast.ledger.importing.intake import Found, Intake
from holdfast.ledger.importing.lines import Line, Unread, read_lines
from holdfast.ledger.importing.reading import UTC, Odd, digest, is_naive, parse
from holdfast.ledger.ledger import Draft
from holdfast.ledger.verify import Progress, no_progress
from holdfast.wiring.task_intake import take_in
from holdfast.wiring.tasks import beads_of

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

SYSTEM: Final = "beads"
_ACTOR: Final = Actor("tool", SYSTEM)
_ABOUT: Final = (
    "created_at", "updated_at", "closed_at", "created_by", "assignee", "owner", "labels",
    "external_ref",
)  # fmt: skip
_TEXTS: Final = ("design", "acceptance_criteria", "notes")
_PART_OF: Final = "a part of "
_MARK: Final = "[holdfast "
"""Stands in comments that came from here."""


def import_beads(
    project: Project, path: Path | None = None, *, progress: Progress = no_progress
) -> Imported:
    """Take in the issues of a file or folder, else of the project. Harmless to repeat."""
    return _Import(project).run(path, progress)


class _Import:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._intake = Intake(project.ledger, _ACTOR)
        self._unread: list[Unread] = []
        self._issues: dict[str, tuple[Line, Issue]] = {}
        self._others = self._deleted = 0

    def run(self, path: Path | None, progress: Progress) -> Imported:
        """Take in what is there."""
        source = self._read(path)
        progress(1, 3)
        issues = [issue for _, issue in self._issues.values()]
        came = {issue.id: _origin(line, issue.raw) for line, issue in self._issues.values()}
        done = take_in(self._project.ledger, self._project.tasks, Issues(issues), SYSTEM, came)
        self._unread += [Unread(_PART_OF + source, one) for one in done.left_out]
        progress(2, 3)
        tasks = {task.task for task in self._project.tasks.every()}
        for line, issue in self._issues.values():
            if issue.id in tasks:
                for draft in _notes(line, issue, self._project.ledger.redact):
                    self._intake.take(Found(line, draft))
        self._intake.flush()
        progress(3, 3)
        self._tell_left(source)
        notes = self._intake.report(self._unread)
        return msgspec.structs.replace(
            notes,
            imported=notes.imported + done.added + done.changed,
            duplicates=notes.duplicates + done.unchanged,
        )

    def _read(self, path: Path | None) -> str:
        beads = beads_of(self._project) if path is None else None
        if beads is not None:
            found = beads.issues()
            self._unread += [Unread(_PART_OF + beads.name, one) for one in found.unread]
            for number, issue in enumerate(found.issues, 1):
                self._add(Line(beads.name, number, b""), issue)
            return beads.name
        file = _file_of(path or self._project.place.project or Path.cwd())
        for line in read_lines(file.parent, file.name):
            if isinstance(line, Unread):
                raise _unreadable(file, line.reason)
            self._read_line(line)
        return file.name

    def _read_line(self, line: Line) -> None:
        try:
            row = parse(line)
        except Odd as odd:
            self._quarantine(line, str(odd))
            return
        if row.get("_type", "issue") != "issue":
            self._others += 1
            return
        issue = issue_of(row)
        if issue is None:
            self._quarantine(line, "it has no id and title")
        else:
            self._add(line, issue)

    def _add(self, line: Line, issue: Issue) -> None:
        if issue.status == DELETED:
            self._deleted += 1
        else:
            self._issues[issue.id] = (line, issue)  # the last line about an issue counts

    def _quarantine(self, line: Line, why: str) -> None:
        text = line.content.decode("utf-8", "surrogateescape")
        entry_id = _id_of(self._project.ledger.redact(f"{line.part or 0}:{text}"))
        self._intake.take(Found(line, self._intake.quarantine(line, why, entry_id)))

    def _tell_left(self, source: str) -> None:
        if self._others:
            said = f"{self._others:,} records of it are no issues and stay where they are"
            self._unread.append(Unread(_PART_OF + source, said))
        if self._deleted:
            said = f"{self._deleted:,} issues were deleted there; here nothing is"
            self._unread.append(Unread(_PART_OF + source, said))


def find_beads(path: Path) -> Path | None:
    """Return the file with the issues that a path is or holds; None where there is none."""
    inner = path.parent if path.name == FOLDER else path
    places = [path] if (inner / FOLDER).is_symlink() else [path, *(inner / one for one in NAMES)]
    return next((one for one in places if one.is_file() and not one.is_symlink()), None)


def _file_of(path: Path) -> Path:
    file = find_beads(path)
    if file is None:
        why = "it is a link" if path.is_symlink() else f"it has no {Path(NAMES[0]).name}"
        raise _unreadable(path, why)
    if file.stat().st_size > INPUT_BYTES_MAX:
        raise _unreadable(file, f"it has more than {INPUT_BYTES_MAX:,} bytes")
    return file


def _unreadable(path: Path, why: str) -> CouldNotLook:
    return CouldNotLook(
        f"There are no issues of Beads to be read in {path}: {why}.",
        meaning="That is not the same as no tasks. Nothing was changed.",
        remedy=f"`bd export -o {NAMES[0]}` writes them from its database; or name a file with one "
        f"issue a line, or a project that has {FOLDER}/.",
    )


def _origin(line: Line, row: dict[str, Any]) -> dict[str, Any]:
    about = {name: row[name] for name in _ABOUT if row.get(name)}
    return _came(line, row.get("created_at")) | about


def _came(line: Line, time: Any) -> dict[str, Any]:
    said = time if isinstance(time, str) and time else None
    found = {"system": SYSTEM, "source": line.source, "line": line.number, "timestamp": said}
    return found | ({"assumed_zone": UTC} if said is not None and is_naive(said) else {})


def _notes(line: Line, issue: Issue, redact: Any) -> Iterator[Draft]:
    """Yield what is said of an issue: comments in their order, then its own longer texts."""
    for said in _comments(issue):
        author, time = said.get("author"), said.get("created_at")
        came = _came(line, time) | ({"author": author} if isinstance(author, str) else {})
        key = f"{issue.id}\n{author}\n{time}\n{said['text']}"
        yield _note(issue, said["text"], came | {"field": "comments"}, redact(key))
    for name in _TEXTS:
        text = issue.raw.get(name)
        if isinstance(text, str) and text.strip():
            came = _came(line, issue.raw.get("updated_at")) | {"field": name}
            yield _note(issue, text, came, redact(f"{issue.id}\n{name}\n{text}"))


def _comments(issue: Issue) -> Iterator[dict[str, Any]]:
    given = issue.raw.get("comments")
    for one in given if isinstance(given, list) else []:
        text = one.get("text") if isinstance(one, dict) else None
        if isinstance(text, str) and text.strip() and _MARK not in text:
            yield one


def _note(issue: Issue, text: str, came: dict[str, Any], key: str) -> Draft:
    data = {"task": issue.id, "note": text, "imported": came}
    return Draft("task_updated", data, None, _ACTOR, _id_of(key))


def _id_of(cleaned: str) -> str:
    return f"{SYSTEM}-{digest(cleaned)}"
