"""Searching the code of a project: files, index, parser and model joined."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import msgspec

from holdfast.index import vectors
from holdfast.index.code_index import CodeIndex
from holdfast.kernel.errors import Busy, CouldNotLook, NotALedger, StorageFailed
from holdfast.recall.code_search import CodeFound, CodeQuery, Files, grep_code, search_code
from holdfast.recall.similarity import Read
from holdfast.wiring.ck_searching import search_by_ck
from holdfast.wiring.code_files import BINARY, CodeFiles, Source
from holdfast.wiring.code_indexing import Indexing, Progress, no_progress
from holdfast.wiring.places import Place, discover, place_of, project_root
from holdfast.workers import ParseWorker


def search_project(
    place: Place,
    query: CodeQuery,
    *,
    progress: Progress = no_progress,
    by_ck: bool = False,
    folder: Path | None = None,
) -> CodeFound:
    """Bring the index of the project's code up to date, and search it.

    From a folder in a git worktree that uses this ledger, its own files are searched. With `by_ck`
    that program is asked instead, where it is installed and answers. Where the index cannot be
    used, the files themselves are searched; the answer says so.
    """
    tree = place if folder is None else _tree(place, folder)
    files = CodeFiles(tree)
    try:
        found = search_by_ck(files, reader_of(files), query) if by_ck else None
    except CouldNotLook as problem:
        found = _built_in(_index_of(place, tree), files, query, progress)
        return msgspec.structs.replace(found, why=f"{problem.what} {found.why or ''}".strip())
    return found or _built_in(_index_of(place, tree), files, query, progress)


def _tree(place: Place, folder: Path) -> Place:
    """Return where the ledger of the work tree that a folder is in would be, if it had its own."""
    try:
        ours = place.project is not None and discover(folder).database == place.database
    except NotALedger:
        ours = False
    return place_of(project_root(folder)) if ours else place


def _index_of(place: Place, tree: Place) -> Path:
    """Return the index of a work tree: each has one, and they lie beside the ledger."""
    if tree == place:
        return place.code
    name = sha256(os.fsencode(tree.folder)).hexdigest()[:16]
    return place.code.with_name(f"code-{name}.db")


def _built_in(code: Path, files: CodeFiles, query: CodeQuery, progress: Progress) -> CodeFound:
    model = vectors.load()
    try:
        with CodeIndex(str(code)) as index, ParseWorker() as worker:
            Indexing(files, index, worker, model=model).catch_up(progress=progress)
            return search_code(index, model, reader_of(files), query)
    except (Busy, StorageFailed) as problem:
        return _grep(files, query, problem.what)


def reader_of(files: CodeFiles) -> Read:
    """Return how the text of a file is read."""

    @lru_cache(maxsize=8)  # hits of one file often follow each other
    def read(path: str) -> tuple[bytes, str] | None:
        source = files.read(path)
        if not isinstance(source, Source) or source.text is None:
            return None
        return source.hash, source.text

    return read


def _grep(files: CodeFiles, query: CodeQuery, why: str) -> CodeFound:
    listed = files.list()
    unread, binary = dict(listed.unread), 0
    paths = []
    for path in listed.stamps:
        match files.read(path):
            case Source(text=None, problem=problem) if problem == BINARY:
                binary += 1
            case Source(text=None, problem=problem):
                unread[path] = str(problem)
            case Source():
                paths.append(path)
            case str(reason):
                unread[path] = reason
            case None:
                pass
    told = Files(len(paths), len(paths), binary, sorted(unread.items()))
    return grep_code(paths, reader_of(files), query, told, why)
