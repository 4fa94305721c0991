"""What holdfast wrote into a project is nobody else's change; what others made of it is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.agents.steps import Step
from holdfast.wiring import notes, own_writes
from holdfast.wiring.agent_setup import setup_of
from holdfast.wiring.file_restoring import state_of, wanted, write_over
from holdfast.wiring.integrity import installation_of
from tests.wiring.scanned import Scanned, scanned


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Scanned]:
    with scanned(tmp_path / "project") as work:
        work.begin()
        yield work


def decide(work: Scanned, number: int) -> None:
    """Record a decision, after which the notes say more than before."""
    data = {"question": f"Which {number}?", "choice": f"Number {number}", "reasoning": "it fits"}
    work.project.ledger.append("decision", data | {"alternatives": []})
    assert notes.refresh(work.project).changed


@pytest.mark.lesson("N10")
def test_notes_that_holdfast_writes_are_no_change_of_an_agent(work: Scanned) -> None:
    decide(work, 1)
    assert work.told() == []
    decide(work, 2)
    decide(work, 3)
    assert work.told() == []
    assert work.told() == []


@pytest.mark.lesson("N10")
def test_an_edit_of_the_notes_is_recorded_with_what_it_began_from(work: Scanned) -> None:
    decide(work, 1)
    path = work.root / "NOTES.md"
    ours = path.read_bytes()
    path.write_bytes(ours + b"\nA word of mine.\n")
    (found,) = work.look()
    assert (found["action"], found["path"]) == ("modify", "NOTES.md")
    assert found["hash_before"] == sha256(ours).hexdigest()
    assert work.content(found) == ours + b"\nA word of mine.\n"
    assert "own_part" not in found


def test_an_edit_that_holdfast_wrote_around_is_recorded_and_says_so(work: Scanned) -> None:
    decide(work, 1)
    assert work.told() == []
    path = work.root / "NOTES.md"
    path.write_bytes(path.read_bytes() + b"\nA word of mine.\n")
    decide(work, 2)
    (found,) = work.look()
    assert (found["path"], found["own_part"]) == ("NOTES.md", True)
    kept = work.content(found)
    assert kept is not None
    assert b"A word of mine." in kept
    assert work.told() == []


def test_an_edit_between_two_writings_that_nobody_looked_at_is_recorded(work: Scanned) -> None:
    decide(work, 1)
    path = work.root / "NOTES.md"
    path.write_bytes(path.read_bytes() + b"\nA word of mine.\n")
    decide(work, 2)
    assert [one["own_part"] for one in work.look()] == [True]


def test_going_back_to_what_holdfast_wrote_is_a_change_like_any_other(work: Scanned) -> None:
    decide(work, 1)
    assert work.told() == []
    path = work.root / "NOTES.md"
    ours = path.read_bytes()
    path.write_bytes(b"# Mine\n")
    assert work.told() == ["modify NOTES.md"]
    path.write_bytes(ours)
    assert work.told() == ["modify NOTES.md"]


def test_notes_that_an_agent_deletes_are_recorded_as_gone(work: Scanned) -> None:
    decide(work, 1)
    assert work.told() == []
    (work.root / "NOTES.md").unlink()
    assert work.told() == ["delete NOTES.md"]


def test_notes_that_a_tool_wrote_are_the_tools(work: Scanned) -> None:
    decide(work, 1)
    path = work.root / "NOTES.md"
    ours = path.read_bytes()
    mine = ours + b"\nA word of mine.\n"
    path.write_bytes(mine)
    found = work.look({"NOTES.md": mine}, command=None)
    assert [(one["seen_by"], one["hash_before"]) for one in found] == [
        ("tool", sha256(ours).hexdigest())
    ]
    assert work.told() == []


def test_what_a_tool_wrote_before_us_is_the_tools_and_what_we_wrote_is_not(work: Scanned) -> None:
    path = work.root / "NOTES.md"
    mine = b"# Notes\n\nA word of mine.\n"
    path.write_bytes(mine)
    decide(work, 1)
    assert work.told({"NOTES.md": mine}, command=None) == ["create NOTES.md"]
    assert work.told() == []


@pytest.mark.lesson("N10")
def test_installed_files_are_no_change_and_edits_of_them_are(work: Scanned, tmp_path: Path) -> None:
    place = work.project.place
    setup = setup_of("claude-code", "project", place, home=tmp_path)
    paths = setup.paths()
    with own_writes.writing(place, paths):
        steps: list[Step] = setup.install()
    assert [step.action for step in steps] == ["write"] * len(steps)
    assert work.told() == []
    command = work.root / ".claude" / "commands" / "clear.md"
    command.write_text("mine\n")
    assert work.told() == ["modify .claude/commands/clear.md"]
    with own_writes.writing(place, paths):
        setup.remove()
    assert work.told() == []
    assert command.exists()  # it is the agent's now


def test_protocols_are_no_change(work: Scanned) -> None:
    installation = installation_of(work.project.place)
    with own_writes.writing(work.project.place, installation.paths()):
        installation.install()
    assert (work.root / ".claude/protocols/jit-retrieval.md").exists()
    assert work.told() == []
    with own_writes.writing(work.project.place, installation.paths()):
        installation.remove()
    assert work.told() == []


def test_a_file_that_was_brought_back_is_recorded_once(work: Scanned) -> None:
    file = work.root / "a.py"
    file.write_text("one = 1\n")
    work.look()
    seq = work.project.ledger.head().size - 1
    file.write_text("two = 2\n")
    work.look()
    asked = wanted(work.project.place, "a.py", seq)
    write_over(work.project, asked, state_of(work.project.ledger.reader, asked))
    assert file.read_text() == "one = 1\n"
    assert work.told() == []


def test_files_of_the_ledger_are_not_looked_at(work: Scanned) -> None:
    (work.root / ".holdfast" / "config.toml").write_text("")
    (work.root / ".holdfast" / "overrides").mkdir()
    (work.root / ".holdfast" / "overrides" / "x.md").write_text("x")
    assert work.told() == []
    assert work.told({".holdfast/config.toml": b""}, command=None) == []


def test_a_list_that_cannot_be_read_is_none(work: Scanned) -> None:
    decide(work, 1)
    (work.root / ".holdfast" / "intake" / own_writes.NAME).write_bytes(b"\x00 torn")
    assert work.told() == ["create NOTES.md"]
    decide(work, 2)
    assert work.told() == []
