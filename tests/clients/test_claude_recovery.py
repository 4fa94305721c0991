"""The real Claude Code loses its context in every way there is, and the ledger has it all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.testing.model_server import Said
from tests.clients.claude import (
    FORCED,
    TOOLS,
    Model,
    ask,
    brought_back,
    full,
    never,
    outputs,
    texts,
)
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_claude import QUIET, use

pytestmark = pytest.mark.clients

ASKED = "Make pool.py. Never open more than 512 connections. We must keep the port at 7431."
MADE = "connections = 64\n"
CHANGED = "connections = 512\n"
SEEDED = "printf 'id,name\\n' > rows.csv; sed -i s/512/511/ pool.py; echo 4217 rows"
FAILED = "ls no-such-folder"


def working(folder: Path, summary: str) -> Model:
    """Return a model that writes, edits, and runs two commands, one of which fails."""
    file = str(folder / "project" / "pool.py")
    edit = {"old_string": "64", "new_string": "512", "replace_all": False}
    return Model(
        use("Write", "toolu_w", file_path=file, content=MADE),
        use("Edit", "toolu_e", file_path=file, **edit),  # type: ignore[arg-type]
        use("Bash", "toolu_b", command=SEEDED, description="seed"),
        use("Bash", "toolu_f", command=FAILED, description="look"),
        summary=summary,
    )


def check_work(place: Hooked, model: Model) -> None:
    """Compare what the ledger holds of that work with the script, and with what the model heard."""
    assert [(call, tool, ok) for call, tool, _, ok in place.calls()][:4] == [
        ("toolu_w", "Write", True),
        ("toolu_e", "Edit", True),
        ("toolu_b", "Bash", True),
        ("toolu_f", "Bash", False),
    ]
    [written, edited, *_] = [given for _, _, given, _ in place.calls()]
    assert (written["content"], edited["new_string"]) == (MADE, "512")
    told = outputs(model.told[4])
    assert set(told) == {"toolu_w", "toolu_e", "toolu_b", "toolu_f"}
    (seeded, good, rows), (failed, bad, why) = place.commands()[:2]
    assert (seeded, good, rows, failed, bad) == (SEEDED, 0, "4217 rows", FAILED, 2)
    assert told["toolu_b"].startswith(rows)
    assert told["toolu_f"] == f"Exit code 2\n{why}"
    assert "no-such-folder" in why
    assert place.states()[:4] == [
        ("pool.py", MADE),
        ("pool.py", CHANGED),
        ("pool.py", "connections = 511\n"),
        ("rows.csv", "id,name\n"),
    ]


FATES = {
    ("constraint", "Never open more than 512 connections."): "dropped",
    ("constraint", "We must keep the port at 7431."): "kept",
    ("command", SEEDED): "dropped",
    ("command", FAILED): "dropped",
    ("number", "512 (Never open more than 512 connections.)"): "dropped",
    ("number", "7431 (We must keep the port at 7431.)"): "kept",
    ("path", "pool.py"): "kept",
    ("path", "rows.csv"): "dropped",
    ("request", "Make pool.py."): "kept",
}
SUMMARY = "The user said: Make pool.py. We must keep the port at 7431. It is made."


@pytest.mark.req("X4", "L17")
def test_compact_loses_nothing_and_says_what_the_summary_dropped(
    programs: Path, tmp_path: Path
) -> None:
    model = working(tmp_path, SUMMARY)
    with hooked(tmp_path, model) as place:
        place.holdfast("agents", "install", "claude-code")
        assert "All done." in ask(place, programs, ASKED)
        check_work(place, model)
        ask(place, programs, "/compact", "--continue")
        [compacted] = place.data("context_compacted")
        assert (compacted["trigger"], SUMMARY in compacted["summary"]) == ("manual", True)
        assert place.lost() == FATES
        ask(place, programs, "Go on.", "--continue")
        last = model.told[-1]
        assert any(SUMMARY in text for text in texts(last))
        assert (ASKED in texts(model.told[0]), ASKED in texts(last)) == (True, False)
        known = brought_back(last)
        assert "Never open more than 512 connections." in known
        assert f"exit 2: {FAILED}" in known
        assert f"exit 0: {SEEDED}" in known
        assert [one["text"] for one in place.data("prompt_given")] == [ASKED, "Go on."]
        assert [one["text"] for one in place.data("agent_said")] == ["All done.", "All done."]
        check_work(place, model)
        assert len(place.data("context_compacted")) == 1  # its transcript tells of it, too
        place.check()


@pytest.mark.req("X4", "L17")
def test_a_compaction_in_the_middle_of_a_turn_loses_nothing(programs: Path, tmp_path: Path) -> None:
    model = working(tmp_path, SUMMARY)
    model.steps[3] = full(model.steps[3])  # type: ignore[arg-type]
    with hooked(tmp_path, model) as place:
        place.holdfast("agents", "install", "claude-code")
        assert "All done." in ask(place, programs, ASKED, **FORCED)
        assert len(model.condensed) >= 1
        [compacted] = place.data("context_compacted")
        assert (compacted["trigger"], SUMMARY in compacted["summary"]) == ("auto", True)
        assert place.lost() == FATES
        last = model.told[-1]
        assert (ASKED in texts(model.told[0]), ASKED in texts(last)) == (True, False)
        known = brought_back(last)
        assert "The context was compacted" in known
        assert "Never open more than 512 connections." in known
        assert f"exit 2: {FAILED}" in known
        assert [one["text"] for one in place.data("prompt_given")] == [ASKED]
        place.check()


def killed(
    place: Hooked, programs: Path, told: Sequence[object], words: str, *, asked: int
) -> None:
    """Let Claude Code work until its model was asked so often, and kill it in that moment."""
    env = {"PATH": os.environ["PATH"], "HOME": str(place.home)} | QUIET
    running = subprocess.Popen(
        [programs / "claude", "-p", words, *TOOLS],
        cwd=place.project,
        env=env | {"ANTHROPIC_BASE_URL": place.server.url},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert place.server.wait_for(lambda _: len(told) >= asked, 120)
    finally:
        running.kill()
        running.wait()


@pytest.mark.req("X4")
def test_killed_in_the_middle_of_a_turn_it_goes_on_with_what_was_done(
    programs: Path, tmp_path: Path
) -> None:
    model = working(tmp_path, SUMMARY)
    model.steps.append(never)
    with hooked(tmp_path, model) as place:
        place.holdfast("agents", "install", "claude-code")
        killed(place, programs, model.told, ASKED, asked=5)
        check_work(place, model)
        assert place.entries("session_ended") == []
        [started] = place.entries("session_started")
        assert "All done." in ask(place, programs, "Go on.", "--resume", started["session_id"])
        assert [one["source"] for one in place.data("session_started")] == ["startup", "resume"]
        assert {entry["session_id"] for entry in place.entries()} == {started["session_id"]}
        known = brought_back(model.told[-1])
        assert f"exit 2: {FAILED}" in known
        assert "Never open more than 512 connections." in known
        assert [one["text"] for one in place.data("prompt_given")] == [ASKED, "Go on."]
        check_work(place, model)
        place.check()


@pytest.mark.req("X4", "L17")
def test_cleared_without_the_gate_the_next_session_is_told_all_the_same(
    programs: Path, tmp_path: Path
) -> None:
    model = working(tmp_path, SUMMARY)
    with hooked(tmp_path, model) as place:
        place.holdfast("agents", "install", "claude-code")
        ask(place, programs, ASKED)
        asked = len(model.told)
        assert "Nothing was cleared." in ask(place, programs, "/clear", "--continue")
        ask(place, programs, "/new", "--continue")
        assert len(model.told) == asked
        assert [one["trigger"] for one in place.data("gate_ran")] == [
            "clear",
            "clear without the gate",
        ]
        [cleared] = [
            one for one in place.entries("session_ended") if one["data"]["reason"] == "clear"
        ]
        assert set(place.lost(cleared["session_id"]).values()) == {"dropped"}
        model.steps.append(Said("I know."))
        assert "I know." in ask(place, programs, "What now?", "--continue")
        assert ASKED not in texts(model.told[-1])
        told = "\n".join(texts(model.told[-1]))
        assert "The context was cleared without passing the gate" in told
        assert "Never open more than 512 connections." in told
        after = [
            one for one in place.entries("session_started") if one["data"]["source"] == "clear"
        ]
        assert [one["data"]["parent"] for one in after] == [cleared["session_id"]]
        check_work(place, model)
        place.check()
