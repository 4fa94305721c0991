"""The real opencode with our plugin: what it does is recorded, and what is known reaches it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.hooked import Hooked, hooked

pytestmark = pytest.mark.clients

QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}


def settings(place: Hooked) -> None:
    """Write the user's own settings of opencode: where the scripted model is."""
    folder = place.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{place.server.url}/v1", "apiKey": "x"},
        "models": {"m": {"name": "m"}},
    }
    chosen = {
        "provider": {"scripted": provider},
        "model": "scripted/m",
        "small_model": "scripted/m",
    }
    quiet = {"autoupdate": False, "share": "disabled"}
    (folder / "opencode.json").write_text(json.dumps(chosen | quiet))


def asked(place: Hooked) -> list[Any]:
    """Return what the conversation sent to the model."""
    return [one.json() for one in place.server.requests if one.json().get("tools")]


def said_by_user(body: Any) -> list[str]:
    """Return the texts of the user's messages in a request."""
    contents = [one["content"] for one in body["messages"] if one["role"] == "user"]
    return [
        text
        for content in contents
        for text in (
            [content] if isinstance(content, str) else [block.get("text") for block in content]
        )
    ]


@pytest.mark.req("X4")
def test_one_install_and_a_session_is_recorded_and_told_what_is_known(
    programs: Path, tmp_path: Path
) -> None:
    made = str(tmp_path / "project" / "made.py")
    command = {"command": "echo hello > out.txt; echo done", "description": "say it"}
    steps = [
        Said(calls=(ToolCall("write", {"filePath": made, "content": "x = 1\n"}, "call_1"),)),
        Said(calls=(ToolCall("bash", command, "call_2"),)),
    ]

    def script(body: Any) -> Said:
        called = sum(len(one.get("tool_calls") or ()) for one in body["messages"])
        if not body.get("tools"):
            return Said("A title")
        return steps[called] if called < len(steps) else Said("All done.")

    with hooked(tmp_path, script) as place:
        settings(place)
        place.holdfast("agents", "install", "opencode")
        place.holdfast("decide", "Indent with tabs", "--because", "the user said so")
        told = place.run(programs / "opencode", "run", "make made.py", env=QUIET, timeout_s=300)
        assert "All done." in told
        [prompt] = [one["text"] for one in place.data("prompt_given")]
        assert prompt == '"make made.py"'  # so it passes on words with blanks, to the model too
        assert prompt in said_by_user(asked(place)[0])
        assert [one["text"] for one in place.data("agent_said")] == ["All done."]
        assert [(call, tool, ok) for call, tool, _, ok in place.calls()] == [
            ("call_1", "write", True),
            ("call_2", "bash", True),
        ]
        assert next(given for _, _, given, _ in place.calls())["content"] == "x = 1\n"
        assert place.commands() == [(command["command"], 0, "done\n")]
        assert place.states() == [("made.py", "x = 1\n"), ("out.txt", "hello\n")]
        heard = {
            one["tool_call_id"]: one["content"]
            for one in asked(place)[-1]["messages"]
            if one["role"] == "tool"
        }
        assert "done" in json.dumps(heard["call_2"])
        place.check()
        assert "Indent with tabs" in json.dumps(asked(place)[0]["messages"])
        assert place.status("opencode")["faults"] == []
