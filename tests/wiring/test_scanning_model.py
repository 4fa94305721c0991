"""Whatever happens to files, after a look the ledger's last word on each is what is on disk."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from holdfast.ledger.file_states import FileStates
from holdfast.wiring import scanning
from tests.wiring.scanned import scanned

NAMES = ("a", "b", "folder/a", "folder/b", "folder/deep/a", "other/a")
FOLDERS = ("folder", "folder/deep", "other")
CONTENTS = (b"", b"x", b"y", b"xy", b"\0\xff")

names = st.sampled_from(NAMES)
contents = st.sampled_from(CONTENTS)


class FilesAndLedger(RuleBasedStateMachine):
    """Files come, change and go; looks are taken, lost, repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.root = self.top / "project"
        self._opened = scanned(self.root)
        self.work = self._opened.__enter__()
        self.work.begin()
        self.is_current = True

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)
        shutil.rmtree(self.top)

    @rule(name=names, content=contents)
    def write(self, name: str, content: bytes) -> None:
        path = self.root / name
        if path.is_dir() or any(one.is_file() for one in path.parents):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.is_current = False

    @rule(name=names, content=contents)
    def write_by_tool(self, name: str, content: bytes) -> None:
        self.write(name, content)
        if (self.root / name).is_file():
            self.work.look({name: content}, command=None)

    @rule(name=names)
    def delete(self, name: str) -> None:
        if (self.root / name).is_file():
            (self.root / name).unlink()
            self.is_current = False

    @rule(name=st.sampled_from(FOLDERS))
    def delete_folder(self, name: str) -> None:
        shutil.rmtree(self.root / name, ignore_errors=True)
        self.is_current = False

    @rule(name=st.sampled_from(FOLDERS))
    def put_file_in_place_of_folder(self, name: str) -> None:
        if (self.root / name).is_dir() and "/" not in name:
            shutil.rmtree(self.root / name)
            (self.root / name).write_bytes(b"file")
            self.is_current = False

    @rule(name=st.sampled_from(FOLDERS))
    def take_that_file_away(self, name: str) -> None:
        if (self.root / name).is_file():
            (self.root / name).unlink()
            self.is_current = False

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        source, target = self.root / old, self.root / new
        if source.is_file() and target.parent.is_dir() and not target.is_dir():
            source.replace(target)
            self.is_current = False

    @rule()
    def look(self) -> None:
        self.work.look()
        self.is_current = True

    @rule()
    def begin(self) -> None:
        self.work.begin()
        self.is_current = True

    @rule()
    def look_in_vain(self) -> None:
        """What is found is never recorded: a crash."""
        scanning.changes_after(self.work.project, self.work.event())
        self.is_current = False

    @rule(left=st.integers(0, 3))
    def look_half_in_vain(self, left: int) -> None:
        drafts = scanning.changes_after(self.work.project, self.work.event())
        self.work.project.ledger.append_many(drafts[:left])
        self.is_current = False

    @rule()
    def lose_what_is_remembered(self) -> None:
        """Files that come before the next look would then pass for old ones."""
        self.work.look()
        (self.work.project.place.folder / "intake" / "seen-files").unlink(missing_ok=True)
        assert self.work.look() == []
        self.is_current = True

    @precondition(lambda self: self.is_current)
    @invariant()
    def the_ledger_knows_what_is_on_disk(self) -> None:
        ledger = self.work.project.ledger
        newest = max(ledger.head().size - 1, 0)
        for name in (*NAMES, *FOLDERS):
            path = self.root / name
            state = FileStates(ledger.reader, {name}).at(newest)
            if path.is_file():
                assert state.content == path.read_bytes(), name
            else:
                assert state.content is None, name

    @invariant()
    def changes_of_a_file_follow_on_each_other(self) -> None:
        """What a change began with is what the one before it ended with."""
        last: dict[str, Any] = {}
        for line in self.work.project.ledger.lines():
            data = msgspec.json.decode(line.body)["data"]
            if "action" in data:
                assert data["hash_before"] == last.get(data["path"]), data
                last[data["path"]] = data["hash_after"]


TestFilesAndLedger = FilesAndLedger.TestCase
TestFilesAndLedger.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
