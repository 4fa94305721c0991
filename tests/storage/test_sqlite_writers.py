"""Many writers, one order: threads, engines, processes, forks, and writers that give up."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Busy, StorageFailed
from holdfast.storage.port import Batch
from holdfast.storage.sqlite import engine as engine_module
from holdfast.storage.sqlite import writing
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.testing import open_memory_ledger, sealed_chain
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance import append, artifact, run_threads
from tests.storage import databases


@pytest.fixture
def path(tmp_path: Path) -> Path:
    databases.make(tmp_path / "ledger.db").close()
    return tmp_path / "ledger.db"


@contextmanager
def opened(path: Path, wait_s: float = 30.0) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(str(path), wait_s=wait_s)
    try:
        yield engine
    finally:
        engine.close()


def assert_whole(path: Path, size: int) -> None:
    with opened(path) as engine:
        assert list(range(size)) == [entries.read(one.body).seq for one in engine.read()]
        report = open_memory_ledger(engine).verify()
        assert report.faults == []


def lock_is_free(path: Path) -> bool:
    """Tell whether nobody holds the queue."""
    handle = os.open(path.with_suffix(".lock"), os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def test_sixteen_threads_share_one_engine(path: Path) -> None:
    with opened(path) as engine:
        run_threads(lambda: [append(engine, 1) for _ in range(50)], 16)
    assert_whole(path, 800)


def test_engines_in_one_process_take_turns(path: Path) -> None:
    def work() -> None:
        with opened(path) as engine:
            for _ in range(25):
                append(engine, 2)

    run_threads(work, 6)
    assert_whole(path, 300)


def test_an_engine_sees_what_another_one_wrote(path: Path) -> None:
    with opened(path) as one, opened(path) as other:
        append(one, 1)
        assert one.head() == other.head()
        append(other, 1)
        assert one.head().size == 2
        assert list(one.read()) == list(other.read())


FORK = """
import os, sys
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.conformance import append

engine = SqliteEngine(sys.argv[1])
append(engine, 3)
children = []
for child in range(3):
    if not (pid := os.fork()):
        for _ in range(20):
            append(engine, 1)
        if child:
            engine.close()
        os._exit(0)
    children.append(pid)
for _ in range(20):
    append(engine, 1)
statuses = [os.waitpid(pid, 0)[1] for pid in children]
append(engine, 1)
assert [0, 0, 0] == statuses, statuses
assert 84 == engine.head().size, engine.head()
if not (pid := os.fork()):
    engine.close()
    os._exit(0)
os.waitpid(pid, 0)
append(engine, 1)
engine.close()
"""


def test_an_engine_goes_on_in_the_parent_and_in_forked_children(path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORK, str(path)], check=True, timeout=60)
    assert_whole(path, 85)


FORK_IN_TURN = """
import os, sys
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.conformance import append

engine = SqliteEngine(sys.argv[1], wait_s=20)
with engine.queue():
    if not (pid := os.fork()):
        append(engine, 1)
        os._exit(0)
    append(engine, 1)
status = os.waitpid(pid, 0)[1]
assert 0 == status, status
assert 2 == engine.head().size
"""


def test_a_child_forked_in_its_parents_turn_waits_for_its_own(path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORK_IN_TURN, str(path)], check=True, timeout=60)
    assert_whole(path, 2)


def test_a_writer_that_waits_too_long_is_told_and_writes_nothing(path: Path) -> None:
    with opened(path, wait_s=0.02) as engine:
        with WriterQueue(str(path.with_suffix(".lock"))), pytest.raises(Busy, match=r"0\.02 s"):
            append(engine, 1)
        assert engine.head().size == 0
    assert lock_is_free(path)


def test_a_writer_that_gave_up_lets_the_next_one_in(path: Path) -> None:
    with opened(path, wait_s=0.02) as hasty, opened(path, wait_s=20) as patient:
        with WriterQueue(str(path.with_suffix(".lock"))):
            for _ in range(3):
                with pytest.raises(Busy):
                    append(hasty, 1)
        append(patient, 1)
        assert lock_is_free(path)
        append(hasty, 1)
    assert_whole(path, 2)


def test_a_thread_that_waits_too_long_for_another_one_is_told(path: Path) -> None:
    failures: list[Busy] = []
    with opened(path, wait_s=0.02) as engine:

        def hurry() -> None:
            try:
                append(engine, 1)
            except Busy as busy:
                failures.append(busy)

        with engine.queue():
            run_threads(hurry, 1)
        append(engine, 1)
    assert len(failures) == 1
    assert_whole(path, 1)


def test_a_wait_that_is_interrupted_leaves_no_lock_behind(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    with opened(path) as engine:
        with WriterQueue(str(path.with_suffix(".lock"))), monkeypatch.context() as patched:
            patched.setattr(time, "sleep", interrupted)
            with pytest.raises(KeyboardInterrupt):
                append(engine, 1)
        assert lock_is_free(path)
        append(engine, 1)
    assert_whole(path, 1)


def test_an_append_that_is_interrupted_leaves_nothing_behind(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as engine:
        append(engine, 3)
        written = writing.append

        def interrupted(*args: object) -> None:
            written(*args)  # type: ignore[arg-type]
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(writing, "append", interrupted)
            with pytest.raises(KeyboardInterrupt):
                append(engine, 300, artifacts=artifact(b"with it"))
        assert engine.head().size == 3
        assert engine.artifact(next(iter(artifact(b"with it")))) is None
        assert lock_is_free(path)
        append(engine, 300)
    assert_whole(path, 303)


class Torn(dict[str, bytes]):
    """Artifacts that come to an end too early."""

    def items(self) -> Iterator[tuple[str, bytes]]:  # type: ignore[override]
        yield next(iter(artifact(b"first").items()))
        raise RuntimeError("torn")


def test_a_batch_that_fails_in_the_middle_leaves_nothing_behind(path: Path) -> None:
    torn: Mapping[str, bytes] = Torn(x=b"")
    with opened(path) as engine:
        with pytest.raises(RuntimeError, match="torn"):
            engine.append(Batch(sealed_chain(Head(LEDGER), 2), torn), expected_head=Head(LEDGER))
        assert engine.head().size == 0
        assert engine.artifact(next(iter(artifact(b"first")))) is None
        append(engine, 1)
    assert_whole(path, 1)


def test_a_foreign_program_that_writes_makes_a_writer_busy_not_lost(path: Path) -> None:
    with opened(path) as engine, databases.foreign(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            append(engine, 1)
        connection.execute("ROLLBACK")
        append(engine, 1)
    assert_whole(path, 1)


def test_the_log_is_moved_into_the_database_before_it_grows_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame_bytes = 4096 + 24
    sizes = {}
    for pages_max in (40, 10**9):
        monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", pages_max)
        with opened(path) as engine:
            for _ in range(150):
                append(engine, 1)
            sizes[pages_max] = Path(f"{path}-wal").stat().st_size
    assert sizes[40] < (40 + 30) * frame_bytes
    assert sizes[10**9] > 100 * frame_bytes
    assert_whole(path, 300)


def test_a_failed_move_of_the_log_does_not_fail_the_append(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 1)
    with opened(path) as engine:
        with databases.foreign(path) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM runs").fetchall()
            for _ in range(5):
                append(engine, 1)
        assert engine.head().size == 5
    assert_whole(path, 5)


def test_a_read_only_folder_is_an_error_that_says_so(path: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        with pytest.raises(StorageFailed):
            SqliteEngine(str(tmp_path / "nowhere" / "ledger.db"))
        return
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StorageFailed, match="permissions"), opened(path) as engine:
            append(engine, 1)
    finally:
        tmp_path.chmod(0o700)


KILLED_IN_ITS_TURN = """
import os, signal, sys
from holdfast.storage.sqlite.engine import SqliteEngine
engine = SqliteEngine(sys.argv[1])
with engine.queue():
    engine.head()
    if os.fork() == 0:
        os.write(1, b"child")
        os.read(0, 1)
        os._exit(0)
    os.read(int(sys.argv[2]), 1)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_forked_child_does_not_keep_the_turn_of_a_killed_parent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    databases.make(path).close()
    go, tell = os.pipe()
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED_IN_ITS_TURN, str(path), str(go)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[go],
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    try:
        assert writer.stdout.read(5) == b"child"  # it lives, and goes on living
        os.write(tell, b".")
        assert writer.wait(timeout=60) == -signal.SIGKILL
        engine = SqliteEngine(str(path), wait_s=2)
        append(engine, 1)
        engine.close()
    finally:
        writer.kill()
        writer.stdin.close()  # the child ends
        writer.stdout.close()
        os.close(go)
        os.close(tell)


def holders(path: Path) -> int:
    """Return how many handles of this process are of a file."""
    wanted, found = path.stat(), 0
    for handle in Path("/dev/fd").iterdir():
        with suppress(OSError):
            found += os.path.samestat(wanted, os.fstat(int(handle.name)))
    return found


def test_a_lock_file_is_let_go_after_a_turn_and_with_its_ledger(path: Path) -> None:
    lock = path.with_suffix(".lock")
    with WriterQueue(str(lock)):
        assert holders(lock) == 1
    assert holders(lock) == 0
    forgotten = SqliteEngine(str(path))
    append(forgotten, 1)
    assert holders(lock) == 1
    del forgotten
    gc.collect()
    assert holders(lock) == 0
