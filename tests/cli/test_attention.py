"""`holdfast attention` and the live view of `holdfast status`."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
from collections.abc import Iterator

import pytest

from holdfast.cli import gauge
from holdfast.kernel.limits import WATCH_POLL_S
from holdfast.views.attention import Bounds
from tests.cli.harness import Holdfast, running

LONG_S = 300
"""Longer than anything takes on a machine that has much else to do."""


@pytest.fixture
def work(holdfast: Holdfast) -> Holdfast:
    """A project in a session."""
    assert holdfast("session", "start", "--session", "s").code == 0
    return holdfast


def types(holdfast: Holdfast) -> list[str]:
    return [entry["type"] for entry in holdfast.entries()]


@pytest.mark.req("L5")
def test_a_count_is_recorded_and_its_zone_told(work: Holdfast) -> None:
    found = work("attention", "--tokens", "6200")
    assert found.code == 0
    assert found.text.startswith("yellow [")
    assert "6,200 tokens" in found.text
    assert types(work)[-2:] == ["attention_measured", "delta_synced"]


@pytest.mark.req("L5")
@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("10000", "Context is filling. Consider /clear when ready."),
        ("15000", "Attention budget exhausted. Please /clear."),
    ],
)
def test_orange_and_red_tell_the_user_and_refuse_nothing(
    work: Holdfast, tokens: str, message: str
) -> None:
    found = work("attention", "--tokens", tokens)
    assert found.code == 0
    assert found.text.splitlines()[-1] == message
    assert work.record("metric")["seq"] > 0


def test_a_file_is_counted_and_the_counter_named(work: Holdfast) -> None:
    (work.folder / "a.txt").write_text("word " * 6_000)
    found = work("attention", "a.txt", "--json").json()
    assert (found["zone"], found["tokens"] >= 6_000) == ("yellow", True)
    measured = [entry for entry in work.entries() if entry["type"] == "attention_measured"]
    assert measured[-1]["data"]["counter"] not in ("", "caller")


def test_standard_input_is_counted_too(work: Holdfast) -> None:
    found = work("attention", "-", "--json", "--model", "holdfast-1", stdin=b"one two three")
    assert (found.code, found.json()["tokens"] > 0) == (0, True)


def test_without_arguments_it_shows_and_records_nothing(work: Holdfast) -> None:
    assert "Nobody counted" in work("attention").text
    work("attention", "--tokens", "6200")
    before = types(work)
    shown = work("attention", "--json").json()
    assert (shown["tokens"], shown["zone"], shown["peak"]) == (6200, "yellow", 6200)
    assert types(work) == before


def test_a_count_and_something_to_count_are_not_both_given(work: Holdfast) -> None:
    assert work("attention", "a.txt", "--tokens", "5").code == 2
    assert work("attention", "--tokens", "-1").code == 2


def test_a_window_makes_shares(work: Holdfast) -> None:
    found = work("attention", "--tokens", "6200", "--window", "200000", "--json").json()
    assert (found["zone"], found["bounds"]["red"]) == ("green", 150_000)


# The live view


def test_where_there_is_no_terminal_it_is_shown_once(work: Holdfast) -> None:
    work("attention", "--tokens", "6200")
    found = work("status", "--watch")
    assert found.code == 0
    assert "yellow [" in found.text
    assert "1 would block a clear" in found.text
    assert "0 of 3 test scenarios" in found.text
    assert "decisions were written down in entry 2" in found.text
    assert "\x1b" not in found.text


def test_for_scripts_the_gauge_is_json(work: Holdfast) -> None:
    work("clear")
    found = work("status", "--watch", "--json").json()
    assert (found["session_id"], found["ran"]["passed"]) == ("s", False)
    assert [block["step"] for block in found["blocks"]] == [7]


def test_for_goes_with_watch(work: Holdfast) -> None:
    assert work("status", "--for", "1").code == 2


class Clock:
    """A clock that moves when somebody pauses."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.pauses = 0

    def read(self) -> float:
        return self.now_s

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        self.pauses += 1


def test_it_is_drawn_again_on_change_only(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    frames: Iterator[list[str]] = iter([["a"], ["a"], ["b", "c"], ["b", "c"], ["d"]])
    gauge.watch(frames, clock_s=clock.read, pause=clock.pause, for_s=None)
    assert capsys.readouterr().out == "a\n\x1b[1A\x1b[Jb\nc\n\x1b[2A\x1b[Jd\n"
    assert clock.pauses == 5


def test_it_ends_when_time_is_up(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    endless: Iterator[list[str]] = iter(lambda: ["a"], None)
    gauge.watch(endless, clock_s=clock.read, pause=clock.pause, for_s=4 * WATCH_POLL_S)
    assert (clock.pauses, capsys.readouterr().out) == (4, "a\n")


def test_a_line_wider_than_the_terminal_is_cut_and_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    gauge.watch(iter([["x" * 50]]), clock_s=Clock().read, pause=lambda _s: None, for_s=None)
    assert capsys.readouterr().out == "x" * 16 + "...\n"


def test_the_bar_fills_up_to_red_and_marks_where_zones_begin() -> None:
    bounds = Bounds(5_000, 10_000, 15_000)
    drawn = [re.findall(r"\[(.*)\]", gauge.bar(n, "z", bounds))[0] for n in (0, 7_500, 99_999)]
    assert drawn[0] == "." * 10 + "|" + "." * 9 + "|" + "." * 9
    assert drawn[1].count("#") == 14
    assert drawn[2] == "#" * 10 + "|" + "#" * 9 + "|" + "#" * 9
    assert gauge.bar(5, "red", Bounds(0, 0, 0)) == "red    5 tokens"


def read_until(terminal: int, wanted: bytes) -> bytes:
    """Read what is drawn until something stands there."""
    seen = b""
    while wanted not in seen:
        assert select.select([terminal], [], [], LONG_S)[0], seen
        seen += os.read(terminal, 4096)
    return seen


def test_on_a_terminal_an_interrupt_ends_it_quietly(work: Holdfast) -> None:
    work("attention", "--tokens", "6200")
    ours, theirs = pty.openpty()
    try:
        with running(
            work, "status", "--watch", env=work.env(COLUMNS="120"), stdout=theirs
        ) as process:
            os.close(theirs)
            read_until(ours, b"would block")
            work("attention", "--tokens", "11000")
            assert b"\x1b[J" in read_until(ours, b"Context is filling.")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=LONG_S)
    finally:
        os.close(ours)
    assert (process.returncode, err) == (0, b"")


def test_an_interrupt_is_not_lost_where_an_exception_would_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Cleaned:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)  # what is raised here is printed and forgotten

    def frames() -> Iterator[list[str]]:
        for number in range(3):
            one = Cleaned()
            del one
            yield [str(number)]

    before = signal.getsignal(signal.SIGINT)
    gauge.watch(frames(), clock_s=Clock().read, pause=lambda _s: None, for_s=None)
    assert capsys.readouterr().out == "0\n"
    assert signal.getsignal(signal.SIGINT) is before
