"""On a terminal: captured at 80 and at 140 columns, in colour, with links, nothing broken."""

from __future__ import annotations

import pytest

from holdfast.ledger.sources import system_clock
from tests.cli.harness import Holdfast
from tests.cli.screen import Screen, on_terminal

WORDS = "take from the front, because the kernel serves its writers in turn and in order, always"
WIDTHS = pytest.mark.parametrize("columns", [80, 140])
COMMANDS = (
    "status",
    "log",
    "show 1",
    "search front kernel",
    "resume",
    "clear --check",
    "verify",
    "doctor",
)


@pytest.fixture
def worked(bare: Holdfast) -> Holdfast:
    """A project in which somebody worked a little."""
    (bare.folder / "line.py").write_text("def take(items):\n    return items.pop(0)\n")
    bare("init")
    bare("session", "start", "--session", "line-1")
    bare("decide", WORDS, "--because", "somebody will ask why, months from now " * 4)
    bare.record("file_change", 2, "--session", "line-1", path="line.py")
    bare.record("error", 3, "--session", "line-1")
    return bare


def broken(screen: Screen, columns: int) -> list[str]:
    """Return the rows that fill the screen and whose last word goes on in the next."""
    pairs = zip(screen.rows, screen.rows[1:], strict=False)
    return [
        row
        for row, below in pairs
        if len(row) == columns and row[-1].isalnum() and below[:1].isalnum()
    ]


@WIDTHS
@pytest.mark.parametrize("typed", COMMANDS)
def test_no_word_is_broken_and_piped_it_is_plain(
    worked: Holdfast, typed: str, columns: int
) -> None:
    screen = on_terminal(worked, *typed.split(), columns=columns)
    piped = worked.process(*typed.split())
    assert screen.code == piped.code
    copied = [row for row in broken(screen, columns) if "`holdfast" not in row]
    assert copied == []
    assert "\x1b" not in piped.text
    assert b"\x1b[" in screen.raw


@WIDTHS
def test_an_entry_of_the_log_has_one_row_and_says_what_is_cut(
    worked: Holdfast, columns: int
) -> None:
    screen = on_terminal(worked, "log", columns=columns)
    assert len(screen.rows) == 4
    [row] = [row for row in screen.rows if "decision" in row]
    assert len(row) <= columns
    kept, _, gone = row.partition("…")
    cut = int(gone.removeprefix(" (+").removesuffix(")")) if gone else 0
    shown = kept[kept.index("take from") :]
    assert (WORDS.startswith(shown), len(shown) + cut) == (True, len(WORDS))
    assert (screen.colour("decision"), screen.colour("error")) == ("bold cyan", "bold red")


def test_a_wide_terminal_shows_more_than_a_narrow_one(worked: Holdfast) -> None:
    narrow, wide = (on_terminal(worked, "log", columns=columns).text for columns in (80, 140))
    assert WORDS not in narrow
    assert WORDS in on_terminal(worked, "log", columns=200).text
    assert len(wide) > len(narrow)


def test_files_can_be_opened_from_the_terminal(worked: Holdfast) -> None:
    assert set(on_terminal(worked, "status").links) == {worked.database.as_uri()}
    assert on_terminal(worked, "show", "2").links == [(worked.folder / "line.py").as_uri()]
    assert on_terminal(worked, "show", "1").links == []
    found = on_terminal(worked, "search", "--code", "take", columns=140)
    assert (worked.folder / "line.py").as_uri() in found.links


def test_a_path_that_nobody_can_open_is_no_link(worked: Holdfast) -> None:
    worked.record("file_change", 4, path="\x1b]8;;http://evil\x1b\\click")
    screen = on_terminal(worked, "show", "4")
    assert screen.links == []
    assert "\\x1b]8;;http://evil" in screen.text


def test_colours_mean_something(worked: Holdfast) -> None:
    assert on_terminal(worked, "verify").colour("ok: all") == "green"
    assert on_terminal(worked, "clear", "--check").colour("Cannot clear") == "bold red"
    assert on_terminal(worked, "doctor").colour("ok") == "green"
    assert on_terminal(worked, "resume").colour("No checkpoint") == "bold default"
    worked("pause")
    assert on_terminal(worked, "status").colour("PAUSED") == "bold brown"


def test_who_wants_no_colour_gets_none(worked: Holdfast) -> None:
    screen = on_terminal(worked, "verify", NO_COLOR="1")
    assert screen.colour("ok: all") == "default"


@pytest.mark.lesson("N6")
def test_an_open_session_from_which_nothing_comes_is_told(
    worked: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "QUIET" not in worked("status").text
    later_us = system_clock() + 7200 * 1_000_000
    monkeypatch.setattr("holdfast.cli.commands.status.system_clock", lambda: later_us)
    assert "QUIET     nothing came for 2 hours; `holdfast doctor`" in worked("status").text
    assert worked("session", "end", "--session", "line-1").code == 0
    assert "QUIET" not in worked("status").text


def test_the_live_gauge_has_the_colour_of_its_zone(worked: Holdfast) -> None:
    worked("attention", "--tokens", "16000")
    screen = on_terminal(worked, "status", "--watch", "--for", "0", columns=80)
    assert screen.code == 0
    assert screen.colour("red    [") == "bold red"
    assert max(map(len, screen.rows)) < 80
    plain = on_terminal(worked, "status", "--watch", "--for", "0", NO_COLOR="1")
    assert plain.colour("red    [") == "default"


@WIDTHS
def test_holdfast_alone_says_what_to_do_next_here(bare: Holdfast, columns: int) -> None:
    nothing = on_terminal(bare, columns=columns)
    assert [row.split()[1] for row in nothing.rows[1:]] == ["init", "demo", "--help"]
    bare("init")
    assert "holdfast session start" in bare().text
    bare("session", "start", "--session", "s1")
    going_on = on_terminal(bare, columns=columns)
    suggested = [row for row in going_on.rows if row.startswith("  holdfast")]
    assert suggested[0].startswith("  holdfast clear --check")
    assert "open: s1" in going_on.text
    assert bare("session", "end", "--session", "s1").code == 0
    over = bare().text
    assert over.index("holdfast resume") < over.index("holdfast session start")
    assert "holdfast up" in over
    bare("pause")
    assert "holdfast pause --off" in bare().text.splitlines()[1]
