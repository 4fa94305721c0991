"""The real Claude Code on its terminal screen: typed at, compacted, held back, and cleared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.testing.model_server import Said
from tests.clients.claude import Model, brought_back, texts
from tests.clients.hooked import Hooked, hooked
from tests.clients.screen import Screen, on_screen
from tests.clients.test_claude import QUIET

pytestmark = pytest.mark.clients

RULE = "Never open more than 512 connections."


@contextmanager
def open_screen(place: Hooked, programs: Path) -> Iterator[Screen]:
    """Start Claude Code as somebody does who has used it before, and trusts this folder."""
    known = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["holdfast"]}
    mine = {"hasCompletedOnboarding": True, "theme": "dark"}
    mine |= {"projects": {str(place.project): known}}
    (place.home / ".claude.json").write_text(json.dumps(mine))
    quiet = {name: value for name, value in QUIET.items() if name != "ANTHROPIC_API_KEY"}
    # With a key it asks whether that may be used; with a token it does not.
    env = quiet | {"ANTHROPIC_AUTH_TOKEN": "x", "ANTHROPIC_BASE_URL": place.server.url}
    env |= {"PATH": os.environ["PATH"], "HOME": str(place.home)}
    with on_screen(programs / "claude", place.project, env) as screen:
        screen.wait_for("auto mode on")
        yield screen


@pytest.mark.req("X4", "L17")
def test_what_is_typed_compacted_held_back_and_cleared_is_all_there(
    programs: Path, tmp_path: Path
) -> None:
    model = Model(*(Said(f"Answer {number}.") for number in (1, 2, 3)), summary="They said hello.")
    with hooked(tmp_path, model) as place:
        place.holdfast("agents", "install", "claude-code")
        with open_screen(place, programs) as screen:
            screen.type(RULE)
            screen.wait_for("Answer 1.")
            screen.type("/compact")
            screen.wait_for("of 2 items the summary dropped 1 constraint, 1 number")
            assert "systemMessage" not in screen.text()
            screen.type("And now?")
            screen.wait_for("Answer 2.")
            assert RULE in brought_back(model.told[1])
            assert not any(text == RULE for text in texts(model.told[1]))
            asked = len(place.server.requests)
            screen.type("/clear")
            screen.wait_for("Nothing was cleared. 1 thing is in the way")
            assert "Answer 2." in screen.text()
            assert len(place.server.requests) == asked
            for name in ("usual", "edge", "error"):
                place.holdfast("task", "scenario", name, "--type", name, "--expected", "it works")
            screen.type("/clear")
            screen.wait_for("The gate passed")
            screen.wait_for("Type /new to clear.")
            screen.type("/new")
            screen.type("What holds?")
            screen.wait_for("Answer 3.")
            screen.leave("/exit")
        told = "\n".join(texts(model.told[2]))
        assert RULE in brought_back(model.told[2])
        assert "Answer 2." not in told
        assert "without passing the gate" not in told
        typed = [RULE, "And now?", "/clear", "/clear", "What holds?"]
        assert [one["text"] for one in place.data("prompt_given")] == typed
        said = [one["text"] for one in place.data("agent_said")]
        assert said == ["Answer 1.", "Answer 2.", "Answer 3."]
        [compacted] = place.data("context_compacted")
        assert "They said hello." in compacted["summary"]
        clears = [one for one in place.data("gate_ran") if one["trigger"] == "clear"]
        assert [one["passed"] for one in clears] == [False, True]
        starts = [one["source"] for one in place.data("session_started")]
        assert starts == ["startup", "compact", "clear"]
        ends = [one["reason"] for one in place.data("session_ended")]
        assert ends == ["cleared", "clear", "prompt_input_exit"]  # first the gate said so
        place.check()
