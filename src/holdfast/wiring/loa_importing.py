"""Taking in a Loa folder: its logs, its papers, its sprints, its notes. It is only read.

Entries have Loa's own times and places in `imported`; their ids follow from what is said, so that
the same folder again adds nothing, also when a log was moved to the archive.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.limits import LOA_FILE_BYTES_MAX, LOA_SPRINTS_MAX
from holdfast.ledger.importing import Imported
from holdfast.ledger.importing.lines import Line, Unread, read_lines, read_whole
from holdfast.ledger.importing.reading import Odd, parse, usable_name
from holdfast.ledger.verify import Progress, no_progress
from holdfast.wiring.loa_evidence import LoaEvidence
from holdfast.wiring.loa_folder import LEDGER, NOTES, LoaFiles, list_loa
from holdfast.wiring.loa_lines import SYSTEM, LoaReader, origin, text_of
from holdfast.wiring.loa_notes import take_notes, text_of_others

if TYPE_CHECKING:
    from holdfast.evidence.beads.port import Issue
    from holdfast.wiring.project import Project

_CLOSED: Final = frozenset({"completed", "complete", "done", "closed", "archived", "merged"})
_STATUSES: Final = {
    "in_progress": "in_progress",
    "in-progress": "in_progress",
    "active": "in_progress",
    "blocked": "blocked",
    "deferred": "deferred",
}
_PART_OF: Final = "a part of "
_HEADER: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_FIELD: Final = re.compile(
    r"^(from|to|topic|ts_utc|timestamp|date):[ \t]*['\"]?(.+?)['\"]?[ \t]*\r?$", re.M
)


def import_loa(
    project: Project, path: Path | None = None, *, progress: Progress = no_progress
) -> Imported:
    """Take in the Loa folder of a path, else of the project. Harmless to repeat."""
    files = list_loa(path or project.place.project or Path.cwd())
    return _Import(project, files, progress).run()


class _Import:
    def __init__(self, project: Project, files: LoaFiles, progress: Progress) -> None:
        self._project = project
        self._files = files
        self._progress = progress
        self._done = 0
        self._unread = list(files.unread)
        evidence = LoaEvidence(project)
        self._reader = LoaReader(project.ledger, evidence.ground, evidence.cite)

    def run(self) -> Imported:
        """Take in everything; where the work stands comes last."""
        for source in self._files.papers:
            self._take_paper(source)
        for source in self._files.logs:
            self._take_log(source)
        sprints = self._take_sprints() if self._files.has_ledger else (0, 0)
        if self._files.has_notes:
            self._take_notes()
        self._reader.intake.flush()
        done = self._reader.intake.report(self._unread)
        return msgspec.structs.replace(
            done, imported=done.imported + sprints[0], duplicates=done.duplicates + sprints[1]
        )

    def _take_log(self, source: str) -> None:
        for line in read_lines(self._files.folder, source):
            if isinstance(line, Unread):
                self._unread.append(line)
                continue
            self._reader.take_line(line)
            self._advance(len(line.content) + 1)

    def _take_paper(self, source: str) -> None:
        """Keep a text whole: it is what an agent of Loa's said, word for word."""
        text = self._text(source)
        if text is None or not text.strip():
            return
        line = Line(source, 1, text.encode())
        header = _header_of(text)
        time = (
            header.pop("ts_utc", None) or header.pop("timestamp", None) or header.pop("date", None)
        )
        came = origin(line, time, kind=_kind_of(source), **header)
        self._reader.take(line, "agent_said", {"text": text, "imported": came}, f"{source}\n{text}")

    def _take_notes(self) -> None:
        text = self._text(NOTES)
        if text is None:
            return
        kept = text_of_others(text)
        if kept.strip():
            line = Line(NOTES, 1, kept.encode())
            data = {"text": kept, "imported": origin(line, None, kind="notes")}
            self._reader.take(line, "agent_said", data, f"{NOTES}\n{kept}")
        take_notes(self._reader, NOTES, text)

    def _take_sprints(self) -> tuple[int, int]:
        """Take sprints in as tasks; return how many are new or changed, and how many are not."""
        from holdfast.evidence.beads.port import Found
        from holdfast.wiring.task_intake import take_in

        text = self._text(LEDGER)
        if text is None:
            return 0, 0
        line = Line(LEDGER, 1, text.encode())
        try:
            issues, unnamed = _issues(parse(line))
        except Odd as odd:
            self._reader.quarantine(line, str(odd))
            return 0, 0
        if unnamed:
            said = f"{unnamed:,} sprints of it have no name that a task can have"
            self._unread.append(Unread(_PART_OF + LEDGER, said))
        came = {one.id: origin(line, text_of(one.raw.get("created_at"))) for one in issues}
        done = take_in(self._project.ledger, self._project.tasks, Found(issues), SYSTEM, came)
        self._unread += [Unread(_PART_OF + LEDGER, one) for one in done.left_out]
        return done.added + done.changed, done.unchanged

    def _text(self, source: str) -> str | None:
        """Return a text, None for one that is not looked at or is none, which is kept as it is."""
        content = read_whole(self._files.folder, source, LOA_FILE_BYTES_MAX)
        if isinstance(content, Unread):
            self._unread.append(content)
            return None
        self._advance(len(content))
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self._reader.quarantine(Line(source, 1, content), f"byte {error.start} is not UTF-8")
            return None

    def _advance(self, count: int) -> None:
        self._done += count
        self._progress(min(self._done, self._files.bytes), self._files.bytes)


def _kind_of(source: str) -> str:
    name = source.rpartition("/")[2]
    if "handoff" in source:
        return "handoff"
    if "feedback" in name:
        return "feedback"
    return "report" if name.startswith("reviewer") else "paper"


def _header_of(text: str) -> dict[str, str]:
    """Return what the front matter of a handoff says of it."""
    found = _HEADER.match(text[:4096])
    return {} if found is None else {name: value[:200] for name, value in _FIELD.findall(found[1])}


def _issues(record: dict[str, Any]) -> tuple[list[Issue], int]:
    """Return the sprints of all cycles as issues, which become tasks, and how many cannot."""
    cycles = [*_rows(record, "cycles"), *_rows(record, "bugfix_cycles")]
    sprints = [(cycle, one) for cycle in cycles for one in _rows(cycle, "sprints")]
    if len(sprints) > LOA_SPRINTS_MAX:
        raise Odd(f"it has more than {LOA_SPRINTS_MAX:,} sprints")
    made = [_issue(cycle, sprint) for cycle, sprint in sprints]
    found = [issue for issue in made if issue is not None]
    return found, len(made) - len(found)


def _issue(cycle: dict[str, Any], sprint: dict[str, Any]) -> Issue | None:
    from holdfast.evidence.beads.shapes import issue_of

    number, local = sprint.get("global_id"), sprint.get("local_id", sprint.get("id"))
    name = f"{cycle.get('id')}-{local}" if number is None else f"sprint-{number}"
    status = str(sprint.get("status") or cycle.get("status") or "open").casefold()
    closed = status in _CLOSED
    label = sprint.get("label") or sprint.get("title") or name
    about = (f"{word}: {cycle[key]}" for word, key in _ABOUT if isinstance(cycle.get(key), str))
    if usable_name(name) is None:
        return None
    return issue_of(
        {
            "created_at": sprint.get("created_at")
            or sprint.get("created")
            or cycle.get("created_at"),
            "id": name,
            "title": str(label),
            "description": "\n".join(about),
            "status": "closed" if closed else _STATUSES.get(status, "open"),
            "issue_type": "sprint",
            "close_reason": f"{status} in Loa" if closed else None,
        }
    )


_ABOUT: Final = (("Cycle", "id"), ("Label", "label"), ("PRD", "prd"), ("SDD", "sdd"))


def _rows(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = value.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
