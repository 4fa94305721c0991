"""The levels of a resume: how much is told to whoever comes back.

    1   the capsule, at most 100 tokens; where nothing was recorded, what the notes say
    2   decisions in full that a question finds, at most 500 tokens
    3   everything that holds, when somebody asked for all of it

Files that quotes stand in are looked for and never read; no other program is started.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.tokens import COUNTER
from holdfast.ledger import published

if TYPE_CHECKING:
    from holdfast.views.capsule import Known
    from holdfast.views.notes import Document
    from holdfast.wiring.project import Project


class Leveled(msgspec.Struct, frozen=True):
    """What a level of a resume says."""

    level: int
    text: str
    tokens: int
    counter: str
    as_of_seq: int
    """The last entry that was taken into account, -1 for an empty ledger."""


def resume_level(
    project: Project,
    level: int,
    *,
    query: str | None = None,
    session_id: str | None = None,
    root: Path | None = None,
    yes_all: bool = False,
) -> Leveled:
    """Say where the work stands, at a level. `root` is where the project's files are."""
    root = root or project.place.project
    _check(level, query, yes_all=yes_all)
    if level == 1:
        return level_one(project, session_id=session_id, root=root)
    from holdfast.wiring.recalling import everything, recalled

    if level == 2:
        return recalled(project, query, root=root)
    return everything(project, root=root)


def level_one(
    project: Project, *, session_id: str | None = None, root: Path | None = None
) -> Leveled:
    """Return the capsule: from the view on disk where it is current, else from the ledger."""
    root = root or project.place.project
    session_id = session_id or project.ledger.session_id
    kept = _kept(project, session_id)
    if kept is not None and not missing(root, kept["identifiers"]):
        as_of_seq = project.ledger.head().size - 1
        return Leveled(1, kept["text"], kept["tokens"], kept["counter"], as_of_seq)
    from holdfast.ledger.documents import Gathering
    from holdfast.ledger.recovery import known
    from holdfast.views.capsule import NOTHING, Known, capsule

    project.views.fold_up(project.ledger.reader)
    gathering = Gathering(project.ledger.reader, project.views)
    as_of_seq = gathering.marks.as_of_seq
    facts = Known(note=NOTHING) if as_of_seq < 0 else known(gathering, session_id)
    facts = _from_notes(project, facts) if facts.is_bare else facts
    gone = missing(root, [ruling.path for ruling in facts.rulings if ruling.path])
    made = capsule(facts, missing=gone)
    return Leveled(1, made.text, made.tokens, COUNTER, as_of_seq)


def _from_notes(project: Project, facts: Known) -> Known:
    """Let the notes speak where the ledger has nothing to tell: people may have written them."""
    from holdfast.evidence.notes_file import NotesFile
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.views import notes

    root, path = project.place.project, project.settings.notes.path
    if root is None:
        return facts
    try:
        found = NotesFile(ProjectFiles(root, root), path).read()
    except HoldfastError as problem:
        told = f"{facts.note} {problem.what} {problem.remedy}"
        return msgspec.structs.replace(facts, note=told)
    said = None if found is None else notes.read(_of_others(project, found.document))
    if said is None or not (said.bead or said.reasoning or said.decisions):
        return facts
    newest = sorted(said.decisions, key=lambda one: (one.timestamp or "", one.line), reverse=True)
    return msgspec.structs.replace(
        facts,
        note=f"Not recorded, from {path}:",
        task=said.bead or "",
        next_step=said.reasoning or "",
        noted=tuple((f"{path}:{one.line}", one.title or one.decision) for one in newest),
    )


def _of_others(project: Project, document: Document) -> Document:
    """Leave out what this ledger had written into the notes: all of that is recorded.

    Headings stay, so that what a person wrote below them is found; so does every line's number.
    """
    from holdfast.storage.port import Selection
    from holdfast.views import notes

    wrote = any(
        True
        for kind in ("handoff_made", "delta_synced", "decision")
        for _ in project.ledger.reader.read(Selection(type=kind, newest_first=True))
    )
    if not wrote:
        return document
    headings = {heading.first for heading in document.headings}
    ours = {at for block in notes.blocks_of(document) for at in block.ours} - headings
    lines = [("" if at in ours else line.text) + line.end for at, line in enumerate(document.lines)]
    return notes.parse("".join(lines))


def missing(root: Path | None, paths: Sequence[str]) -> frozenset[str]:
    """Return the paths behind which there is nothing; without a root nothing can be said."""
    if root is None:
        return frozenset()
    return frozenset(path for path in paths if not os.path.lexists(f"{root}/{path}"))


def _kept(project: Project, session_id: str | None) -> dict[str, Any] | None:
    """Return the capsule of the view on disk, brought up to date; None where it cannot answer."""
    path = project.place.state / published.CURRENT_STATE
    try:
        document = published.current(path, project.ledger.head())
        if document is None:
            project.publish()
            document = published.current(path, project.ledger.head())
    except (HoldfastError, OSError):
        return None  # it cannot be written here: the ledger says the same
    match document:
        case {
            "capsule": {
                "text": str(text),
                "identifiers": list(),
                "several_tasks": bool(several),
                "bare": False,
            } as capsule
        } if text and not (several and session_id):
            return dict(capsule)
        case _:
            return None


def _check(level: int, query: str | None, *, yes_all: bool) -> None:
    """Refuse what would cost more than was meant, or cannot be used."""
    if level not in (1, 2, 3):
        raise _refused(f"There is no level {level}.", "Levels are 1, 2 and 3.")
    if query is not None and level != 2:
        raise _refused("A query is for level 2.", "Ask with --level 2 --query WORDS.")
    if level == 3 and not yes_all:
        raise _refused(
            "Level 3 tells everything that holds, which fills a context.",
            "Ask for what you need with --level 2 --query WORDS; "
            "if it has to be all of it, add --yes-all.",
        )


def _refused(what: str, remedy: str) -> InvalidInput:
    return InvalidInput(what, meaning="Nothing was read.", remedy=remedy)
