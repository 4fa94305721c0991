"""Step 1 of the gate, for the notes: what a person cites in them is held against the files.

The same rules as for decisions. What holdfast wrote into the notes is not looked at here: it
repeats decisions, which are looked at themselves. A quote that moved is told, and in nobody's way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Never

from holdfast.evidence import citations
from holdfast.kernel.errors import CouldNotLook, InvalidInput
from holdfast.kernel.limits import GATE_MOVED_NAMED
from holdfast.kernel.types import Block
from holdfast.stores.wording import bounded
from holdfast.wiring.gate_checks import FAULTS, SAID_CHARS, named

if TYPE_CHECKING:
    from holdfast.evidence.checking import Checked
    from holdfast.evidence.notes_citations import Placed
    from holdfast.evidence.notes_file import Found
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.wiring.project import Project

_FAULTS: Final = FAULTS | {
    citations.NO_LINE: "has a citation that names no line",
    citations.BAD_LINES: "has a citation of lines that cannot be",
    citations.NOT_TEXT: "has a citation with half a character in it",
}

_EXAMPLE: Final = "In a code block or a comment it counts as an example."


def cited(project: Project) -> tuple[list[Block], list[str]]:
    """Return which citations in the notes are in the way, and which quotes only moved."""
    from holdfast.evidence.notes_citations import cited_in
    from holdfast.evidence.project_files import ProjectFiles

    root, settings = project.place.project, project.settings.notes
    if root is None or not settings.write:
        return [], []
    files = ProjectFiles(root, root)
    found = _read(files, settings.path)
    placed = [] if found is None else cited_in(found.document)
    meant = [one for one in placed if _is_meant(files, settings.path, one)]
    return _checked(project, files, meant) if meant else ([], [])


def _read(files: ProjectFiles, path: str) -> Found | None:
    """Return the notes; None where there are none, or step 3 says that they cannot be read."""
    from holdfast.evidence.notes_file import NotesFile

    try:
        return NotesFile(files, path).read()
    except (CouldNotLook, InvalidInput):
        return None


def _checked(
    project: Project, files: ProjectFiles, placed: Sequence[Placed]
) -> tuple[list[Block], list[str]]:
    from holdfast.evidence.checking import Checker
    from holdfast.wiring.deciding import own_of

    path = project.settings.notes.path
    looking = Checker(files, project.ledger.redact, _no_symbols, own_of(project, files))
    found = looking.check([one.cited for one in placed])
    where = [f"{path}:{one.line}" for one in placed]
    checked = list(zip(where, found, strict=True))
    wrong = (_block(at, one) for at, one in checked if one.state not in _STANDS)
    moved = [f"{at}: {one.remedy}" for at, one in checked if one.state == "moved"]
    return list(named(wrong, 1, f"citations in {path}")), list(_told(path, moved))


_STANDS: Final = frozenset({"exact", "moved"})


def _is_meant(files: ProjectFiles, notes: str, one: Placed) -> bool:
    """Tell whether brackets are a citation, and no host with a port, no mention of a folder."""
    from holdfast.wiring.code_ignored import is_named_as_code

    cited = one.cited
    if not cited.quote.strip() and (cited.line == 0 or cited.path in (notes, f"./{notes}")):
        return False  # neither a quote nor a line: a mention; or a place in these very notes
    if cited.fault != citations.RELATIVE_PATH or "/" in cited.path:
        return True
    return is_named_as_code(cited.path) or _is_there(files, cited.path)


def _is_there(files: ProjectFiles, path: str) -> bool:
    try:
        return files.has(path)
    except (OSError, ValueError):
        return False  # no name that a file can have


def _no_symbols(_text: str, _language: str) -> Never:
    """Parse nothing: the gate needs the line that a quote moved to, not the definition."""
    raise CouldNotLook("Definitions are not looked at here.")


def _block(where: str, one: Checked) -> Block:
    remedy = one.remedy
    if one.state == "changed":
        how = f" ({one.how})" if one.how else ""
        reason = f"{where} has a quote that no longer stands at {_place(one)}{how}"
        remedy = f"Quote what stands there now, or take the citation out. {_EXAMPLE}"
    elif one.state == "gone":
        reason = f"{where} has a quote of what is gone from {_place(one)}"
        remedy = f"{remedy} Or take the citation out. {_EXAMPLE}"
    elif one.state == "unreadable":
        reason = f"{where} has a quote that could not be held against its file: {one.how}"
    else:
        wrong = _FAULTS.get(one.fault or "", f"has a citation that is refused ({one.fault})")
        reason = f"{where} {wrong}: [{bounded(one.cited.path, SAID_CHARS)}:{_lines(one)}]"
    return Block(step=1, reason=f"{reason.rstrip('.')}.", remedy=remedy or _EXAMPLE, ref=where)


def _place(one: Checked) -> str:
    quote = bounded(one.cited.quote, SAID_CHARS)
    return f"{bounded(one.cited.path, SAID_CHARS)}:{_lines(one)}: {quote!r}"


def _lines(one: Checked) -> str:
    cited = one.cited
    return f"{cited.line}" if cited.last is None else f"{cited.line}-{cited.last}"


def _told(path: str, moved: Sequence[str]) -> Iterator[str]:
    yield from moved[:GATE_MOVED_NAMED]
    if len(moved) > GATE_MOVED_NAMED:
        more = len(moved) - GATE_MOVED_NAMED
        yield f"{path}: {more:,} more quotes stand at other lines now."
