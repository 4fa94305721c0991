"""Text out of a ledger is shown, never obeyed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.output import INVISIBLE, visible
from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b2J\x08\x7f"  # title, clear, colour, C1, back, delete
    "\u202egpj.exe\u2066\u2069"  # reversed reading order
    "a\u200bb\ufeffc\u2060d\u00ade\u3164f\U000e0041\U000e0100"  # what nobody sees
    "\r\u2028\u2029 end"
)
FORBIDDEN = [char for char in HOSTILE if not (char.isascii() and char.isprintable())]


def test_hostile_text_is_inert_on_every_page(holdfast: Holdfast) -> None:
    for n, name in enumerate(["decision", "file_change", "checkpoint", "error", "metric"]):
        field = {
            "decision": "choice",
            "file_change": "path",
            "checkpoint": "quick_resume",
            "error": "message",
            "metric": "name",
        }[name]
        holdfast.record(name, n, **{field: HOSTILE, HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]})
    shown = [holdfast("log"), *(holdfast("show", str(n)) for n in range(5)), holdfast("status")]
    for done in shown:
        assert [char for char in FORBIDDEN if char in done.text + done.err] == []
    assert "\\x1b]0;owned\\x07" in shown[0].text
    assert "\\u202egpj.exe" in shown[1].text


def test_the_stored_bytes_are_untouched_by_that(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0, choice=HOSTILE)
    assert holdfast.entries()[0]["data"]["choice"] == HOSTILE


@pytest.mark.parametrize(
    "args",
    [
        ("show", HOSTILE),
        ("record", HOSTILE, "--data", "{}"),
        ("--ledger", HOSTILE, "log"),
        (HOSTILE,),
        ("record", "metric", "--data", json.dumps({HOSTILE: 1})),
        ("backup", f"no-such-folder/{HOSTILE}"),
    ],
)
def test_hostile_text_is_inert_in_errors(holdfast: Holdfast, args: tuple[str, ...]) -> None:
    done = holdfast(*args)
    assert done.code != 0
    assert [char for char in FORBIDDEN if char in done.text + done.err] == []


def test_line_ends_stay_where_pages_have_them(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0, reasoning="first\nsecond\tindented")
    assert "  first\n  second\tindented\n" in holdfast("show", "0").text
    assert len(holdfast("log").text.splitlines()) == 1


@given(st.text())
def test_what_is_visible_has_no_controls(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text, lines=True).replace("\n", "").replace("\t", "").isprintable()


@given(
    st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="".join(INVISIBLE)))
)
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.lesson("N15")
def test_a_long_summary_says_how_much_is_cut(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0, choice="y" * 150)
    holdfast.record("decision", 1, choice="z" * 100)
    long, short = holdfast("log").text.splitlines()
    assert long.endswith("y… (+50 characters)")
    assert short.endswith("z" * 100)


def test_everything_is_plain_when_nobody_looks(holdfast: Holdfast) -> None:
    holdfast.sql("DROP TRIGGER runs_no_update")
    for args in (("verify",), ("doctor",), ("log",)):
        done = holdfast(*args)
        assert "\x1b" not in done.text + done.err


def test_data_for_is_what_the_pages_show(holdfast: Holdfast) -> None:
    holdfast.record("file_change", 3)
    change = data_for("file_change", 3)
    assert f"{change['action']} {change['path']}" in holdfast("log").text
    assert f"path: {change['path']}" in holdfast("show", "0").text
