"""`holdfast search --code`: found in the project's files, inert, and honest about the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.harness import Holdfast


@pytest.fixture
def coded(holdfast: Holdfast) -> Holdfast:
    """A project with a little code."""
    (holdfast.folder / "src").mkdir()
    (holdfast.folder / "src" / "retry.py").write_text(
        "class Retry:\n    def count_attempts(self):\n        return 7\n"
    )
    (holdfast.folder / "evil.txt").write_text("wolverine \x1b[31mred \u202e and \u200b more\n")
    return holdfast


def lines(holdfast: Holdfast, *args: str) -> tuple[list[Any], Any]:
    done = holdfast("search", "--code", "--json", *args)
    *hits, numbers = [json.loads(line) for line in done.out.splitlines()]
    return hits, numbers


def test_the_answer_for_scripts_has_its_fields(coded: Holdfast) -> None:
    done = coded.process("search", "--code", "count attempts", "--json", "--limit", "1")
    assert (done.code, done.err) == (0, "")
    hit, numbers = [json.loads(line) for line in done.out.splitlines()]
    told = {name: hit[name] for name in ("path", "first_line", "last_line", "name", "kind")}
    assert told == {
        "path": "src/retry.py",
        "first_line": 2,
        "last_line": 3,
        "name": "Retry.count_attempts",
        "kind": "method",
    }
    assert 0 < hit["score"] < 1
    assert 0 < hit["similarity"] <= 1
    assert "count_attempts" in hit["snippet"]
    assert (numbers["level"], numbers["files"], numbers["not_searched"]) == ("hybrid", 2, [])


def test_a_person_sees_the_place_and_what_was_searched(coded: Holdfast) -> None:
    done = coded("search", "--code", "count_attempts")
    assert done.code == 0
    assert done.text.splitlines()[0].startswith("src/retry.py:2-3  Retry.count_attempts  method")
    assert "Searched 2 files (hybrid)." in done.err


def test_what_a_file_holds_is_shown_and_never_obeyed(coded: Holdfast) -> None:
    for args in (("--json",), ()):
        done = coded("search", "--code", "wolverine", *args)
        assert not {"\x1b", "\u202e", "\u200b"} & set(done.text + done.err)
        assert "wolverine" in done.text


def test_a_hostile_name_is_shown_and_never_obeyed(coded: Holdfast) -> None:
    (coded.folder / "a\x1b[31m\nb.txt").write_text("badger\n")
    for args in (("--json",), ()):
        done = coded("search", "--code", "badger", *args)
        assert "\x1b" not in done.text
        assert len(done.text.splitlines()) == 2


@pytest.mark.lesson("L9")
def test_nothing_found_says_over_what_and_what_could_not_be_searched(coded: Holdfast) -> None:
    (coded.folder / "link").symlink_to("/etc/hostname")
    done = coded("search", "--code", "zzyzx quux")
    assert (done.code, done.text) == (1, "")
    assert "Nothing was found in 2 files (hybrid)." in done.err
    assert "Not searched: link (a symbolic link, which is not followed)" in done.err
    hits, numbers = lines(coded, "zzyzx quux")
    assert (hits, numbers["hits"]) == ([], 0)
    assert [one["path"] for one in numbers["not_searched"]] == ["link"]


def test_the_code_is_searched_and_not_the_ledger(coded: Holdfast) -> None:
    coded.record("decision", 1, question="Where do marmots live?")
    assert lines(coded, "marmots")[0] == []


@pytest.mark.parametrize("option", ["--type=decision", "--session=s", "--full", "--tokens=9"])
def test_options_of_the_ledger_are_refused(coded: Holdfast, option: str) -> None:
    done = coded("search", "--code", "x", option)
    assert done.code == 2
    assert "--code goes with" in done.err


def test_an_index_that_is_lost_or_damaged_is_made_anew(coded: Holdfast) -> None:
    before = lines(coded, "attempts")
    for harm in (b"", b"not a database" * 100):
        coded.folder.joinpath(".holdfast", "code.db").write_bytes(harm)
        assert lines(coded, "attempts") == before
