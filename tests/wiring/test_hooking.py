"""Taking in what waits: each event once, in order, whatever happened to those who did it before."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast import config
from holdfast.agents import intake
from holdfast.agents.intake import Record
from holdfast.agents.values import Event, Reply
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.ledger import Ledger
from holdfast.storage.port import Selection
from holdfast.wiring.hooking import UNANSWERED, drain
from holdfast.wiring.levels import level_one
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project
from holdfast.wiring.returning import reply
from tests.cli.harness import Holdfast

START_US = 1_794_787_200_000_000


class Waiting:
    """A project whose intake is filled without processes."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.folder = root / ".holdfast"
        self._at_us = START_US
        open_ledger(root).close()

    def tell(self, event: str, session: str = "s1", **fields: Any) -> None:
        """Leave an event in the intake."""
        self._at_us += 1_000_000
        told = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), **fields}
        intake.append(
            str(self.folder), Record("claude-code", self._at_us, json.dumps(told).encode())
        )

    def entries(self, kind: str | None = None) -> list[dict[str, Any]]:
        with open_ledger(self.root) as ledger:
            return [ledger.data(entry) for entry in ledger.read(Selection(type=kind))]

    def texts(self, kind: str) -> list[str]:
        return [one["text"] for one in self.entries(kind)]


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(tmp_path / "project")


@pytest.mark.req("X4")
def test_whoever_opens_the_project_takes_in_what_waits(waiting: Waiting) -> None:
    waiting.tell("UserPromptSubmit", prompt="Hello")
    assert waiting.texts("prompt_given") == ["Hello"]
    assert not intake.waits(str(waiting.folder))


@pytest.mark.parametrize("command", ["log", "status", "verify", "resume", "search Hello"])
def test_every_command_takes_in_what_waits(waiting: Waiting, tmp_path: Path, command: str) -> None:
    waiting.tell("UserPromptSubmit", prompt="Hello")
    done = Holdfast(waiting.root, tmp_path)(*command.split())
    assert done.code in (0, 1)
    assert not intake.waits(str(waiting.folder))


@pytest.mark.lesson("N18")
def test_what_is_told_again_at_once_is_one(waiting: Waiting) -> None:
    for _ in range(4):
        waiting.tell("PreCompact", trigger="auto")
    assert len(waiting.entries("hook_fired")) == 1
    waiting.tell("PreCompact", trigger="auto")
    assert len(waiting.entries("hook_fired")) == 1


def test_what_is_told_again_after_something_else_is_another(waiting: Waiting) -> None:
    for number in range(3):
        waiting.tell("UserPromptSubmit", prompt="continue")
        waiting.tell("Stop", last_assistant_message=f"Done {number}.")
    assert waiting.texts("prompt_given") == ["continue"] * 3
    waiting.tell("UserPromptSubmit", prompt="continue")
    assert waiting.texts("prompt_given") == ["continue"] * 4


def test_another_sessions_event_between_two_does_not_make_them_two(waiting: Waiting) -> None:
    waiting.tell("PreCompact", trigger="auto")
    waiting.tell("UserPromptSubmit", session="s2", prompt="Hello")
    waiting.tell("PreCompact", trigger="auto")
    assert len(waiting.entries("hook_fired")) == 1


@pytest.mark.req("X4")
def test_taking_in_the_same_again_adds_nothing(waiting: Waiting, tmp_path: Path) -> None:
    """A process that dies between recording and deleting leaves the file to the next."""
    waiting.tell("SessionStart", source="startup")
    for number in range(3):
        waiting.tell("UserPromptSubmit", prompt="continue")
        waiting.tell("PostToolUse", tool_name="Read", tool_use_id=f"t{number}", tool_input={})
        waiting.tell("Stop", last_assistant_message="Done.")
    [taken] = intake.take(str(waiting.folder))
    kept = shutil.copy(taken, tmp_path / "kept")
    before = waiting.entries()
    for forgotten in (False, True):
        if forgotten:
            (waiting.folder / "intake" / "last-events").unlink()
        shutil.copy(kept, taken)
        assert waiting.entries() == before


def test_a_process_that_dies_while_it_takes_in_loses_nothing(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        waiting.tell("PostToolUse", tool_name="Read", tool_use_id=f"t{number}", tool_input={})
    monkeypatch.setattr("holdfast.wiring.taking_in.IMPORT_BATCH_ENTRIES", 4)
    real, calls = Ledger.append_many, 0

    def dying(self: Ledger, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise StorageFailed("The disk is full.")
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Ledger, "append_many", dying)
    assert len(waiting.entries("tool_called")) == 12
    assert "The disk is full." in (waiting.folder / "intake" / "problems").read_text()
    monkeypatch.setattr(Ledger, "append_many", real)
    assert [one["call"] for one in waiting.entries("tool_called")] == [f"t{n}" for n in range(30)]


@pytest.mark.parametrize(
    "name", ["last-events", "seen-files", "seen-files.lock", "tails", "stakes"]
)
@pytest.mark.parametrize("spoiled", [b"\xff\xfe garbage\n\xe9 x\n", None])
def test_nothing_that_is_derived_keeps_events_from_being_recorded(
    waiting: Waiting, name: str, spoiled: bytes | None
) -> None:
    waiting.tell("SessionStart", source="startup")
    waiting.entries()
    path = waiting.folder / "intake" / name
    path.unlink(missing_ok=True)
    path.mkdir() if spoiled is None else path.write_bytes(spoiled)
    waiting.tell("Stop", last_assistant_message="All done.")
    assert waiting.texts("agent_said") == ["All done."]
    assert not intake.waits(str(waiting.folder))


def test_no_lock_is_made_behind_a_link(waiting: Waiting, tmp_path: Path) -> None:
    (waiting.folder / "intake").mkdir(exist_ok=True)
    (waiting.folder / "intake" / "seen-files.lock").symlink_to(tmp_path / "elsewhere")
    waiting.tell("SessionStart", source="startup")
    assert len(waiting.entries("session_started")) == 1
    assert not (tmp_path / "elsewhere").exists()


def test_a_torn_line_is_set_aside_and_told(waiting: Waiting) -> None:
    waiting.tell("UserPromptSubmit", prompt="First")
    events = waiting.folder / "intake" / "events"
    events.write_bytes(events.read_bytes() + b"hf1 00000000 claude-code 17 torn")
    waiting.tell("UserPromptSubmit", prompt="Second")
    assert waiting.texts("prompt_given") == ["First", "Second"]
    [torn] = waiting.entries("line_quarantined")
    assert torn["content"] == "hf1 00000000 claude-code 17 torn"
    assert torn["reason"] == "The line is torn or was altered."


def test_an_event_that_cannot_be_recorded_holds_up_no_other(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.agents import claude_code

    real = claude_code.drafts

    def failing(event: Any) -> Any:
        if event.text == "bad":
            raise ZeroDivisionError("a mistake of ours")
        return real(event)

    monkeypatch.setattr(claude_code, "drafts", failing)
    for prompt in ("good", "bad", "better"):
        waiting.tell("UserPromptSubmit", prompt=prompt)
    assert waiting.texts("prompt_given") == ["good", "better"]
    [aside] = waiting.entries("line_quarantined")
    assert "ZeroDivisionError" in aside["reason"]
    assert '"prompt": "bad"' in aside["content"]


def test_a_look_that_fails_keeps_no_event_from_being_recorded(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> list[Any]:
        raise RuntimeError("cannot look")

    monkeypatch.setattr("holdfast.wiring.scanning.changes_after", failing)
    waiting.tell("Stop", last_assistant_message="Done.")
    assert waiting.texts("agent_said") == ["Done."]
    assert "cannot look" in (waiting.folder / "intake" / "problems").read_text()


@pytest.mark.parametrize("kind", sorted(UNANSWERED))
def test_what_is_never_answered_has_no_answer(waiting: Waiting, kind: Any) -> None:
    event = Event(
        agent="claude-code", name="X", kind=kind, session="s1", cwd=None, key="k", at_us=START_US
    )
    with open_ledger(waiting.root) as ledger:
        project = Project(place_of(waiting.root), config.Settings(), ledger)
        assert reply(project, event) == Reply()


def test_an_agent_that_is_not_known_is_set_aside(waiting: Waiting) -> None:
    intake.append(str(waiting.folder), Record("nobody", START_US, b'{"hook_event_name": "X"}'))
    [aside] = waiting.entries("line_quarantined")
    assert "nobody" in aside["reason"]


def test_secrets_that_reached_the_intake_are_redacted_again(waiting: Waiting) -> None:
    waiting.tell("UserPromptSubmit", prompt="password: hunter2hunter2")
    [text] = waiting.texts("prompt_given")
    assert text.startswith("password: [REDACTED:password:")


@pytest.mark.lesson("N12")
def test_the_users_own_names_of_secrets_count_whoever_opens_the_project(waiting: Waiting) -> None:
    (waiting.folder / "config.toml").write_text('[redaction]\nsecret_names = ["acmepin"]\n')
    waiting.tell("UserPromptSubmit", prompt="acmepin = zebra77zebra")
    [text] = waiting.texts("prompt_given")
    assert "zebra77" not in text


def test_a_session_that_has_just_begun_is_not_what_the_capsule_tells_of(waiting: Waiting) -> None:
    waiting.tell("SessionStart", "old", source="startup")
    waiting.tell("UserPromptSubmit", "old", prompt="Sort the imports")
    waiting.tell("SessionStart", "new", source="startup")
    place = place_of(waiting.root)
    with open_project(place, config.Settings(), Actor("agent", "claude-code")) as project:
        text = level_one(project).text
    assert "Sort the imports" in text
    assert "none about work" not in text


def test_a_clear_goes_on_from_the_session_before_it(waiting: Waiting) -> None:
    waiting.tell("SessionStart", "old", source="startup")
    waiting.tell("SessionEnd", "old", reason="clear")
    waiting.tell("SessionStart", "new", source="clear")
    waiting.tell("SessionStart", "other", source="startup")
    waiting.tell("SessionStart", "new", source="compact")
    parents = [one["parent"] for one in waiting.entries("session_started")]
    assert parents == [None, "old", None, "old"]


def test_a_session_whose_process_is_gone_is_closed_by_the_next(waiting: Waiting) -> None:
    import os
    import subprocess

    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        _start(waiting, "dies", process.pid)
        assert len(waiting.entries("session_started")) == 1
    _start(waiting, "next", os.getpid())
    [ended] = waiting.entries("session_ended")
    assert ended["reason"] == "crashed"


def _start(waiting: Waiting, session: str, pid: int) -> None:
    told = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
    record = Record("claude-code", START_US + pid, json.dumps(told).encode(), (), note=f"pid={pid}")
    intake.append(str(waiting.folder), record)


def test_while_another_takes_in_nobody_waits_for_ever(waiting: Waiting) -> None:
    waiting.tell("UserPromptSubmit", prompt="Hello")
    with intake.Turn(str(waiting.folder), 0), open_ledger(waiting.root, takes_in=False) as ledger:
        project = Project(place_of(waiting.root), config.Settings(), ledger)
        assert drain(project, wait_s=0).busy
    assert intake.waits(str(waiting.folder))


def test_a_database_that_stands_alone_has_no_intake(tmp_path: Path) -> None:
    intake.append(str(tmp_path), Record("claude-code", 1, b"{}"))
    with open_ledger(tmp_path / "x.db") as ledger:
        assert ledger.head().size == 0
    assert intake.waits(str(tmp_path))
