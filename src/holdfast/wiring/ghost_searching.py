"""Looking for a ghost in a project's code: what was searched, how, and what could not be.

The built-in search is always asked, and `ck` too where it is installed: nothing is missing unless
each of them looked, at everything, and found nothing near. The name of the ghost is searched for as
well, by its words: who asks for something else still hears of what is called like it. Not by
meaning: names are short, and something is near to most of them.

Two questions are about one feature. So a section that is near one of them counts for less when its
whole file is far from the other; the name is held against nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from holdfast.config import Settings
from holdfast.evidence import ck
from holdfast.evidence.ghosts import QUERIES, Looked, borne_out
from holdfast.index import vectors
from holdfast.index.code_documents import lines_of
from holdfast.index.code_index import CodeIndex, Counts
from holdfast.index.vectors import Model
from holdfast.kernel.errors import Busy, CouldNotLook, StorageFailed
from holdfast.kernel.types import GhostQuery
from holdfast.recall.similarity import THRESHOLD, Near, Nearest, Read, nearest
from holdfast.recall.telling import is_called
from holdfast.wiring.code_files import BINARY, LINK, CodeFiles
from holdfast.wiring.code_ignored import LeftOut, ignored_code, is_named_as_code
from holdfast.wiring.code_indexing import Brought, Indexing, Progress
from holdfast.wiring.code_searching import reader_of
from holdfast.wiring.places import Place
from holdfast.workers import ParseWorker


class Searched(msgspec.Struct, frozen=True):
    """What looking for a ghost came to, and what is never searched."""

    looked: list[Looked]
    left_out: list[LeftOut]


class _Over(msgspec.Struct, frozen=True):
    """What the built-in search went over."""

    model: Model | None
    files: int
    unread: list[tuple[str, str]]
    state: str


def look(
    place: Place, settings: Settings, name: str, queries: Sequence[str], *, progress: Progress
) -> Searched:
    """Search the project's code for each of some questions, and for the name of the ghost."""
    files = CodeFiles(place)
    found = _built_in(place, files, (name, queries), progress)
    program = ck.installed(files.folder) if settings.search.ck == "auto" else None
    if program is None:
        return found
    by_ck = [_by_ck(program, files.folder, query) for query in queries]
    return Searched(found.looked + by_ck, found.left_out)


def nearest_to_all(
    index: CodeIndex, model: Model | None, read: Read, queries: Sequence[str]
) -> list[Nearest]:
    """Return what is nearest to each question; of two, each bears out what the other finds.

    Not by words alone: without a model nothing is confirmed, and what is found stays found.
    """
    found = [nearest(index, model, read, query) for query in queries]
    if len(found) != QUERIES or model is None:
        return found

    def within(path: str, query: str) -> Nearest:
        near = nearest(index, model, read, query, within=path)
        # a part of the path is enough for the index
        return Nearest([one for one in near.near if one.section.path == path], near.lost)

    return [
        _borne_out(one, partial(within, query=other))
        for one, other in zip(found, reversed(queries), strict=True)
    ]


def _borne_out(found: Nearest, ask: Callable[[str], Nearest]) -> Nearest:
    """Hold each file with a hit against the other question."""
    hits = found.near[: found.hits]
    asked = {path: ask(path) for path in dict.fromkeys(one.section.path for one in hits)}
    held = [_held(one, asked[one.section.path]) for one in hits]
    near = sorted(
        [*held, *found.near[found.hits :]], key=lambda one: (-one.similarity, one.section.id)
    )
    lost = {path for one in asked.values() for path in one.lost}
    return Nearest(near, sorted({*found.lost, *lost}))


def _held(hit: Near, in_file: Nearest) -> Near:
    """Return a hit with how near it is to both; as it was where nobody could look at its file."""
    other = max((one.similarity for one in in_file.near), default=1.0)
    return msgspec.structs.replace(hit, similarity=borne_out(hit.similarity, other))


def _built_in(
    place: Place, files: CodeFiles, sought: tuple[str, Sequence[str]], progress: Progress
) -> Searched:
    model = vectors.load()
    name, queries = sought
    try:
        with CodeIndex(str(place.code)) as index, ParseWorker() as worker:
            brought = Indexing(files, index, worker, model=model).catch_up(progress=progress)
            read, counts = reader_of(files), index.counts()
            found = nearest_to_all(index, model, read, queries)
            by_name = nearest(index, None, read, name)
    except (Busy, StorageFailed) as problem:
        return Searched([_failed(query, "none", problem.what) for query in queries], [])
    ignored = ignored_code(files.folder, brought.by)
    unread = _unread(files.folder, counts) + ignored.unread
    over = _Over(model, counts.files, unread, _state(counts, brought))
    looked = [_looked(query, one, over) for query, one in zip(queries, found, strict=True)]
    over = msgspec.structs.replace(over, model=None)
    return Searched([*looked, _looked_by_name(name, by_name, over, read)], ignored.left_out)


def _unread(folder: Path, counts: Counts) -> list[tuple[str, str]]:
    """Return what was not searched and may hold something that is in none of the other files."""
    return [
        (path, why)
        for path, why in counts.unread
        if not (why == BINARY and not is_named_as_code(path.rpartition("/")[2]))
        and not (why == LINK and _stays_within(folder, path))
    ]


def _stays_within(folder: Path, path: str) -> bool:
    """Tell whether a link leads nowhere, or to what is searched under its own name."""
    leads_to = Path(os.path.realpath(folder / path))
    return not leads_to.exists() or leads_to.is_relative_to(os.path.realpath(folder))


def _looked(query: str, found: Nearest, over: _Over) -> Looked:
    unread = [*over.unread, *((path, "changed while it was searched") for path in found.lost)]
    top = found.near[0] if found.near else None
    record = GhostQuery(
        query=query,
        level="bm25" if over.model is None else "hybrid",
        files=over.files - len(found.lost),
        unread=len(unread),
        hits=found.hits,
        best=0.0 if top is None else round(top.similarity, 4),
        model=None if over.model is None else over.model.name,
        index=over.state,
        nearest=None if top is None else _place(top),
    )
    return Looked(record, _what_is_missing(over.files, unread), over.model is not None)


def _looked_by_name(name: str, found: Nearest, over: _Over, read: Read) -> Looked:
    """Return what has the words of the name: near by rare ones, or all of them, common or not."""
    looked = _looked(name, found, over)
    called = [one for one in found.near if is_called(one.section, _lines(one, read), name)]
    record = looked.record
    if called and not found.hits:
        record = msgspec.structs.replace(record, hits=len(called), nearest=_place(called[0]))
    return msgspec.structs.replace(
        looked, record=record, by_name=True, is_called=record is not looked.record
    )


def _lines(near: Near, read: Read) -> list[str]:
    source = read(near.section.path)
    lines = [] if source is None else lines_of(source[1])
    return lines[near.section.first_line - 1 : near.section.last_line]


def _what_is_missing(files: int, unread: Sequence[tuple[str, str]]) -> str | None:
    if not files and not unread:
        return "There is no file that could be searched."
    if not unread:
        return None
    path, why = unread[0]
    more = f" and {len(unread) - 1:,} more" if len(unread) > 1 else ""
    return f"Not searched: {path} ({why}){more}."


def _by_ck(program: str, folder: Path, query: str) -> Looked:
    try:
        answer = ck.search(program, folder, query, THRESHOLD)
    except CouldNotLook as problem:
        return _failed(query, "ck", f"{problem.what} {problem.remedy}")
    record = GhostQuery(
        query=query,
        level="ck",
        files=answer.files,
        unread=0,
        hits=len(answer.hits),
        best=round(answer.best, 4),
        model=answer.model,
        index="kept by ck",
        nearest=answer.nearest,
    )
    return Looked(record)


def _failed(query: str, level: str, why: str) -> Looked:
    return Looked(GhostQuery(query=query, level=level, files=0, unread=0, hits=0, index=why), why)


def _state(counts: Counts, brought: Brought) -> str:
    by = "git" if brought.by == "git" else "the folders"
    return f"up to date; files named by {by}; {counts.plain:,} searched by lines"


def _place(near: Near) -> str:
    section = near.section
    called = f" {section.name}" if section.name else ""
    return f"{section.path}:{section.first_line}-{section.last_line}{called}"
