"""Projects whose code is searched: files on disk, an index beside them, and what was found."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from holdfast.index.code_index import CodeIndex
from holdfast.index.vectors import Model
from holdfast.recall.code_search import CodeFound, CodeQuery
from holdfast.wiring.code_files import CodeFiles
from holdfast.wiring.code_indexing import Brought, Indexing, Progress, no_progress
from holdfast.wiring.code_searching import search_project
from holdfast.wiring.places import Place
from holdfast.workers import ParseWorker

LATER_NS = 2**62
"""A clock by which every file was written long ago."""


class Code:
    """A project with files, and the index of its code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = Place(folder / ".holdfast" / "ledger.db")
        self.place.folder.mkdir(parents=True)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def git(self, *args: str) -> None:
        env = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
        subprocess.run(["git", *args], cwd=self.folder, env=env, check=True, capture_output=True)

    def files(self) -> CodeFiles:
        return CodeFiles(self.place)

    def index(self) -> CodeIndex:
        return CodeIndex(str(self.place.code))

    def catch_up(
        self,
        *,
        model: Model | None = None,
        now_ns: int = LATER_NS,
        progress: Progress = no_progress,
    ) -> Brought:
        with self.index() as index, ParseWorker() as worker:
            work = Indexing(self.files(), index, worker, model=model, now_ns=lambda: now_ns)
            return work.catch_up(progress=progress)

    def search(self, text: str, path: str | None = None, limit: int = 10) -> CodeFound:
        return search_project(self.place, CodeQuery(text, path, limit))

    def names(self, text: str) -> list[str]:
        return [hit.name for hit in self.search(text).hits]
