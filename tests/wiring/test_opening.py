"""Making a ledger: once, whole, for its owner only, however often and by however many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import apsw
import pytest

import holdfast
from holdfast.kernel.errors import Busy, NotALedger, StorageFailed
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.testing import data_for
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import place_of

OPEN = """
import sys, holdfast
sys.stdin.readline()
with holdfast.open(sys.argv[1]) as ledger:
    print(ledger.id)
"""


def test_a_ledger_is_made_once_and_opened_ever_after(tmp_path: Path) -> None:
    place = place_of(tmp_path)
    assert make_ledger(place)
    assert not make_ledger(place)
    with holdfast.open(tmp_path) as ledger:
        first = ledger.id
        ledger.append("decision", data_for("decision"))
    key = place.key.read_bytes()
    with holdfast.open(tmp_path) as ledger:
        assert (first, 1) == (ledger.id, ledger.head().size)
    assert key == place.key.read_bytes()


def test_making_a_ledger_leaves_no_file_open(tmp_path: Path) -> None:
    make_ledger(place_of(tmp_path))
    with holdfast.open(tmp_path) as ledger:
        ledger.append("decision", data_for("decision"))
    held = {handle.resolve() for handle in Path("/dev/fd").iterdir()}
    assert [one for one in held if one.is_relative_to(tmp_path.resolve())] == []


def test_one_who_comes_while_a_slow_disk_still_makes_it_waits_in_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.storage.sqlite.connection.BUSY_TIMEOUT_MS", 1)
    place = place_of(tmp_path / "project.db")
    begun, looked = Event(), Event()

    def slowly() -> None:
        with WriterQueue(str(place.lock)):
            maker = apsw.Connection(str(place.database))
            maker.execute("BEGIN EXCLUSIVE")  # as while SQLite turns to its write-ahead log
            begun.set()
            looked.wait(10)
            maker.close()

    def look(path: str) -> bool:
        try:
            return is_ledger(path)
        finally:
            looked.set()

    monkeypatch.setattr("holdfast.wiring.opening.is_ledger", look)
    making = Thread(target=slowly)
    making.start()
    assert begun.wait(10)
    with pytest.raises(Busy):
        is_ledger(str(place.database))
    assert make_ledger(place)
    making.join(10)
    assert is_ledger(str(place.database))


def test_processes_that_make_it_at_once_get_one_ledger(tmp_path: Path) -> None:
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    names = {opener.communicate(timeout=60)[0].strip() for opener in openers}
    assert [opener.returncode for opener in openers] == [0] * 6
    assert len(names) == 1
    with holdfast.open(tmp_path) as ledger:
        assert {ledger.id} == names


def test_without_create_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotALedger, match="holdfast init"):
        holdfast.open(tmp_path, create=False)
    with pytest.raises(NotALedger):
        open_reader(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_everything_is_for_its_owner_only_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with holdfast.open(tmp_path) as ledger:
            ledger.append("decision", data_for("decision"))
            folder = tmp_path / ".holdfast"
            found = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {".gitignore", "ledger.db", "ledger.key", "ledger.lock"} <= found.keys()
    assert {0o600} == set(found.values())


def test_a_folder_that_others_could_enter_is_closed(tmp_path: Path) -> None:
    (tmp_path / ".holdfast").mkdir(mode=0o755)
    holdfast.open(tmp_path).close()
    assert (tmp_path / ".holdfast").stat().st_mode & 0o777 == 0o700


def test_git_sees_nothing_but_the_settings(tmp_path: Path) -> None:
    holdfast.open(tmp_path).close()
    (tmp_path / ".holdfast" / "config.toml").write_text("")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, env=clean, check=True)
    seen = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=tmp_path,
        env=clean,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert seen == "?? .holdfast/config.toml\n"


def test_a_users_own_gitignore_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".holdfast").mkdir()
    (tmp_path / ".holdfast" / ".gitignore").write_text("mine\n")
    holdfast.open(tmp_path).close()
    assert (tmp_path / ".holdfast" / ".gitignore").read_text() == "mine\n"


def test_a_lost_key_is_made_anew_and_the_ledger_goes_on(tmp_path: Path) -> None:
    with holdfast.open(tmp_path) as ledger:
        ledger.append("decision", data_for("decision"))
    key = place_of(tmp_path).key
    old = key.read_bytes()
    key.unlink()
    with holdfast.open(tmp_path) as ledger:
        ledger.append("decision", data_for("decision", 1))
        assert ledger.verify().ok
    assert len(key.read_bytes()) == 32
    assert old != key.read_bytes()
    assert key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_key_of_the_wrong_length_is_refused_and_left_alone(
    tmp_path: Path, content: bytes
) -> None:
    holdfast.open(tmp_path).close()
    key = place_of(tmp_path).key
    key.write_bytes(content)
    with pytest.raises(StorageFailed, match="not a key"):
        holdfast.open(tmp_path)
    assert content == key.read_bytes()


def test_a_creation_that_crashed_is_completed(tmp_path: Path) -> None:
    place = place_of(tmp_path)
    place.folder.mkdir(mode=0o700)
    place.database.touch(0o600)
    (place.folder / f"ledger.key.{os.getpid()}.new").write_bytes(b"half")
    with holdfast.open(tmp_path) as ledger:
        ledger.append("decision", data_for("decision"))
        assert ledger.verify().ok


def test_a_file_of_the_users_is_never_made_into_a_ledger(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes\n")
    with pytest.raises(NotALedger):
        holdfast.open(notes)
    assert notes.read_text() == "my notes\n"


@pytest.mark.parametrize("name", ["x.lock", "x.key"])
def test_a_database_with_the_name_of_a_file_beside_it_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(holdfast.InvalidInput, match=name):
        holdfast.open(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be made"):
        holdfast.open(tmp_path / "nowhere" / "x.db")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".holdfast").write_text("a file")
    with pytest.raises(StorageFailed, match="cannot be made"):
        holdfast.open(tmp_path / "project")


def test_a_reader_sees_entries_and_has_no_way_to_append(tmp_path: Path) -> None:
    with holdfast.open(tmp_path) as ledger:
        ledger.append("decision", data_for("decision"))
        reader = open_reader(tmp_path)
        assert list(ledger.lines()) == list(reader.read())
        reader.close()


def test_a_system_without_the_locks_is_refused_clearly(tmp_path: Path) -> None:
    """Not with a missing module, although there is one."""
    pretend = "import sys; sys.platform = 'win32'; sys.modules['fcntl'] = None; import holdfast;"
    done = subprocess.run(
        [sys.executable, "-c", f"{pretend} holdfast.open('.')"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Unsupported: holdfast does not run on win32." in done.stderr
    assert list(tmp_path.iterdir()) == []
