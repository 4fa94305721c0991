"""StateManager: the protocol's own snippets work, in one process and across many."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import StateManager
from tests.wiring.projects import data, elsewhere, entries, killed

# The protocol's snippets, as they stand there

ON_SESSION_START = """
def on_session_start():
    sm = StateManager()

    # Restore last state
    last_checkpoint = sm.get_last_checkpoint()
    print(f"Quick Resume: {last_checkpoint.quick_resume}")

    # Start new session
    sm.start_session(session_id)

session_id = "SESSION-2"
on_session_start()
"""

TOOL_CALLS = """
class Result:
    def __init__(self, *files):
        self.files_changed = files

def execute_tool(tool_name, params):
    with open(params, "a") as file:
        file.write("x = 1\\n")
    return Result(params)

# Wrap tool calls to auto-log
def logged_tool_call(tool_name, params):
    result = execute_tool(tool_name, params)

    # Log file changes
    if result.files_changed:
        for f in result.files_changed:
            StateManager().log_file_change(f)

    # Checkpoint every 5 calls
    if StateManager().calls_since_checkpoint >= 5:
        StateManager().create_checkpoint()

    return result
"""


@pytest.mark.req("P11")
def test_the_session_start_snippet_works_on_a_fresh_project(project: Path) -> None:
    said = elsewhere(ON_SESSION_START)
    assert said.startswith("Quick Resume: No checkpoint yet")
    assert (project / ".holdfast" / "ledger.db").exists()
    assert [entry.session_id for entry in entries("session_started")] == ["SESSION-2"]


@pytest.mark.req("P11", "P12")
def test_the_session_start_snippet_gives_the_last_state_back(project: Path) -> None:
    elsewhere(
        "sm = StateManager(); sm.start_session('SESSION-1')\n"
        "sm.create_checkpoint(task='the parser', completed=5, total=12, next_action='item 6')\n"
        "sm.end_session()"
    )
    said = elsewhere(ON_SESSION_START)
    assert said.startswith("Quick Resume: ")
    assert all(fact in said for fact in ("the parser", "5/12", "item 6"))
    assert data("session_started")[-1]["parent"] == "SESSION-1"


@pytest.mark.req("P11", "P9")
@pytest.mark.lesson("P9", "P10")
def test_the_tool_call_snippet_checkpoints_every_five_calls_across_processes(
    project: Path,
) -> None:
    StateManager().start_session("SESSION-1")
    for number in range(7):
        elsewhere(f"{TOOL_CALLS}\nlogged_tool_call('edit', 'file{number}.py')")
    [checkpoint] = entries("checkpoint")
    assert checkpoint.session_id == "SESSION-1"
    told = checkpoint.value()
    assert sorted(map(str, told["files_created"])) == [f"file{number}.py" for number in range(5)]  # type: ignore[arg-type]
    assert StateManager().calls_since_checkpoint == 2
    StateManager().end_session()


# Which ledger


@pytest.mark.req("P11")
def test_the_project_is_found_from_its_folders_upwards(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StateManager() as first:
        first.log_words("one")
    (project / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "src" / "deep")
    with StateManager() as second, StateManager(project) as third:
        assert first._held is second._held is third._held
        assert second.ledger.head().size == third.ledger.head().size == 1
    assert not (project / "src" / "deep" / ".holdfast").exists()


def test_the_environment_may_name_the_ledger(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_LEDGER", str(tmp_path / "alone.db"))
    with StateManager() as sm:
        sm.log_words("one")
    assert (tmp_path / "alone.db").exists()
    assert not (project / ".holdfast").exists()


def test_an_instance_that_nobody_closes_leaves_nothing_open(project: Path) -> None:
    handles = Path("/proc/self/fd")
    with StateManager() as sm:
        sm.start_session("s")
    gc.collect()
    before = len(list(handles.iterdir())) if handles.exists() else 0
    for number in range(20):
        StateManager().log_words(f"word {number}")
    gc.collect()
    after = len(list(handles.iterdir())) if handles.exists() else 0
    assert before == after
    assert [entry.session_id for entry in entries("agent_said")] == ["s"] * 20


def test_a_closed_one_records_nothing_and_says_so(project: Path) -> None:
    sm = StateManager()
    sm.close()
    sm.close()
    for use in (lambda: sm.log_words("x"), lambda: sm.start_session(), lambda: sm.seal()):
        with pytest.raises(holdfast.InvalidInput, match="is closed"):
            use()
    assert entries() == []


# Sessions


@pytest.mark.lesson("P9")
@pytest.mark.req("P11")
def test_every_process_of_a_session_records_into_it(project: Path) -> None:
    with StateManager() as sm:
        started = sm.start_session()
        elsewhere("StateManager().log_decision('q', 'c', 'r')")
        elsewhere("StateManager().create_checkpoint(task='t', next_action='n')")
        assert StateManager().session_id == started
    assert {entry.session_id for entry in entries()} == {started}


@pytest.mark.lesson("P9")
def test_two_processes_with_sessions_of_their_own_stay_apart(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("mine")
        other = "StateManager().start_session('theirs'); StateManager().log_words('b')"
        elsewhere(f"{other}; StateManager().end_session()")
        sm.log_words("a")
        said = {str(e.value()["text"]): e.session_id for e in entries("agent_said")}
        assert said == {"a": "mine", "b": "theirs"}


def test_the_session_of_this_process_counts_more_than_the_environments(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_SESSION", "from-env")
    with StateManager() as sm:
        assert sm.session_id == "from-env"
        sm.start_session("own")
        assert StateManager().session_id == "own"
        sm.end_session()
        assert sm.session_id == "from-env"


@pytest.mark.req("P9")
def test_the_end_of_a_session_makes_a_checkpoint_and_publishes(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("s")
        sm.log_command("pytest -q", 1, "3 failed")
        ended = sm.end_session("interrupted")
        assert data("session_ended") == [{"reason": "interrupted"}]
        [checkpoint] = entries("checkpoint")
        assert checkpoint.seq == ended.checkpoint
        assert "pytest -q" in str(checkpoint.value()["quick_resume"])
        assert published(project)["as_of_seq"] == sm.ledger.head().size - 1
        with pytest.raises(holdfast.NotFound, match="No session is open"):
            sm.end_session()


def test_a_session_whose_process_was_killed_is_closed_by_the_next_start(project: Path) -> None:
    killed("StateManager().start_session('lost'); StateManager().log_words('half done')")
    with StateManager() as sm:
        sm.start_session("next")
    ended = [(entry.session_id, entry.value()["reason"]) for entry in entries("session_ended")]
    assert ended == [("lost", "crashed")]
    assert data("session_started")[-1]["parent"] == "lost"


# Checkpoints


@pytest.mark.req("P9")
@pytest.mark.lesson("P10")
def test_five_processes_make_one_checkpoint(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("s")
        script = (
            "with StateManager() as sm, sm.tool_call('bash') as call:\n"
            "    call.command('make {0}', exit_code={0})"
        )
        for number in range(4):
            elsewhere(script.format(number))
        assert (entries("checkpoint"), sm.calls_since_checkpoint) == ([], 4)
        elsewhere(script.format(4))
        [checkpoint] = entries("checkpoint")
        assert (checkpoint.session_id, sm.calls_since_checkpoint) == ("s", 0)
        assert "make 4" in str(checkpoint.value()["quick_resume"])


@pytest.mark.lesson("P10")
def test_five_processes_at_once_make_one_checkpoint(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("s")
    script = "from holdfast import StateManager; input(); StateManager().log_tool_call('bash')"
    hooks = [
        subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) for _ in range(5)
    ]
    for hook in hooks:
        hook.communicate(b"go\n", timeout=60)
    assert [hook.returncode for hook in hooks] == [0] * 5
    assert len(entries("checkpoint")) == 1


def test_without_a_checkpoint_the_last_one_is_false_and_says_so(project: Path) -> None:
    with StateManager() as sm:
        last = sm.get_last_checkpoint()
        assert not last
        assert (last.seq, last.task, last.completed, list(last.files_created)) == (None, "", 0, [])
        assert sm.quick_restore() == last.quick_resume
        assert "No checkpoint yet" in last.quick_resume
        sm.log_command("make test", 2)
        assert "make test" in sm.quick_restore()
        assert not sm.get_last_checkpoint()
        sm.create_checkpoint("t", next_action="n")
        assert sm.get_last_checkpoint()


def test_the_last_checkpoint_is_our_own_where_there_is_one(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("mine")
        sm.create_checkpoint("my task", next_action="a")
        elsewhere(
            "sm = StateManager(); sm.start_session('theirs')\n"
            "sm.create_checkpoint('their task', next_action='b'); sm.end_session()"
        )
        assert (sm.get_last_checkpoint().task, sm.get_last_checkpoint().session_id) == (
            "my task",
            "mine",
        )
        sm.end_session()
    assert elsewhere("print(StateManager().get_last_checkpoint().task)") == "their task"


# Views on disk


def published(project: Path) -> Any:
    return json.loads((project / ".holdfast" / "state" / "CURRENT_STATE.json").read_text())


@pytest.mark.req("P10")
def test_views_are_published_at_checkpoints_and_at_the_end_not_by_each_call(project: Path) -> None:
    state = project / ".holdfast" / "state" / "CURRENT_STATE.json"
    sm = StateManager()
    sm.log_words("a")
    assert not state.exists()
    sm.create_checkpoint("t", next_action="n")
    assert published(project)["as_of_seq"] == 1
    sm.log_words("b")
    assert published(project)["as_of_seq"] == 1
    sm.close()
    assert published(project)["as_of_seq"] == 2


def test_views_that_cannot_be_written_are_told_of_and_nothing_is_lost(project: Path) -> None:
    with StateManager() as sm:
        (project / ".holdfast" / "state").write_text("in the way")
        with pytest.warns(RuntimeWarning, match="could not be brought up to date"):
            receipt = sm.create_checkpoint("t", next_action="n")
        assert sm.get_last_checkpoint().seq == receipt.seq
        (project / ".holdfast" / "state").unlink()
    assert published(project)["as_of_seq"] == receipt.seq
