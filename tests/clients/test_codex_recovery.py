"""The real Codex compacts and is resumed with hooks installed, and the ledger has it all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_codex import CHANGE, MAKE, patch
from tests.clients.test_codex_hooks import settings

pytestmark = pytest.mark.clients

OPTIONS = (
    *("--dangerously-bypass-hook-trust", "--skip-git-repo-check"),
    *("-c", 'sandbox_mode="danger-full-access"', "-c", "model_auto_compact_token_limit=50000"),
)
ASKED = "Make made.py. Never open more than 512 connections."
SEEDED = "echo hello > out.txt; cat made.py"
FAILED = "ls no-such-folder"
SUMMARY = "The user said: Make made.py. It is made."
MADE, CHANGED = "def neg(a):\n    return -a\n", "def neg(a):\n    return 0 - a\n"


def run(cmd: str, call: str) -> Said:
    return Said(calls=(ToolCall("exec_command", {"cmd": cmd}, call),))


class Model:
    """Answers with one step after the other, and keeps what it was told."""

    def __init__(self, *steps: Said) -> None:
        self.steps = list(steps)
        self.told: list[Any] = []

    def __call__(self, body: Any) -> Said:
        if "CONTEXT CHECKPOINT COMPACTION" in str(body["input"][-1]):
            return Said(SUMMARY)
        self.told.append(body)
        return self.steps.pop(0) if self.steps else Said("All done.")


def texts(body: Any, role: str) -> list[str]:
    """Return what stands in a request's messages of a role."""
    spoken = [item for item in body["input"] if item.get("role") == role]
    return [block["text"] for item in spoken for block in item["content"]]


def outputs(body: Any) -> dict[str, str]:
    """Return what the model was told of its calls."""
    return {item["call_id"]: str(item["output"]) for item in body["input"] if "output" in item}


def ask(place: Hooked, programs: Path, *words: str) -> str:
    """Let Codex do one thing."""
    return place.run(programs / "codex", "exec", *words, env={"SCRIPTED_KEY": "x"})


@pytest.mark.req("X4", "L17")
def test_compacted_and_resumed_it_loses_nothing(programs: Path, tmp_path: Path) -> None:
    last = msgspec.structs.replace(run(FAILED, "call_3"), tokens_in=100_000)
    model = Model(patch(MAKE, "call_1"), run(SEEDED, "call_2"), last)
    with hooked(tmp_path, model) as place:
        settings(place)
        place.holdfast("agents", "install", "codex")
        assert "All done." in ask(place, programs, *OPTIONS, ASKED)
        [compacted] = place.data("context_compacted")
        assert SUMMARY in compacted["summary"]
        assert place.lost() == {
            ("constraint", "Never open more than 512 connections."): "dropped",
            ("number", "512 (Never open more than 512 connections.)"): "dropped",
            ("command", SEEDED): "dropped",
            ("command", FAILED): "dropped",
            ("path", "made.py"): "kept",
            ("path", "out.txt"): "dropped",
            ("request", "Make made.py."): "kept",
        }
        [known] = [text for text in texts(model.told[3], "developer") if "From holdfast" in text]
        assert "The context was compacted" in known
        assert "Never open more than 512 connections." in known
        assert f"exit 2: {FAILED}" in known
        assert outputs(model.told[3]) == {}  # none of its calls is in the context any more

        model.steps.append(patch(CHANGE, "call_4"))
        assert "All done." in ask(place, programs, "resume", "--last", *OPTIONS, "Go on.")
        assert set(outputs(model.told[-1])) == {"call_4"}
        assert [one["source"] for one in place.data("session_started")] == [
            *("startup", "compact", "resume")
        ]
        assert len({entry["session_id"] for entry in place.entries()}) == 1
        check(place, model)


def check(place: Hooked, model: Model) -> None:
    """Compare what the ledger holds with the script, and with what the model was told."""
    assert [one["text"] for one in place.data("prompt_given")] == [ASKED, "Go on."]
    calls = {call: (tool, given["command"]) for call, tool, given, _ in place.calls()}
    assert calls == {
        "call_1": ("apply_patch", MAKE),
        "call_2": ("Bash", SEEDED),
        "call_3": ("Bash", FAILED),
        "call_4": ("apply_patch", CHANGE),
    }
    (seeded, good, shown), (failed, bad, why) = place.commands()
    assert (seeded, good, shown, failed, bad) == (SEEDED, 0, MADE, FAILED, 2)
    assert "no-such-folder" in why
    assert shown in outputs(model.told[2])["call_2"]
    assert place.states() == [("made.py", MADE), ("out.txt", "hello\n"), ("made.py", CHANGED)]
    assert [one["text"] for one in place.data("agent_said")].count("All done.") == 2
    place.check_given("compact", "resume", asked=model.told)
    place.check()
