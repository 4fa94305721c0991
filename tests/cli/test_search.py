"""`holdfast search`: found by words, wherever it lies, and honest about the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.kernel.tokens import estimate
from tests.cli.harness import Holdfast, forge

REASONING = "The ledger must survive a power cut, so every append waits for the disk.\nNo less."


def lines(holdfast: Holdfast, *args: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the hits and the numbers of `search --json`."""
    done = holdfast("search", "--json", *args)
    *hits, numbers = [json.loads(line) for line in done.out.splitlines()]
    return hits, numbers


@pytest.fixture
def filled(holdfast: Holdfast) -> Holdfast:
    """An old decision under forty other entries."""
    holdfast.record("decision", 1, question="How is an append made durable?", reasoning=REASONING)
    with_sessions = [("error", n) if n % 2 else ("file_change", n) for n in range(2, 42)]
    for kind, n in with_sessions:
        holdfast.record(kind, n, "--session", f"s{n % 3}")
    return holdfast


def test_the_answer_for_scripts_has_its_fields(filled: Holdfast) -> None:
    done = filled.process("search", "power cut", "--json")
    assert done.code == 0
    hit, numbers = [json.loads(line) for line in done.out.splitlines()]
    assert list(hit) == ["seq", "id", "type", "score", "snippet", "superseded"]
    assert (hit["seq"], hit["type"], hit["superseded"]) == (0, "decision", False)
    assert "power cut" in hit["snippet"]
    assert numbers == {"hits": 1, "more": 0, "searched": 41, "level": "bm25"}


@pytest.mark.req("L9")
def test_what_was_said_is_found_by_its_meaning_when_that_is_asked_for(filled: Holdfast) -> None:
    filled.record("decision", 50, choice="Store credentials in the keychain.", question="")
    question = "where are passwords kept?"
    assert filled("search", question, "--json").code == 1
    [hit], numbers = lines(filled, question, "--meaning")
    assert "keychain" in hit["snippet"]
    assert numbers["level"] == "hybrid"
    assert numbers["compared"] > 20
    said = filled("search", question, "--meaning").err
    assert f"the meaning of {numbers['compared']} entries was compared" in said
    told = filled("search", question, "--meaning", "--tokens", "500").text
    assert "keychain" in told


def test_without_a_model_words_alone_count_and_that_is_said(
    filled: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.index.vectors.load", lambda: None)
    done = filled("search", "power cut", "--meaning")
    assert done.code == 0
    assert "the extra `search` brings one" in done.err


@pytest.mark.req("P12")
def test_an_old_decision_is_found_by_its_words_and_returned_whole(filled: Holdfast) -> None:
    [hit], _ = lines(filled, "--full", "why does an append wait for the disk?", "--type=decision")
    assert hit["entry"] == filled("show", "0", "--json").json()
    assert hit["entry"]["data"]["reasoning"] == REASONING


@pytest.mark.req("P12")
def test_a_decision_so_long_that_it_is_in_the_vault_is_returned_whole(holdfast: Holdfast) -> None:
    long = "because of the wolverine " * 4000
    holdfast.record("decision", 1, reasoning=long)
    [hit], _ = lines(holdfast, "--full", "wolverine")
    assert hit["entry"]["data"]["reasoning"] == long


@pytest.mark.req("P12")
def test_an_archived_decision_is_found_and_returned_whole(filled: Holdfast) -> None:
    before = filled("show", "0", "--json").json()
    assert filled("seal", "--keep", "5").code == 0
    filled.folder.joinpath(".holdfast", "views.db").unlink()
    [hit], numbers = lines(filled, "--full", "power cut", "--type", "decision")
    assert hit["entry"] == before
    assert numbers["searched"] >= 41


def test_a_person_sees_what_when_where_and_how_many_more(filled: Holdfast) -> None:
    done = filled("search", "attempt", "found", "nothing", "-n", "2")
    assert done.code == 0
    first, text, *_ = done.text.splitlines()
    assert first.split()[3:] == ["error", "s2"]
    assert "attempt 41 found nothing" in text
    assert "18 further entries match" in done.err
    assert "SUPERSEDED" not in done.text


@pytest.mark.lesson("N15")
def test_nothing_is_said_when_nothing_is_left_out(filled: Holdfast) -> None:
    assert filled("search", "power cut").err == ""


def test_nothing_found_is_a_no(filled: Holdfast) -> None:
    done = filled("search", "zebra")
    assert (done.code, done.text) == (1, "")
    assert "Nothing was found in 41 entries" in done.err
    hits, numbers = lines(filled, "zebra")
    assert (hits, numbers) == ([], {"hits": 0, "more": 0, "searched": 41, "level": "bm25"})


@pytest.mark.parametrize(
    ("args", "count"),
    [
        (("--type", "error"), 0),
        (("--type", "error", "--type", "file_change"), 20),
        (("--session", "s1"), 7),
        (("--path", "src/part_1"), 5),
        (("--path", "src/part_12.py"), 1),
        (("--since", "2999-01-01"), 0),
        (("--until", "2000-01-01"), 0),
        (("--since", "2000-01-01", "--until", "2999-01-01"), 20),
    ],
)
def test_filters(filled: Holdfast, args: tuple[str, ...], count: int) -> None:
    hits, numbers = lines(filled, "one line more", "-n", "50", *args)
    assert len(hits) == numbers["hits"] == count


@pytest.mark.lesson("N2")
def test_a_superseded_decision_is_only_shown_marked(holdfast: Holdfast) -> None:
    old = holdfast.record("decision", 1, choice="Use Redis")
    holdfast.record("decision", 2, choice="Use a file", supersedes=[old["id"]])
    holdfast.record("decision", 3, choice="Use Redis for locks")
    hits, _ = lines(holdfast, "use redis")
    assert {hit["seq"]: hit["superseded"] for hit in hits} == {0: True, 1: False, 2: False}
    shown = holdfast("search", "use redis").text
    assert shown.count("SUPERSEDED by 1") == 1
    assert "SUPERSEDED" not in holdfast("search", "use redis", "--no-superseded").text
    assert [hit["seq"] for hit in lines(holdfast, "use redis", "--superseded")[0]] == [0]


def test_what_cannot_be_looked_at_is_named_and_is_a_no(filled: Holdfast) -> None:
    forge(filled, 7, '"data":', '"data"!')
    filled.folder.joinpath(".holdfast", "views.db").unlink()
    done = filled("search", "power cut")
    assert done.code == 1
    assert "power cut" in done.text
    assert "Entry 7 could not be looked at" in done.err
    hits, numbers = lines(filled, "power cut")
    assert len(hits) == 1
    assert numbers["searched"] == 40
    assert numbers["not_searched"] == [[7, 7]]


def test_a_lost_archive_is_named(filled: Holdfast) -> None:
    assert filled("seal", "--keep", "5").code == 0
    filled.folder.joinpath(".holdfast", "views.db").unlink()
    for archive in filled.folder.joinpath(".holdfast", "state", "archives").glob("*.jsonl.zst"):
        archive.unlink()
    done = filled("search", "--json", "one line more")
    *hits, numbers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert hits != []
    assert numbers["not_searched"][0][0] == 0


@pytest.mark.lesson("P6")
def test_a_damaged_index_is_made_anew_without_a_word(filled: Holdfast) -> None:
    first = filled("search", "power cut")
    filled.folder.joinpath(".holdfast", "views.db").write_bytes(b"no database " * 1000)
    again = filled("search", "power cut")
    assert (again.code, again.text, again.err) == (0, first.text, "")


def test_what_a_terminal_obeys_is_only_shown(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1, choice="zebra \x1b[31m\u202e red")
    assert "\\x1b[31m\\u202e red" in holdfast("search", "zebra").text


def test_syntax_is_no_syntax(filled: Holdfast) -> None:
    for text in ('"', "power AND", "NEAR(", "terms:*", "-", "💥"):
        assert filled("search", "--", text).code in (0, 1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("x", "--since", "soon"), "is no time"),
        (("x", "--type", "decisoin"), "Did you mean 'decision'?"),
        (("x", "-n", "0"), "-n"),
        ((), "Q"),
    ],
)
def test_misuse_is_refused(filled: Holdfast, args: tuple[str, ...], said: str) -> None:
    done = filled("search", *args)
    assert done.code == 2
    assert said in done.err


# Whole entries, and answers within some tokens


def test_an_entry_that_is_shown_whole_is_not_shown_in_part_beside_it(filled: Holdfast) -> None:
    said = "survive a power cut"
    assert filled("search", "power cut").text.count(said) == 1
    assert filled("search", "power cut", "--full").text.count(said) == 1


def test_an_answer_within_tokens_is_whole_entries_and_says_how_many_more(filled: Holdfast) -> None:
    done = filled("search", "attempt found nothing", "--tokens", "300")
    shown = done.text.count(" error ")
    assert done.code == 0
    assert estimate(done.text) <= 300
    assert 1 < shown < 20
    assert f"{20 - shown} further entries match, and did not fit" in done.err
    every = filled("search", "attempt found nothing", "--tokens", "100000")
    assert (every.text.count(" error "), every.err) == (20, "")


def test_an_answer_for_scripts_counts_what_is_printed(filled: Holdfast) -> None:
    done = filled("search", "--json", "attempt found nothing", "--tokens", "500")
    *texts, last = done.out.splitlines()
    hits, numbers = [json.loads(text) for text in texts], json.loads(last)
    assert list(numbers) == ["hits", "more", "searched", "level", "tokens", "alike"]
    assert numbers["hits"] == len(hits) > 0
    assert numbers["hits"] + numbers["more"] == 20
    assert estimate("\n".join(text.decode() for text in texts)) <= numbers["tokens"] <= 500
    assert hits[0]["data"] == filled("show", str(hits[0]["seq"]), "--json").json()["data"]


def test_an_entry_too_long_for_the_tokens_is_named(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1, reasoning="because of the wolverine " * 400)
    done = holdfast("search", "wolverine", "--tokens", "400")
    assert "(over 200 tokens; `holdfast show 0 --full` shows all)" in done.text
    [hit], _ = lines(holdfast, "wolverine", "--tokens", "400")
    assert hit["data_over_tokens"] == 200
    assert "data" not in hit


@pytest.mark.lesson("N15")
def test_what_says_the_same_is_shown_once_and_counted(holdfast: Holdfast) -> None:
    for session in ("a", "a", "a", "b"):
        holdfast.record("decision", 1, "--session", session, choice="zebra")
    done = holdfast("search", "zebra")
    assert done.text.count(" decision ") == 2
    assert done.err.strip() == "2 more entries say the same as one shown, in its session."
    hits, numbers = lines(holdfast, "zebra")
    assert len(hits) == 2
    assert numbers == {"hits": 2, "more": 2, "searched": 4, "level": "bm25"}
    assert lines(holdfast, "zebra", "--full")[1]["alike"] == 2


def test_no_tokens_at_all_are_refused(filled: Holdfast) -> None:
    assert filled("search", "x", "--tokens", "0").code == 2
