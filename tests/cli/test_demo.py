"""The demo: everything it shows is real, and it says so when something is not."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from holdfast.cli.commands import demo
from holdfast.cli.demo import desk, killing, page, proxying, recalling, saving, tampering
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.story import tell
from holdfast.cli.demo.terminal import Terminal
from tests.cli.harness import Holdfast
from tests.cli.screen import on_terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def project(home: Path) -> Path:
    (home / "shop").mkdir()
    Terminal(home / "shop")("init")
    return home / "shop"


@pytest.mark.req("P12", "O9")
def test_the_whole_story_is_told_and_holds(bare: Holdfast) -> None:
    done = bare.process("demo", "--fast", TMPDIR=str(bare.home))
    assert (done.code, list(bare.home.iterdir())) == (0, [])
    shown = done.text
    assert "NOT AS PROMISED" not in shown
    assert "\x1b" not in shown
    for line in (
        "Attention budget exhausted. Please /clear.",
        "Cannot clear: 1 decisions lack grounded citations.",
        "NOT GROUNDED: changed.",
        "Nothing is in the way. Grounding ratio 1.00, 1 decision.",
        "Task 10/20: pages convert the pages\n   Next: item 11\n",
        "1 × kill -9, 1 of them between the beginning of an append and its receipt",
        "items 11 to 20: each recorded once",
        "$ holdfast search 'algorithm layout' --type decision",
        f"reasoning: {recalling.WHY}",
        "[REDACTED:",
        "Still pending: publish (approval): Publish the pages?",
        "the same digests as in the save",
        "the bytes are not those that were sealed",
        "Entity: ship.py::ship",
        "return 0 if order.total > 50 else 5",
        "Next: `holdfast init`",
    ):
        assert line in shown


@pytest.mark.req("P12")
def test_the_environment_of_whoever_runs_it_does_not_matter(bare: Holdfast) -> None:
    facts = bare.process(
        *("demo", "--fast", "--json"),
        TMPDIR=str(bare.home),
        HOLDFAST_SESSION="mine",
        HOLDFAST_ACTOR="me",
    ).json()
    assert facts["ok"] is True
    assert facts["zone"] == "red"
    assert facts["back_tokens"] < 100 < facts["desk_tokens"]
    assert facts["acknowledged"] == facts["kept"] == 10
    assert sorted(facts["found"].values()) == [False, True]
    assert facts["secret_found_in"] == []
    assert facts["booted"] is True
    assert facts["tampered"] in facts["named"]
    assert facts["entities"] == {"ship.py::ship": "AUTHORITATIVE"}
    assert facts["page_entries"] > 60
    assert not (bare.folder / ".holdfast").exists()
    assert list(bare.home.iterdir()) == []


def test_a_gate_that_lets_everything_pass_is_marked(project: Path) -> None:
    (project / ".holdfast" / "config.toml").write_text("")
    user = project.parent / "home/.config/holdfast"
    user.mkdir(parents=True)
    (user / "config.toml").write_text('[gate]\nenforcement = "disabled"\n')
    steps = _told(desk.clear_the_desk, project)
    assert [step.ok for step in steps[:2]] == [True, False]


def _told(scenes: Callable[[Path], Any], project: Path) -> list[Step]:
    return list(scenes(project))


def test_an_agent_that_never_went_on_is_marked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killing, "_live", lambda *_: killing.Life(-9, ["demo-item-11"], True))
    step = killing.kill(project, fast=True)
    assert not step.ok
    assert "acknowledged: 1, of them in the ledger: 0" in step.lines


@pytest.mark.req("O9")
def test_a_boot_that_does_not_come_back_the_same_is_marked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Terminal.quietly

    def other(terminal: Terminal, *arguments: str, code: int = 0) -> list[Any]:
        [answer] = real(terminal, *arguments, code=code)
        return [answer | ({"digests": {}} if arguments[0] == "boot" else {})]

    assert saving.save_and_boot(project).ok
    monkeypatch.setattr(Terminal, "quietly", other)
    Terminal(project)("pending", "resolve", "publish", "--outcome", "yes")
    step = saving.save_and_boot(project)
    assert (step.ok, "OTHER digests" in step.lines[-1]) == (False, True)


def test_a_bit_that_is_not_flipped_is_not_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(project)
    for choice in ("one", "two", "three"):
        terminal.quietly("decide", choice, "--because", "why not")
    monkeypatch.setattr(tampering, "flip", lambda *_: ("a", "a"))
    assert not tampering.tamper(project).ok


def test_a_model_that_is_not_told_the_true_code_is_marked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxying, "QUESTION", "What time is it?")
    assert not proxying.keep_the_code_true(project).ok


def test_a_page_that_shows_another_ledger_is_marked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.look(project).ok
    monkeypatch.setattr(Terminal, "quietly", lambda *_: [{"entries": 7}])
    assert not page.look(project).ok


def test_a_step_that_fails_is_marked_and_ends_with_no(
    bare: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Step("A thing", "It should hold.", ["it does not"], ok=False, facts={})
    monkeypatch.setattr(demo, "tell", lambda *_, **__: iter([failed]))
    done = bare("demo", "--fast")
    assert done.code == 1
    assert "1. A thing  NOT AS PROMISED" in done.text
    assert "Something is not as promised" in done.text


def test_what_is_shown_is_what_was_typed_and_answered(home: Path) -> None:
    terminal = Terminal(home)
    said = terminal("init")
    assert terminal.lines == ["$ holdfast init", *said.splitlines()]
    assert terminal.ok
    terminal.refused("show", "7")
    assert terminal.ok
    terminal("show", "7")
    assert not terminal.ok


def test_a_command_that_should_refuse_and_does_not_is_noticed(home: Path) -> None:
    terminal = Terminal(home)
    terminal.refused("init")
    assert not terminal.ok


def test_every_step_of_the_story_says_why_it_matters(home: Path) -> None:
    first = next(tell(home / "shop", fast=True))
    assert first.why.endswith(".")
    assert first.facts["desk_tokens"] > 15_000


ONE_STEP = """
from holdfast.cli.commands import demo
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.cli.root import root

def tell(project, *, fast):
    project.mkdir()
    Terminal(project)("init")
    yield Step("A thing", "It holds.", ["$ holdfast init", "it does"], True, {})

demo.tell, demo.READING_S = tell, 0
root.main(["demo"])
"""
LINK = re.compile(rb"http://127\.0\.0\.1:[0-9]+/\?token=[-_0-9A-Za-z]{20,}")


def test_on_a_terminal_it_ends_with_the_page_until_somebody_interrupts(bare: Holdfast) -> None:
    pages: list[bytes] = []

    def look(shown: bytes) -> bytes:
        """Open the link once it is there, as a browser does, then interrupt."""
        found = LINK.search(shown)
        if found is None or b"Ctrl-C" not in shown or pages:
            return b""
        jar = build_opener(HTTPCookieProcessor())
        with jar.open(found[0].decode(), timeout=30) as answer:
            pages.append(answer.read())
        return b"\x03"

    env = {"TMPDIR": str(bare.home), "BROWSER": "true"}
    command = [sys.executable, "-c", ONE_STEP]
    screen = on_terminal(bare, command=command, answer=look, columns=80, **env)
    assert (screen.code, len(pages)) == (0, 1)
    assert b"<!doctype html" in pages[0].lower()
    assert screen.colour("1. A thing") == "bold cyan"
    assert list(bare.home.iterdir()) == []


def test_no_browser_takes_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not demo._has_windows()
    monkeypatch.setenv("DISPLAY", ":0")
    assert demo._has_windows()
