"""Bringing the index of a project's code up to date: what changed is read, parsed and taken in.

Files are taken in by and by, some in one transaction; an interruption loses at most those. A file
whose size, times and place are as they were is not read again, one that holds the same bytes is not
parsed again. Code is parsed by a process that can be killed; a file that it could not parse is
searched by its lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec

from holdfast.code import CouldNotLook, PatternMap, Symbol, language_of
from holdfast.evidence.project_files import ProjectFiles
from holdfast.index.code_documents import split
from holdfast.index.code_index import CodeIndex, File, Taken
from holdfast.index.vectors import Model, words_of_section
from holdfast.kernel.limits import (
    SOURCE_BATCH_BYTES,
    SOURCE_BATCH_FILES,
    SOURCE_FILES_DELTA,
    SOURCE_SETTLED_NS,
)
from holdfast.wiring.code_files import CodeFiles, Listed, Source
from holdfast.wiring.retrieving import users_patterns
from holdfast.workers import ParseWorker

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many files are done, of how many that may have changed."""


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


class Brought(msgspec.Struct, frozen=True):
    """What bringing the index up to date took."""

    read: int
    """Files that were read, as they may have changed."""
    taken: int
    """Files that had."""
    gone: int
    by: Literal["git", "folders"]
    """Who said which files there are."""


class Indexing:
    """Brings one index up to date with one project."""

    def __init__(
        self,
        files: CodeFiles,
        index: CodeIndex,
        worker: ParseWorker,
        *,
        model: Model | None = None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._files = files
        self._index = index
        self._worker = worker
        self._model = model
        self._now_ns = now_ns
        self._patterns = _Patterns()

    def catch_up(self, *, progress: Progress = no_progress) -> Brought:
        """Take in what changed since the last time, and forget what is gone."""
        self._patterns = _patterns_of(self._files)
        listed = self._files.list()
        known = self._index.known()
        gone = [path for path in known if path not in listed.stamps and path not in listed.unread]
        changed = self._changed(listed, known)
        batch = _Batch(self._index)
        batch.gone = gone
        for path, problem in listed.unread.items():
            if known.get(path) != (refused := File(path, problem=problem)):
                batch.taken.append(Taken(refused))
        taken = 0
        for done, path in enumerate(changed):
            progress(done, len(changed))
            taken += self._look(path, known.get(path), batch)
            batch.write_if_full()
        batch.write()
        progress(len(changed), len(changed))
        if taken >= SOURCE_FILES_DELTA:
            self._index.put_in_order()
        return Brought(len(changed), taken, len(gone), listed.by)

    def _changed(self, listed: Listed, known: dict[str, File]) -> list[str]:
        return [
            path
            for path, stamp in listed.stamps.items()
            if (file := known.get(path)) is None
            or file.stamp != stamp
            or (file.problem is None and not self._is_made_alike(file))
        ]

    @property
    def _model_name(self) -> str | None:
        return None if self._model is None else self._model.name

    def _look(self, path: str, known: File | None, batch: _Batch) -> bool:
        """Read one file, and put what is new of it into the batch."""
        source = self._files.read(path)
        if source is None:
            batch.gone.append(path)
            return known is not None
        if isinstance(source, str):
            file = File(path, problem=source)
            batch.taken.append(Taken(file))
            return file != known
        stamp = source.stamp if self._is_settled(source) else None
        if known is not None and self._is_same(known, source):
            batch.same.append(msgspec.structs.replace(known, stamp=stamp))
            return False
        batch.add(self._take(path, source, stamp), 0 if source.text is None else len(source.text))
        return True

    def _is_settled(self, source: Source) -> bool:
        """Tell whether a later change would show in the file's times."""
        return source.newest_ns < self._now_ns() - SOURCE_SETTLED_NS

    def _is_same(self, known: File, source: Source) -> bool:
        return known.hash == source.hash and (source.text is None or self._is_made_alike(known))

    def _is_made_alike(self, known: File) -> bool:
        """Tell whether the same text would be taken in as it was."""
        return (known.model, known.patterns) == (self._model_name, self._patterns.digest)

    def _take(self, path: str, source: Source, stamp: str | None) -> Taken:
        if source.text is None:
            return Taken(File(path, stamp, source.hash, source.problem))
        symbols, plain = self._symbols(path, source.text)
        documents = split(source.text, symbols)
        made = (self._model_name, self._patterns.digest)
        file = File(path, stamp, source.hash, None, plain, *made)
        if self._model is None:
            return Taken(file, documents)
        words = [words_of_section(one.name, path, one.text) for one in documents]
        return Taken(file, documents, self._model.pack(words))

    def _symbols(self, path: str, text: str) -> tuple[Sequence[Symbol], str | None]:
        """Return the definitions of a text; or none, and why they are not known."""
        known = self._patterns.map
        language = language_of(path, text) or (None if known is None else known.language_of(path))
        if language is None:
            return (), None  # no language is known in which it could define something
        try:
            return self._worker.read_symbols(text, language, known=known).symbols, None
        except CouldNotLook as reason:
            return (), reason.what


class _Patterns(msgspec.Struct, frozen=True):
    """The user's patterns, and what tells them from others."""

    map: PatternMap | None = None
    digest: str | None = None


def _patterns_of(files: CodeFiles) -> _Patterns:
    """Read the map that a project adds; a file is taken in again when it has changed."""
    known = users_patterns(ProjectFiles(files.folder, files.folder))
    if known is None:
        return _Patterns()
    return _Patterns(known, sha256(msgspec.json.encode(known)).hexdigest())


class _Batch:
    """What is taken in at once."""

    def __init__(self, index: CodeIndex) -> None:
        self._index = index
        self._chars = 0
        self.taken: list[Taken] = []
        self.same: list[File] = []
        self.gone: list[str] = []

    def add(self, taken: Taken, chars: int) -> None:
        self.taken.append(taken)
        self._chars += chars

    def write_if_full(self) -> None:
        if len(self.taken) >= SOURCE_BATCH_FILES or self._chars >= SOURCE_BATCH_BYTES:
            self.write()

    def write(self) -> None:
        if self.taken or self.gone:
            self._index.take(self.taken, self.gone)
        if self.same:
            self._index.restamp(self.same)
        self.taken, self.same, self.gone, self._chars = [], [], [], 0
