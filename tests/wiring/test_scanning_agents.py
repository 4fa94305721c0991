"""Files that tools name, and several agents at once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.storage.port import Selection
from holdfast.wiring import scan_turns, scanning
from tests.wiring.scanned import Scanned, scanned


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Scanned]:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\n")
    (root / "b.txt").write_text("two\n")
    with scanned(root) as found:
        found.begin()
        yield found


def test_files_that_a_tool_names_are_kept_as_it_left_them(work: Scanned) -> None:
    (work.root / "b.txt").write_text("a later state\n")
    written = {str(work.root / "b.txt"): b"first\n", "src/a.py": b"second\n"}
    first, second = work.look(written, command=None, call="call-9")
    assert (first["path"], first["action"], first["seen_by"]) == ("b.txt", "modify", "tool")
    assert (second["path"], second["call"]) == ("src/a.py", "call-9")
    assert [work.content(first), work.content(second)] == [b"first\n", b"second\n"]
    found = work.look()
    assert [(one["path"], one["seen_by"]) for one in found] == [
        ("b.txt", "scan"),
        ("src/a.py", "scan"),
    ], "what is on disk now is found by looking"


def test_a_file_that_a_tool_brought_is_not_found_again(work: Scanned) -> None:
    (work.root / "b.txt").write_text("by the tool\n")
    assert work.told({"b.txt": b"by the tool\n"}, command=None) == ["modify b.txt"]
    assert work.told() == []
    assert work.told({"b.txt": b"by the tool\n"}, command=None) == []


def test_the_same_event_told_again_adds_nothing(work: Scanned) -> None:
    events = [work.event(command=None) for _ in range(2)]
    contents = [b"one\n", b"other\n"]
    for _ in range(2):
        for event, content in zip(events, contents, strict=True):
            drafts = scanning.changes_after(work.project, event, {"b.txt": content})
            work.project.ledger.append_many(drafts)
    assert work.project.ledger.head().size == 2


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", ".holdfast/ledger.key", ".git/config", "", "a\0b", ".."]
)
def test_a_tools_word_does_not_lead_out_of_the_project(work: Scanned, path: str) -> None:
    assert work.look({path: b"x"}, command=None) == []


def test_a_lie_about_the_folder_does_not_either(work: Scanned) -> None:
    assert work.look({"a.py": b"x"}, command=None, cwd="/etc") == []
    (work.root / "link").symlink_to("/etc")
    assert work.look({"link/a.py": b"x"}, command=None) == []


def test_tools_may_write_before_anybody_looked(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "old").write_text("there before\n")
    (root / "new").write_text("x")
    with scanned(root) as work:
        assert work.told({"new": b"x"}, command=None) == ["create new"]
        assert work.look() == [], "what nobody remembers is not new"


def test_who_holds_the_turn_may_take_it_again(work: Scanned) -> None:
    (work.root / "b.txt").write_text("changed\n")
    with scanning.one_at_a_time(work.project):
        assert work.told() == ["modify b.txt"]


def test_a_turn_that_is_never_given_back_holds_nobody_up_for_ever(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_turns, "WAIT_S", 0.0)
    (work.root / "b.txt").write_text("changed\n")
    with scanned(work.root) as other, ThreadPoolExecutor(1) as somebody:
        held = scanning.one_at_a_time(other.project)
        somebody.submit(held.__enter__).result()
        assert work.told() == ["modify b.txt"]
        assert other.told() == []
        somebody.submit(held.__exit__, None, None, None).result()


@pytest.mark.lesson("N11")
def test_eight_agents_at_once_record_each_change_once(work: Scanned) -> None:
    """Each writes files of its own and one that all write, and looks after every write."""
    with multiprocessing.get_context("spawn").Pool(8) as pool:
        pool.starmap(write_and_look, [(work.root, name) for name in "abcdefgh"])
    work.told()
    seen: dict[Any, list[Any]] = {}
    for entry in work.project.ledger.read(Selection(type="file_change")):
        data = entry.value()
        seen.setdefault(data["path"], []).append(data["hash_after"])
    for name in "abcdefgh":
        states = [sha256(f"{name} {number}\n".encode()).hexdigest() for number in range(6)]
        assert seen[f"{name}.txt"] == states, "each once, in their order"
    assert seen["all.txt"][-1] == hash_of(work.root / "all.txt"), "the last is what is there"
    assert work.project.ledger.verify().ok


def write_and_look(root: Path, name: str) -> None:
    with scanned(root) as work:
        for number in range(6):
            for path in (root / f"{name}.txt", root / "all.txt"):
                draft = root.parent / f"{name}.new"  # else others see it while it is empty
                draft.write_text(f"{name} {number}\n")
                draft.replace(path)
            event = work.event(session=name, key=f"{name} {number}")
            with scanning.one_at_a_time(work.project):
                work.project.ledger.append_many(scanning.changes_after(work.project, event))


def hash_of(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
