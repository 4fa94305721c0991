"""One question, one answer within its tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.index.views import Views
from holdfast.kernel.tokens import estimate
from holdfast.ledger.ledger import Ledger
from holdfast.recall.answers import Answer, answer, limit_for
from holdfast.recall.search import Query, search
from holdfast.testing.builders import open_memory_ledger
from tests.index.ledgers import Watched, say


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    with Views(str(tmp_path / "views.db")) as opened:
        yield opened


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


def told(views: Views, ledger: Ledger, text: str, tokens: int) -> Answer:
    views.catch_up(ledger.reader)
    return answer(views, ledger.reader, Query(text, limit=limit_for(tokens)), tokens)


@pytest.mark.parametrize("tokens", [1, 30, 100, 500, 2_000])
def test_an_answer_keeps_to_its_tokens_and_counts_the_rest(
    views: Views, ledger: Ledger, tokens: int
) -> None:
    for n in range(100):
        say(ledger, f"kestrel number {n} sat on the fence and looked at {n * 7} mice")
    found = told(views, ledger, "kestrel", tokens)
    assert estimate(found.text) <= found.tokens <= tokens
    assert len(found.parts) + found.found.more == 100
    assert [part.hit for part in found.parts] == found.found.hits
    if tokens >= 500:
        assert tokens - found.tokens < 60


def test_entries_come_whole_in_the_order_of_the_search(views: Views, ledger: Ledger) -> None:
    for n in range(5):
        say(ledger, f"kestrel {n} " + "x " * n)
    found = told(views, ledger, "kestrel", 2_000)
    hits = search(views, ledger.reader, Query("kestrel")).hits
    assert [part.hit for part in found.parts] == hits
    assert all(part.whole for part in found.parts)
    assert '{"text":"kestrel 4 x x x x "}' in found.text
    assert found.found.more == 0


def test_one_huge_entry_does_not_hide_the_others(views: Views, ledger: Ledger) -> None:
    huge = say(ledger, "kestrel " * 20_000)
    small = say(ledger, "a kestrel, among some other birds that were seen here in the morning")
    found = told(views, ledger, "kestrel", 400)
    assert {part.hit.seq: part.whole for part in found.parts} == {huge: False, small: True}
    assert "(over 200 tokens; `holdfast show 0 --full` shows all)" in found.text
    assert found.tokens <= 400


def test_a_value_that_cannot_be_put_back_is_said(views: Views, ledger: Ledger) -> None:
    say(ledger, "kestrel " * 20_000)
    views.catch_up(ledger.reader)
    reader = Watched(ledger)
    reader.erased = True
    found = answer(views, reader, Query("kestrel"), 2_000)
    assert found.parts[0].problem is not None


def test_what_a_terminal_obeys_is_escaped(views: Views, ledger: Ledger) -> None:
    say(ledger, "kestrel \x1b[31m \u202e ünd")
    assert r"kestrel \u001b[31m \u202e ünd" in told(views, ledger, "kestrel", 200).text


def test_nothing_found_is_an_empty_answer(views: Views, ledger: Ledger) -> None:
    say(ledger, "owl")
    found = told(views, ledger, "kestrel", 200)
    assert (found.parts, found.text, found.tokens, found.found.more) == ([], "", 0, 0)
