"""`holdfast import claude-code | codex | opencode`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.sampled import CLAUDE, CODEX, copy_of, opencode_database
from tests.cli.harness import Holdfast


@pytest.mark.req("X7")
def test_transcripts_come_in_and_again_add_nothing(holdfast: Holdfast, tmp_path: Path) -> None:
    sources = {
        "claude-code": copy_of(CLAUDE, tmp_path / "claude"),
        "codex": copy_of(CODEX, tmp_path / "codex"),
        "opencode": opencode_database(tmp_path / "opencode.db"),
    }
    for kind, source in sources.items():
        first = holdfast("import", kind, source, "--json")
        assert first.code == 0
        assert first.json()["imported"] > 0
        assert first.json()["quarantined"] == 0
        again = holdfast("import", kind, source, "--json").json()
        seen = first.json()["imported"] + first.json()["duplicates"]
        assert (again["imported"], again["duplicates"]) == (0, seen)
    assert holdfast("verify").code == 0
    assert "third thing" in holdfast("log", "--type", "prompt_given").text


def test_torn_lines_are_named(holdfast: Holdfast, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"mode"}\n{"torn')
    done = holdfast("import", "claude-code", path, "--json")
    assert done.json() == {"imported": 1, "quarantined": 1, "duplicates": 0, "sessions": 1}
    assert "quarantined s.jsonl:2" in done.err


def test_misuse_is_said(holdfast: Holdfast, tmp_path: Path) -> None:
    assert holdfast("import", "claude-code", tmp_path / "nowhere").code == 1
    assert holdfast("import", "claude-code", tmp_path, "--all").code == 2
    assert holdfast("import", "prism").code == 2
    assert holdfast("import", "gemini", tmp_path).code == 2
