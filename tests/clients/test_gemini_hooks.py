"""The real Gemini CLI with hooks installed: it is recorded, and what is known reaches it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Said
from tests.clients.gemini_server import Parts, gemini_server
from tests.clients.hooked import hooked

pytestmark = pytest.mark.clients

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
    "privacy": {"usageStatisticsEnabled": False},
}


def call(name: str, **args: str) -> Parts:
    return [{"functionCall": {"name": name, "args": args}}]


@pytest.mark.req("X4")
def test_one_install_and_a_session_is_recorded_and_told_what_is_known(
    programs: Path, tmp_path: Path
) -> None:
    made = tmp_path / "project" / "made.py"
    steps = [
        call("write_file", file_path=str(made), content="x = 1\n"),
        call("run_shell_command", command="echo hello > out.txt", description="say it"),
    ]
    asked: list[Any] = []

    def script(body: Any) -> Parts:
        if not body.get("tools"):  # it asks a smaller model which one to use
            return [{"text": '{"reasoning": "simple", "model_choice": "flash"}'}]
        asked.append(body)
        parts = [part for one in body["contents"] for part in one["parts"]]
        called = sum("functionCall" in part for part in parts)
        return steps[called] if called < len(steps) else [{"text": "All done."}]

    with hooked(tmp_path, lambda _: Said("")) as place, gemini_server(script) as url:
        (place.home / ".gemini").mkdir()
        (place.home / ".gemini/settings.json").write_text(json.dumps(SETTINGS))
        before = place.tree()
        place.holdfast("agents", "install", "gemini")
        place.holdfast("decide", "Indent with tabs", "--because", "the user said so")
        env = {
            "GEMINI_API_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        told = place.run(programs / "gemini", "--yolo", "-p", "make made.py", env=env)
        assert "All done." in told
        assert [one["data"]["text"] for one in place.entries("prompt_given")] == ["make made.py"]
        changed = {entry["data"]["path"] for entry in place.entries("file_change")}
        assert {"made.py", "out.txt"} <= changed
        assert "All done." in {one["data"]["text"] for one in place.entries("agent_said")}
        assert "Indent with tabs" in json.dumps(asked[0])
        place.check_given("startup", asked=asked)
        called = [one["tool"] for one in place.data("tool_called")]  # it names no calls
        assert called == ["write_file", "run_shell_command"]
        assert place.holdfast("verify").startswith("ok")
        assert place.status("gemini")["faults"] == []
        place.holdfast("agents", "remove", "gemini")
        assert {name: place.tree().get(name) for name in before} == before
        assert not (place.project / ".gemini").exists()
