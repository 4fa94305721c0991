from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast, Result
from tests.cli.test_seal import fill


def lines_of(holdfast: Holdfast, *args: str) -> bytes:
    return holdfast("log", "--json", *args).out


def archives_of(holdfast: Holdfast) -> list[Path]:
    return sorted((holdfast.folder / ".holdfast/state/archives").glob("*.jsonl.zst"))


def same_as_log(holdfast: Holdfast, session: str) -> Result:
    done = holdfast("restore", session, "--json")
    assert done.out == lines_of(holdfast, "--session", session)
    return done


@pytest.mark.req("P8")
@pytest.mark.lesson("P4")
@pytest.mark.parametrize("keep", [None, "0", "1", "13", "29"])
def test_a_session_comes_back_as_the_exact_bytes(holdfast: Holdfast, keep: str | None) -> None:
    fill(holdfast, 30, "s1", "s2")
    before = lines_of(holdfast, "--session", "s1")
    if keep is not None:
        assert holdfast("seal", "--keep", keep).code == 0
    done = holdfast("restore", "s1", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.out == before
    assert len(done.out.splitlines()) == 15


@pytest.mark.lesson("P1")
def test_interleaved_sessions_each_get_their_own(holdfast: Holdfast) -> None:
    fill(holdfast, 30, "s1", "s2", "s1")
    before = {session: lines_of(holdfast, "--session", session) for session in ("s1", "s2")}
    holdfast("seal", "--keep", "7")
    for session, lines in before.items():
        assert holdfast("restore", session, "--json").out == lines


@pytest.mark.lesson("P2")
def test_after_ten_seals_every_session_is_whole(holdfast: Holdfast) -> None:
    for n in range(10):
        fill(holdfast, 12, f"session-{n:02}", "always")
        assert holdfast("seal", "--keep", "5", "--json").json()["sealed"] > 0
    for session in ("always", *(f"session-{n:02}" for n in range(10))):
        done = same_as_log(holdfast, session)
        assert done.code == 0
        assert done.out


@pytest.mark.req("P8")
def test_up_to_an_entry(holdfast: Holdfast) -> None:
    fill(holdfast, 30, "s1", "s2")
    lines = lines_of(holdfast).splitlines(keepends=True)
    holdfast("seal", "--keep", "10")
    assert holdfast("restore", "--at", "24", "--json").out == b"".join(lines[:25])
    assert holdfast("restore", "s2", "--at", "24", "--json").out == b"".join(lines[1:25:2])
    assert holdfast("restore", "s1", "--at", "0", "--json").out == lines[0]


def test_a_range_that_never_was(holdfast: Holdfast) -> None:
    fill(holdfast, 3, "s1")
    done = holdfast("restore", "--at", "3", "--json")
    assert (done.code, done.json()["error"]["kind"]) == (1, "NotFound")
    assert "that range never was" in done.err


def test_a_session_may_be_named_by_its_beginning(holdfast: Holdfast) -> None:
    fill(holdfast, 6, "alpha-1", "alpha-2", "beta")
    holdfast("seal", "--keep", "0")
    assert holdfast("restore", "be", "--json").out == lines_of(holdfast, "--session", "beta")
    ambiguous = holdfast("restore", "alpha")
    assert ambiguous.code == 2
    assert "alpha-1, alpha-2" in ambiguous.err
    unknown = holdfast("restore", "gamma")
    assert (unknown.code, unknown.text) == (1, "")
    assert "There is no session 'gamma'" in unknown.err
    assert holdfast("restore", "").code == 1


def test_something_must_be_named(holdfast: Holdfast) -> None:
    assert holdfast("restore").code == 2


def test_people_get_a_transcript_with_a_verdict(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s0")
    holdfast("session", "end", "--session", "s0")
    holdfast("session", "start", "--session", "s1")
    for n in range(3):
        holdfast.record("decision", n, "--session", "s1")
    holdfast("seal", "--keep", "1")
    done = holdfast("restore", "s1")
    head, body, verdict, *rest = done.text.split("\n\n")
    assert head.startswith("session  s1\nparent   s0\nwhen     2")
    assert "entries  4, 1 of them active\narchive  archive_" in head
    assert [line.split()[-1] for line in body.splitlines()[1:]] == ["0", "1", "2"]
    assert (verdict.strip(), rest) == ("whole: 4 entries, each as it was recorded.", [])
    everything = holdfast("restore", "--at", "2").text
    assert "s0" in everything
    assert "whole: 3 entries" in everything


def test_text_out_of_the_ledger_cannot_reach_the_terminal(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0, "--session", "s1", choice="\x1b[31mred")
    assert "\x1b" not in holdfast("restore", "s1").text


# Damage


@pytest.mark.req("P8")
def test_a_missing_archive_is_named_and_the_rest_comes(holdfast: Holdfast) -> None:
    fill(holdfast, 10, "s1")
    holdfast("seal", "--keep", "0")
    fill(holdfast, 10, "s1")
    holdfast("seal", "--keep", "0")
    fill(holdfast, 4, "s1")
    lines = lines_of(holdfast, "--session", "s1").splitlines(keepends=True)
    first = archives_of(holdfast)[0]
    content = first.read_bytes()
    first.unlink()
    done = holdfast("restore", "s1", "--json")
    assert done.code == 1
    assert done.out == b"".join(lines[10:])
    assert f"Entries 0 to 9 ({first.name}) did not come back" in done.err
    assert "the file is missing" in done.err
    told = holdfast("restore", "s1")
    assert "NOT whole: 14 entries came back as recorded, 10 did not." in told.text
    first.write_bytes(content)
    assert holdfast("restore", "s1", "--json").out == b"".join(lines)


def test_a_session_is_known_though_all_of_it_is_gone(holdfast: Holdfast) -> None:
    fill(holdfast, 10, "s1")
    holdfast("seal", "--keep", "0")
    (holdfast.folder / ".holdfast/views.db").unlink()
    archives_of(holdfast)[0].unlink()
    done = holdfast("restore", "s1", "--json")
    assert (done.code, done.out) == (1, b"")
    assert "Entries 0 to 9" in done.err


def test_another_archive_in_its_place_gives_nothing_wrong(holdfast: Holdfast) -> None:
    fill(holdfast, 10, "s1")
    holdfast("seal", "--keep", "0")
    fill(holdfast, 10, "s1")
    holdfast("seal", "--keep", "0")
    lines = lines_of(holdfast, "--session", "s1").splitlines(keepends=True)
    first, second = archives_of(holdfast)
    second.write_bytes(first.read_bytes())
    done = holdfast("restore", "s1", "--json")
    assert (done.code, done.out) == (1, b"".join(lines[:10]))
    assert "Entries 11 to 20" in done.err


def test_an_archive_cut_anywhere_gives_nothing_wrong(holdfast: Holdfast) -> None:
    fill(holdfast, 5, "s1")
    lines = lines_of(holdfast, "--session", "s1")
    holdfast("seal", "--keep", "0")
    [path] = archives_of(holdfast)
    content = path.read_bytes()
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        done = holdfast("restore", "s1", "--json")
        assert done.code == 1
        assert lines.startswith(done.out)
        assert path.name in done.err


def test_a_part_that_was_erased_is_said_to_be(holdfast: Holdfast) -> None:
    holdfast.record("decision", 0, "--session", "s1", reasoning="x" * 40_000)
    assert "erased" not in holdfast("restore", "s1").text
    holdfast("erase", "0", "--yes")
    done = holdfast("restore", "s1")
    assert done.code == 0
    assert "(40,000 bytes, " in done.text
    assert "were erased)" in done.text


def test_restoring_changes_nothing(holdfast: Holdfast) -> None:
    fill(holdfast, 5, "s1")
    holdfast("seal", "--keep", "2")
    before = lines_of(holdfast)
    holdfast("restore", "s1")
    assert lines_of(holdfast) == before
    assert data_for("decision", 0)["choice"].encode() in before
