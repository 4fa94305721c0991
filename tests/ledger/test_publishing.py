"""The views on disk as the publisher writes them: cheap, whole, and never believed too long."""

from __future__ import annotations

import errno
import fcntl
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.index.views import Views
from holdfast.kernel.errors import Busy, Damaged, StorageFailed
from holdfast.ledger import published, state_log
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.publishing import LOCK, Publisher
from holdfast.storage.files import RealFiles
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import EVERYTHING, Selection, Stored
from holdfast.testing import LEDGER, data_for, open_memory_ledger
from holdfast.testing.builders import draft
from holdfast.testing.conformance import ArchivedEntries

JSON_FILES = [published.CURRENT_STATE, published.SESSION_MEMORY, published.RESTORE_INDEX]
FILES = [state_log.NAME, *JSON_FILES]


class CountingEngine(MemoryEngine):
    """Counts the entries that somebody reads."""

    def __init__(self) -> None:
        super().__init__(LEDGER)
        self.entries_read = 0
        self.archives_read = 0

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        for stored in super().read(selection):
            self.entries_read += 1
            yield stored

    def archives(self) -> Any:
        self.archives_read += 1
        return super().archives()


class Desk:
    """A ledger, its kept folds, and a publisher."""

    def __init__(self, folder: Path, engine: MemoryEngine | None = None) -> None:
        self.engine = engine or MemoryEngine(LEDGER)
        self.ledger: Ledger = open_memory_ledger(self.engine)
        self.views = Views(":memory:")
        self.folder = folder
        self.publisher = Publisher(folder)

    def append(self, kind: str = "decision", n: int = 0, session_id: str | None = "s1") -> None:
        self.ledger.append(kind, data_for(kind, n), session_id=session_id)

    def publish(self) -> Any:
        self.views.catch_up(self.ledger.reader)
        return self.publisher.publish(self.ledger, self.views)

    def document(self, name: str) -> Any:
        return json.loads((self.folder / name).read_bytes())

    def bodies(self) -> list[bytes]:
        return [stored.body for stored in self.ledger.lines()]

    def log(self) -> list[bytes]:
        return (self.folder / state_log.NAME).read_bytes().split(b"\n")[:-1]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "state")
    yield desk
    desk.views.close()


def test_the_files_are_there_and_say_as_of_when(desk: Desk) -> None:
    for n in range(3):
        desk.append(n=n)
    assert desk.publish().as_of_seq == 2
    assert desk.log() == desk.bodies()
    leaf = list(desk.ledger.lines())[-1].leaf.hex()
    for name in JSON_FILES:
        document = desk.document(name)
        marks = (document["as_of_seq"], document["ledger"], document["head"])
        assert marks == (2, LEDGER, leaf)


def test_an_empty_ledger_has_views_too(desk: Desk) -> None:
    desk.publish()
    assert desk.log() == []
    assert [desk.document(name)["as_of_seq"] for name in JSON_FILES] == [-1, -1, -1]
    assert desk.document(published.CURRENT_STATE)["resume"] == {"text": "", "tokens": 0}


def test_only_the_owner_can_read_them(desk: Desk) -> None:
    desk.append()
    desk.publish()
    for path in [desk.folder, *desk.folder.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_the_resume_lies_ready(desk: Desk) -> None:
    desk.append("checkpoint", 3)
    desk.append("decision", 1)
    desk.publish()
    resume = desk.document(published.CURRENT_STATE)["resume"]
    assert resume["text"].startswith("3 done")
    assert "Way 1" in resume["text"]
    assert resume["tokens"] > 0


def test_without_a_checkpoint_the_resume_says_so(desk: Desk) -> None:
    desk.append("decision", 1)
    desk.publish()
    assert desk.document(published.CURRENT_STATE)["resume"]["text"].startswith("No checkpoint yet.")


# The state log


def test_the_log_is_appended_to_in_place(desk: Desk) -> None:
    desk.append()
    desk.publish()
    before = (desk.folder / state_log.NAME).stat().st_ino
    desk.append(n=1)
    desk.publish()
    assert (desk.folder / state_log.NAME).stat().st_ino == before
    assert desk.log() == desk.bodies()


@pytest.mark.parametrize(
    "harm",
    [
        lambda log: log.unlink(),
        lambda log: log.write_bytes(b""),
        lambda log: log.write_bytes(log.read_bytes()[:-10]),
        lambda log: log.write_bytes(log.read_bytes() + b'{"torn'),
        lambda log: log.write_bytes(log.read_bytes() + b"\0" * 100),
        lambda log: log.write_bytes(log.read_bytes().replace(b"Way 0", b"Way 9")),
        lambda log: (log.parent / LOCK).write_bytes(b'{"ledger":'),
        lambda log: (log.parent / LOCK).unlink(),
    ],
)
def test_a_log_that_was_touched_is_made_anew(desk: Desk, harm: Any) -> None:
    for n in range(3):
        desk.append(n=n)
    desk.publish()
    harm(desk.folder / state_log.NAME)
    desk.append(n=3)
    desk.publish()
    assert desk.log() == desk.bodies()
    assert list(desk.folder.glob("*.kept.jsonl")) == []


def test_a_log_of_another_ledger_is_kept_beside(desk: Desk, tmp_path: Path) -> None:
    other = Desk(desk.folder, MemoryEngine("f" * 32))
    other.append(n=7)
    other.publish()
    lost = other.log()
    desk.append()
    desk.publish()
    assert desk.log() == desk.bodies()
    [kept] = desk.folder.glob("*.kept.jsonl")
    assert kept.read_bytes().splitlines() == lost
    assert desk.publisher.set_aside == kept.name
    other.views.close()


def test_a_log_that_knows_more_than_the_ledger_is_kept_beside(desk: Desk) -> None:
    for n in range(4):
        desk.append(n=n)
    desk.publish()
    longer = desk.log()
    restored = Desk(desk.folder)  # the same ledger, put back from an older copy
    restored.append(n=0)
    restored.publish()
    [kept] = desk.folder.glob("*.kept.jsonl")
    assert kept.read_bytes().splitlines() == longer
    assert restored.log() == restored.bodies()
    restored.views.close()


def test_a_second_log_kept_aside_does_not_replace_the_first(desk: Desk) -> None:
    for _ in range(2):
        other = Desk(desk.folder, MemoryEngine("f" * 32))
        other.append()
        other.publish()
        desk.append()
        desk.publish()
        other.views.close()
    assert len(list(desk.folder.glob("*.kept.jsonl"))) >= 2


def test_a_damaged_entry_does_not_replace_its_good_copy(tmp_path: Path) -> None:
    class Rotten(MemoryEngine):
        rotten = False

        def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
            for stored in super().read(selection):
                bad = self.rotten and stored.seq == 1
                body = stored.body.replace(b"Way 1", b"Way 8") if bad else stored.body
                yield Stored(stored.seq, body, stored.leaf)

    engine = Rotten(LEDGER)
    desk = Desk(tmp_path / "state", engine)
    for n in range(3):
        desk.append(n=n)
    desk.publish()
    good = desk.log()
    engine.rotten = True
    (desk.folder / LOCK).unlink()  # so that it has to be made anew
    with pytest.raises(Damaged, match="Entry 1"):
        desk.publish()
    assert desk.log() == good
    assert list(desk.folder.glob("*.new")) == []
    desk.views.close()


@pytest.mark.parametrize(
    ("kind", "synced"),
    [("metric", 0), ("decision", 0), ("checkpoint", 1), ("session_ended", 1)],
)
def test_the_log_is_forced_to_the_disk_where_it_matters(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str, synced: int
) -> None:
    desk.append()
    desk.publish()
    calls: list[int] = []
    monkeypatch.setattr(state_log, "sync", calls.append)
    desk.append(kind, 1)
    desk.publish()
    assert len(calls) == synced
    assert desk.log() == desk.bodies()


def test_a_publisher_that_was_killed_leaves_nothing_for_ever(desk: Desk) -> None:
    desk.append()
    desk.publish()
    for name in FILES:
        (desk.folder / f"{name}.12ab34cd.new").write_bytes(b"half")
    (desk.folder / "archives/archive_1.new").write_bytes(b"a sealer's")
    desk.publish()
    assert [path.name for path in desk.folder.rglob("*.new")] == ["archive_1.new"]


def test_a_disk_that_refuses_leaves_the_old_files(desk: Desk) -> None:
    class Full(RealFiles):
        def rename(self, old: str, new: str) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", new)

    desk.append()
    desk.publish()
    before = {name: (desk.folder / name).read_bytes() for name in JSON_FILES}
    desk.append(n=1)
    desk.views.catch_up(desk.ledger.reader)
    with pytest.raises(StorageFailed, match="No space left"):
        Publisher(desk.folder, Full()).publish(desk.ledger, desk.views)
    assert {name: (desk.folder / name).read_bytes() for name in JSON_FILES} == before
    desk.publish()
    assert desk.log() == desk.bodies()
    assert desk.document(published.CURRENT_STATE)["as_of_seq"] == 1


# Documents


@pytest.mark.lesson("P11")
@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:40]),
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_bytes(b"[1]"),
        lambda path: path.write_bytes(
            path.read_bytes().replace(b'"as_of_seq": 0', b'"as_of_seq": 9')
        ),
        lambda path: path.write_bytes(path.read_bytes().replace(LEDGER.encode(), b"f" * 32)),
    ],
)
def test_a_document_that_was_touched_is_written_anew(desk: Desk, name: str, harm: Any) -> None:
    desk.append()
    desk.publish()
    before = (desk.folder / name).read_bytes()
    harm(desk.folder / name)
    desk.publish()
    assert (desk.folder / name).read_bytes() == before


def test_nothing_is_written_when_nothing_is_new(desk: Desk) -> None:
    desk.append()
    desk.publish()
    before = {path: path.stat().st_ino for path in desk.folder.rglob("*")}
    assert desk.publish().files == ()
    assert {path: path.stat().st_ino for path in desk.folder.rglob("*")} == before


def test_a_document_is_only_current_at_its_head(desk: Desk) -> None:
    desk.append()
    desk.publish()
    path = desk.folder / published.CURRENT_STATE
    assert published.current(path, desk.ledger.head()) is not None
    desk.append(n=1)
    assert published.current(path, desk.ledger.head()) is None


def test_views_of_a_copy_that_went_another_way_are_replaced(desk: Desk) -> None:
    desk.append(n=1)
    desk.publish()
    other = Desk(desk.folder)  # the same name and length, another entry
    other.append(n=2)
    other.publish()
    for name in JSON_FILES:
        assert desk.document(name)["head"] == other.ledger.head().leaf.hex()
    assert "Way 2" in desk.document(published.CURRENT_STATE)["resume"]["text"]
    other.views.close()


def test_views_that_cannot_follow_do_not_replace_newer_ones(desk: Desk) -> None:
    class Behind(Views):
        @property
        def folded(self) -> int:
            return 1

    desk.append()
    desk.append(n=1)
    desk.publish()
    before = (desk.folder / published.CURRENT_STATE).read_bytes()
    stuck = Behind(":memory:")
    stuck.catch_up(desk.ledger.reader)
    desk.publisher.publish(desk.ledger, stuck)
    stuck.close()
    assert (desk.folder / published.CURRENT_STATE).read_bytes() == before


def test_open_sessions_are_followed_without_looking_at_all(desk: Desk) -> None:
    for name in ("a", "b", "c"):
        desk.append("session_started", session_id=name)
        desk.publish()
    desk.append("session_ended", session_id="c")
    desk.publish()
    desk.append(session_id="a")
    desk.publish()
    state = desk.document(published.CURRENT_STATE)
    (desk.folder / published.CURRENT_STATE).unlink()
    desk.publish()
    assert state["sessions"] == {"current": "a", "open": ["a", "b"], "more_open": 0}
    assert desk.document(published.CURRENT_STATE) == state


def test_odd_text_does_not_keep_a_view_from_being_written(desk: Desk) -> None:
    desk.ledger.append("checkpoint", data_for("checkpoint", quick_resume="odd \ud800 text"))
    desk.ledger.append("decision", data_for("decision", choice="x" * 100_000, huge=2**80))
    desk.publish()
    assert "odd" in desk.document(published.CURRENT_STATE)["resume"]["text"]


# Cost


@pytest.mark.lesson("P7")
def test_a_long_log_is_not_written_anew_for_every_archive(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archived entries leave it when they are half of it, and of a short one at once."""
    monkeypatch.setattr(state_log, "STATE_LOG_LINES_LARGE", 20)
    for n in range(30):
        desk.append(n=n)
    desk.publish()
    archived = ArchivedEntries()
    desk.engine._archive_source = archived
    lengths = []
    for first in range(0, 30, 5):
        listed = archived.keep(list(desk.ledger.lines())[first : first + 5])
        desk.ledger._drop(listed, draft("compression", first, session_id=None))
        desk.publish()
        lengths.append(len(desk.log()))
        assert desk.log() == desk.bodies()[-lengths[-1] :]
        assert desk.document(published.CURRENT_STATE)["archived"] == first + 5
    assert lengths == [31, 32, 33, 14, 10, 6]


@pytest.mark.lesson("P7")
def test_the_cost_does_not_grow_with_the_ledger(tmp_path: Path) -> None:
    read = []
    for size in (300, 3000):
        engine = CountingEngine()
        desk = Desk(tmp_path / str(size), engine)
        for n in range(0, size, 300):
            desk.ledger.append_many(draft("metric", n + i, session_id=f"s{n}") for i in range(300))
        desk.append("checkpoint")
        desk.publish()
        desk.append(n=1)
        desk.views.catch_up(desk.ledger.reader)
        engine.entries_read = engine.archives_read = 0
        desk.publisher.publish(desk.ledger, desk.views)
        read.append((engine.entries_read, engine.archives_read))
        desk.views.close()
    assert read[0] == read[1]
    assert read[0][0] < 50
    assert read[0][1] == 0


@pytest.mark.lesson("P7")
def test_the_restore_index_is_not_read_when_nothing_was_sealed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.append()
    desk.publish()
    desk.append(n=1)
    seen: list[str] = []
    read = published.read

    def watched(path: Path) -> Any:
        seen.append(path.name)
        return read(path)

    monkeypatch.setattr(published, "read", watched)
    desk.publish()
    assert seen == [published.CURRENT_STATE, published.SESSION_MEMORY]


# Others at the same time


def test_a_lock_that_is_kept_ends_the_wait(desk: Desk) -> None:
    desk.append()
    desk.publish()
    with (desk.folder / LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="Another process"):
            Publisher(desk.folder, wait_s=0).publish(desk.ledger, desk.views)


def test_many_at_once_leave_whole_files(desk: Desk) -> None:
    desk.append()

    def work(n: int) -> None:
        for i in range(5):
            desk.append("metric", n * 10 + i)
            Publisher(desk.folder).publish(desk.ledger, desk.views)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.log() == desk.bodies()
    for name in (published.CURRENT_STATE, published.SESSION_MEMORY):
        assert published.current(desk.folder / name, desk.ledger.head()) is not None


def test_a_file_in_the_place_of_the_folder_is_an_error_that_says_so(desk: Desk) -> None:
    desk.folder.write_text("in the way")
    with pytest.raises(StorageFailed, match="cannot be written"):
        desk.publish()
