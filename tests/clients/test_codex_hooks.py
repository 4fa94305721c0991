"""The real Codex with hooks installed: what it does is recorded, and its settings come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_codex import MAKE, OPTIONS, PROVIDER, SETTINGS, in_order, patch

pytestmark = pytest.mark.clients

TRUST = '\n[projects."{project}"]\ntrust_level = "trusted"\n'


def settings(place: Hooked) -> Path:
    """Write the user's own settings of Codex, and return where they are."""
    path = place.home / ".codex" / "config.toml"
    path.parent.mkdir()
    provider = PROVIDER.format(url=place.server.url)
    path.write_text(SETTINGS.format(more=provider) + TRUST.format(project=place.project))
    return path


@pytest.mark.req("X4")
@pytest.mark.parametrize("scope", ["project", "user"])
def test_one_install_and_a_session_is_recorded(programs: Path, tmp_path: Path, scope: str) -> None:
    command = {"cmd": "echo hello > out.txt; cat made.py"}
    script = in_order(
        patch(MAKE, "call_1"), Said(calls=(ToolCall("exec_command", command, "call_2"),))
    )
    with hooked(tmp_path, script) as place:
        mine = settings(place)
        before, written = place.tree(), mine.read_bytes()
        place.holdfast("agents", "install", "codex", "--scope", scope)
        told = place.run(
            programs / "codex", "exec", *OPTIONS, "make made.py", env={"SCRIPTED_KEY": "x"}
        )
        assert "All done." in told
        data = {entry["type"]: entry["data"] for entry in place.entries()}
        assert data["prompt_given"]["text"] == "make made.py"
        assert data["agent_said"]["text"] == "All done."
        changed = {entry["data"]["path"] for entry in place.entries("file_change")}
        assert changed == {"made.py", "out.txt"}
        assert {"session_started", "session_ended", "tool_called"} < place.types()
        status = place.status("codex")
        assert (status["version"], status["faults"]) == ("0.166.0", [])
        place.holdfast("agents", "remove", "codex", "--scope", scope)
        for name in ("made.py", "out.txt"):
            (place.project / name).unlink()
        assert place.tree() == before
        assert mine.read_bytes() == written
