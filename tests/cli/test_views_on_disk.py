"""The seed's five files, as the command line leaves them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.ledger import published
from holdfast.ledger.state_log import NAME as STATE_LOG
from holdfast.storage.archives import read_lines
from holdfast.wiring.places import place_of
from tests.cli.harness import Holdfast

JSON_FILES = (published.CURRENT_STATE, published.SESSION_MEMORY, published.RESTORE_INDEX)


def state(holdfast: Holdfast) -> Path:
    return place_of(holdfast.folder).state


def document(holdfast: Holdfast, name: str) -> Any:
    return json.loads((state(holdfast) / name).read_bytes())


def contents(holdfast: Holdfast) -> dict[str, bytes]:
    names = (STATE_LOG, *JSON_FILES)
    return {name: (state(holdfast) / name).read_bytes() for name in names}


def busy(holdfast: Holdfast, count: int = 12) -> None:
    """Leave a ledger with a session, archives and a checkpoint."""
    holdfast("session", "start", "--session", "s1")
    for n in range(count):
        holdfast.record("decision", n, "--session", "s1")
    holdfast("checkpoint", "--task", "the work", "--next", "item 4", "--session", "s1")
    assert holdfast("seal", "--keep", "4").code == 0
    holdfast.record("decision", 99, "--session", "s1")


@pytest.mark.req("P10")
def test_the_five_are_current_after_every_command(holdfast: Holdfast) -> None:
    busy(holdfast)
    status = holdfast("status", "--json").json()
    for name in (published.CURRENT_STATE, published.SESSION_MEMORY):
        said = document(holdfast, name)
        assert said["as_of_seq"] == status["entries"] - 1
        assert (said["ledger"], said["head"]) == (status["ledger"], status["head"])
    assert list((state(holdfast) / "archives").glob("*.jsonl.zst")) != []
    index = document(holdfast, published.RESTORE_INDEX)
    assert [part["archive"] for part in index["sessions"]["s1"]["parts"]] == [
        archive["name"] for archive in index["archives"]
    ]
    assert index["ledger"] == status["ledger"]


@pytest.mark.req("P10")
def test_the_log_and_the_archives_hold_every_entry(holdfast: Holdfast) -> None:
    busy(holdfast)
    archived = b"".join(
        line + b"\n"
        for path in sorted((state(holdfast) / "archives").glob("*.jsonl.zst"))
        for _, line in read_lines(str(path))
    )
    whole = archived + (state(holdfast) / STATE_LOG).read_bytes()
    assert whole == holdfast("log", "--json").out
    assert 0 < len(archived) < len(whole)


@pytest.mark.req("P10")
@pytest.mark.parametrize("lost", [*JSON_FILES, STATE_LOG, "indexes", "everything"])
def test_whatever_is_deleted_comes_back(holdfast: Holdfast, lost: str) -> None:
    busy(holdfast)
    before = contents(holdfast)
    if lost == "everything":
        for name in before:
            (state(holdfast) / name).unlink()
        (holdfast.database.parent / "views.db").unlink()
        (state(holdfast) / ".publishing").unlink()
    elif lost == "indexes":
        shutil.rmtree(state(holdfast) / lost)
    else:
        (state(holdfast) / lost).unlink()
    holdfast.record("decision", 0, "--session", "s1")
    after = contents(holdfast)
    assert after[STATE_LOG].startswith(before[STATE_LOG])
    old, new = (json.loads(one[published.RESTORE_INDEX]) for one in (before, after))
    assert new["sessions"] == old["sessions"]
    assert new["archives"] == old["archives"]
    assert holdfast("verify").code == 0
    assert holdfast("doctor").code == 0


@pytest.mark.lesson("P11")
@pytest.mark.req("P10")
def test_a_stale_view_is_made_anew_before_it_is_shown(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--task", "old", "--next", "first thing", "--session", "s1")
    stale = contents(holdfast)
    holdfast("checkpoint", "--task", "new", "--next", "second thing", "--session", "s1")
    for name, content in stale.items():
        (state(holdfast) / name).write_bytes(content)
    shown = holdfast.process("resume", "--json").json()
    assert "second thing" in shown["text"]
    assert shown["as_of_seq"] == holdfast("status", "--json").json()["entries"] - 1


@pytest.mark.lesson("P11")
@pytest.mark.parametrize("command", ["resume", "record"])
def test_a_view_that_was_edited_is_not_believed(holdfast: Holdfast, command: str) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--task", "t", "--next", "the right thing", "--session", "s1")
    path = state(holdfast) / published.CURRENT_STATE
    path.write_bytes(path.read_bytes().replace(b"the right thing", b"the wrong thing"))
    if command == "record":
        holdfast.record("metric", 1)
        assert b"the wrong thing" not in path.read_bytes()
    shown = holdfast.process("resume").text
    assert "the right thing" in shown
    assert "the wrong thing" not in shown


def test_the_resume_that_lies_ready_is_the_one_that_would_be_made(holdfast: Holdfast) -> None:
    busy(holdfast)
    ready = document(holdfast, published.CURRENT_STATE)["resume"]
    made = holdfast("resume", "--session", "s1", "--json").json()
    assert (made["text"], made["tokens"]) == (ready["text"], ready["tokens"])


def test_the_index_is_only_written_when_something_was_sealed(holdfast: Holdfast) -> None:
    busy(holdfast)
    path = state(holdfast) / published.RESTORE_INDEX
    before = path.stat().st_ino
    holdfast.record("decision", 5, "--session", "s1")
    assert path.stat().st_ino == before
    holdfast("seal", "--keep", "2")
    first = json.loads(path.read_bytes())
    assert len(first["archives"]) == 2
    path.unlink()
    holdfast.record("decision", 6, "--session", "s1")
    again = json.loads(path.read_bytes())
    assert [again[name] for name in ("archives", "sessions", "unsessioned", "not_indexed")] == [
        first[name] for name in ("archives", "sessions", "unsessioned", "not_indexed")
    ]


@pytest.mark.lesson("P1")
@pytest.mark.lesson("P2")
def test_the_index_is_right_for_sessions_that_interleave(holdfast: Holdfast) -> None:
    for n in range(12):
        holdfast.record("decision", n, "--session", f"s{n % 5 % 2}")
        if n % 5 == 4:
            assert holdfast("seal", "--keep", "1").code == 0
    index = document(holdfast, published.RESTORE_INDEX)
    assert len(index["archives"]) == 2
    sealed = index["archives"][-1]["last"] + 1
    entries = holdfast.entries()[:sealed]
    for session, place in [*index["sessions"].items(), (None, index["unsessioned"])]:
        told = [
            seq
            for part in place["parts"]
            for first, last in part["ranges"]
            for seq in range(first, last + 1)
        ]
        assert told == [entry["seq"] for entry in entries if entry["session_id"] == session]
        assert (place["start"], place["end"]) == (told[0], told[-1])
    assert sorted(index["sessions"]) == ["s0", "s1"]


def _block(holdfast: Holdfast) -> None:
    shutil.rmtree(state(holdfast))
    state(holdfast).write_text("a file in the way")


def _spoil_views(holdfast: Holdfast) -> None:
    place_of(holdfast.folder).views.write_bytes(b"no database " * 1000)


def _block_a_file(holdfast: Holdfast) -> None:
    (state(holdfast) / published.CURRENT_STATE).unlink()
    (state(holdfast) / published.CURRENT_STATE).mkdir()


@pytest.mark.parametrize(
    ("harm", "told"), [(_block, True), (_block_a_file, True), (_spoil_views, False)]
)
def test_what_was_recorded_is_acknowledged_whatever_becomes_of_the_views(
    holdfast: Holdfast, harm: Any, told: bool
) -> None:
    holdfast.record("metric", 0)
    harm(holdfast)
    done = holdfast(
        "record",
        "metric",
        "--data",
        '{"name":"x","value":1,"threshold":1,"passed":true,"components":{}}',
        "--json",
    )
    assert done.code == 0
    assert done.json()["seq"] == 1
    assert ("could not be brought up to date" in done.err) is told
    assert len(holdfast.entries()) == 2


def test_a_lost_database_does_not_take_the_log_with_it(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    lost = (state(holdfast) / STATE_LOG).read_bytes()
    for path in holdfast.database.parent.glob("ledger.db*"):
        path.unlink()
    holdfast("init")
    done = holdfast(
        "record",
        "metric",
        "--data",
        '{"name":"x","value":1,"threshold":1,"passed":true,"components":{}}',
    )
    assert done.code == 0
    assert "entries that this ledger does not have" in done.err
    [kept] = state(holdfast).glob("*.kept.jsonl")
    assert kept.read_bytes() == lost


def test_many_processes_leave_whole_views(holdfast: Holdfast) -> None:
    holdfast.record("metric", 0)
    data = '{"name":"x","value":1,"threshold":1,"passed":true,"components":{}}'
    started = [
        subprocess.Popen(
            holdfast.command("record", "metric", "--data", data),
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
    assert (state(holdfast) / STATE_LOG).read_bytes() == holdfast("log", "--json").out
    head = holdfast("status", "--json").json()
    assert document(holdfast, published.CURRENT_STATE)["head"] == head["head"]


@pytest.mark.lesson("N4")
def test_a_renamed_folder_keeps_everything(holdfast: Holdfast) -> None:
    busy(holdfast)
    before = holdfast("log", "--json").out
    ledger = holdfast("status", "--json").json()["ledger"]
    renamed = holdfast.folder.with_name("renamed")
    holdfast.folder.rename(renamed)
    holdfast.folder = renamed
    assert holdfast("log", "--json").out == before
    assert holdfast("status", "--json").json()["ledger"] == ledger
    assert "item 4" in holdfast.process("resume").text
    assert holdfast("restore", "s1", "--json").code == 0
    assert holdfast("verify").code == 0
    holdfast.record("decision", 100, "--session", "s1")
    assert list(state(holdfast).glob("*.kept.jsonl")) == []
