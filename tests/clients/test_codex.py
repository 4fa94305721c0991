"""The real Codex works with its tools through the proxy, its model scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.agents import SWAPPED, Workplace, workplace

pytestmark = pytest.mark.clients

SETTINGS = """
model = "gpt-5.5"
check_for_update_on_startup = false
{more}
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
exporter = "none"
"""
PROVIDER = """
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""
OPTIONS = ("--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "danger-full-access")

MAKE = "*** Begin Patch\n*** Add File: made.py\n+def neg(a):\n+    return -a\n*** End Patch\n"
CHANGE = (
    "*** Begin Patch\n*** Update File: made.py\n@@\n def neg(a):\n-    return -a\n"
    "+    return 0 - a\n*** End Patch\n"
)
MISS = CHANGE.replace("return -a", "return none of that").replace("0 - a", "1")
DELETE = "*** Begin Patch\n*** Delete File: made.py\n*** End Patch\n"
SWAP = (
    "*** Begin Patch\n*** Update File: {path}\n@@\n def add(a, b):\n-    return a + b\n"
    "+    return b + a\n*** End Patch\n"
)


def patch(text: str, call: str) -> Said:
    return Said(calls=(ToolCall("apply_patch", text, call),))


def in_order(*steps: Said) -> Any:
    """Return a script: each step when the calls of those before it are done."""

    def script(body: Any) -> Said:
        called = sum("call" in str(item.get("type")) and "name" in item for item in body["input"])
        return steps[called] if called < len(steps) else Said("All done.")

    return script


def ask(place: Workplace, codex: Path, words: str, *more: str, url: str | None = None) -> str:
    """Let Codex do one thing; without a `url` of the built-in provider, one is set up for it."""
    folder = place.home / ".codex"
    folder.mkdir(exist_ok=True)
    chosen = f'openai_base_url = "{url}/v1"' if url else PROVIDER.format(url=place.url)
    (folder / "config.toml").write_text(SETTINGS.format(more=chosen))
    env = {"SCRIPTED_KEY": "x", "CODEX_API_KEY": "x"}
    return place.run(codex, "exec", *more, *OPTIONS, words, env=env)


def test_it_makes_and_changes_files_and_just_that_is_true(programs: Path, tmp_path: Path) -> None:
    script = in_order(
        patch(MAKE, "call_1"),
        Said(calls=(ToolCall("exec_command", {"cmd": "cat made.py"}, "call_2"),)),
        patch(CHANGE, "call_3"),
        patch(MISS, "call_4"),
    )
    with workplace(tmp_path, script) as place:
        assert "All done." in ask(place, programs / "codex", "make made.py")
        assert place.read("made.py") == "def neg(a):\n    return 0 - a\n"
        assert place.state() == {"made.py::neg": "AUTHORITATIVE"}
        assert place.is_on_disk("made.py")
        assert place.changes() == []
        assert [one["ended"] for one in place.episodes()] == ["whole"] * 5
        assert {one["prompt"] for one in place.episodes()} == {"make made.py"}
        assert len({one["conversation"] for one in place.episodes()}) == 1
        # It sends no text of the file again, so what is true is put before the model.
        assert ["made.py::neg"] in place.hydrated()


def test_a_patch_that_goes_through_its_shell_is_true_as_well(
    programs: Path, tmp_path: Path
) -> None:
    command = {"cmd": f"apply_patch <<'EOF'\n{MAKE}EOF\n"}
    script = in_order(Said(calls=(ToolCall("exec_command", command, "call_1"),)))
    with workplace(tmp_path, script) as place:
        ask(place, programs / "codex", "make made.py")
        assert place.state() == {"made.py::neg": "AUTHORITATIVE"}
        assert place.is_on_disk("made.py")


def test_a_file_that_it_deletes_is_gone(programs: Path, tmp_path: Path) -> None:
    script = in_order(patch(MAKE, "call_1"), patch(DELETE, "call_2"))
    with workplace(tmp_path, script) as place:
        ask(place, programs / "codex", "make it and take it away")
        assert not (place.project / "made.py").exists()
        assert place.state() == {"made.py::neg": "TOMBSTONED"}


def test_a_change_of_a_file_that_nobody_saw_stays_a_proposal(
    programs: Path, tmp_path: Path
) -> None:
    with workplace(tmp_path, in_order(patch(SWAP.format(path="calc.py"), "call_1"))) as place:
        ask(place, programs / "codex", "swap the operands")
        assert place.read("calc.py") == SWAPPED
        assert place.state() == {}


def test_it_tries_a_websocket_first_and_then_does_without(programs: Path, tmp_path: Path) -> None:
    with workplace(tmp_path, in_order(patch(MAKE, "call_1"))) as place:
        ask(place, programs / "codex", "make made.py", url=place.url)
        assert {one.method for one in place.server.requests if one.path == "/v1/responses"} == {
            "POST"
        }
        assert place.state() == {"made.py::neg": "AUTHORITATIVE"}
        assert place.is_on_disk("made.py")


def test_a_history_that_it_compacts_is_recorded_as_compacted(
    programs: Path, tmp_path: Path
) -> None:
    def script(body: Any) -> Said:
        if "CONTEXT CHECKPOINT COMPACTION" in str(body["input"][-1]):
            return Said("They asked for made.py, and it is made.")
        if (tmp_path / "project" / "made.py").exists():
            return Said("All done.")
        return msgspec.structs.replace(patch(MAKE, "call_1"), tokens_in=100_000)

    with workplace(tmp_path, script) as place:
        limit = ("-c", "model_auto_compact_token_limit=50000")
        assert "All done." in ask(place, programs / "codex", "make made.py", *limit)
        assert place.changes() == ["compacted"]
        assert [one["prompt"] for one in place.episodes()] == ["make made.py"] * 3
        assert place.state() == {"made.py::neg": "AUTHORITATIVE"}
        assert place.is_on_disk("made.py")
