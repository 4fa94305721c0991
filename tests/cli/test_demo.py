"""The demo: every recovery it shows is real, and it says so when one is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.demo import recovery, saving
from holdfast.cli.demo.terminal import Terminal
from tests.cli.harness import Holdfast


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.req("P12")
def test_the_three_recoveries_are_shown_and_hold(bare: Holdfast) -> None:
    done = bare.process("demo", TMPDIR=str(bare.home))
    assert (done.code, list(bare.home.iterdir())) == (0, [])
    shown = done.text
    assert "NOT AS PROMISED" not in shown
    for line in (
        "$ holdfast resume\n   convert the pages 10/20; next: item 11;",
        "Session agent ended without saying so; it was closed as crashed.",
        "Quick Resume: convert the pages 10/20; next: item 11;",
        "$ holdfast search 'algorithm layout' --type decision",
        f"reasoning: {recovery.WHY}",
        "Still pending: publish (approval): Publish the pages?",
        "the same digests as in the save",
    ):
        assert line in shown


@pytest.mark.req("P12")
def test_the_environment_of_whoever_runs_it_does_not_matter(bare: Holdfast) -> None:
    facts = bare.process(
        "demo", "--json", TMPDIR=str(bare.home), HOLDFAST_SESSION="mine", HOLDFAST_ACTOR="me"
    ).json()
    assert facts["ok"] is True
    assert "10/20" in facts["resumed"]
    assert "10/20" in facts["quick_resume"]
    assert sorted(facts["found"].values()) == [False, True]
    assert facts["booted"] is True
    assert not (bare.folder / ".holdfast").exists()


def test_a_recovery_that_fails_is_marked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "_work_and_kill", lambda _project: -9)  # it never worked
    steps = list(recovery.recover(home))
    assert [step.ok for step in steps] == [False, False, True]


@pytest.mark.req("O9")
def test_a_boot_that_does_not_come_back_the_same_is_marked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "recovery").mkdir()
    Terminal(home / "recovery")("init")
    real = Terminal.quietly

    def other(terminal: Terminal, *arguments: str) -> list[Any]:
        [answer] = real(terminal, *arguments)
        return [answer | ({"digests": {}} if arguments[0] == "boot" else {})]

    assert saving.save_and_boot(home).ok
    monkeypatch.setattr(Terminal, "quietly", other)
    Terminal(home / "recovery")("pending", "resolve", "publish", "--outcome", "yes")
    step = saving.save_and_boot(home)
    assert (step.ok, "OTHER digests" in step.lines[-1]) == (False, True)


def test_what_is_shown_is_what_was_typed_and_answered(home: Path) -> None:
    terminal = Terminal(home)
    said = terminal("init")
    assert terminal.lines == ["$ holdfast init", *said.splitlines()]
    assert terminal.ok
    terminal("show", "7")
    assert not terminal.ok
