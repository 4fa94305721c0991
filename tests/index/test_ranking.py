"""The ranking, beside one that looks at every entry."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import apsw
import pytest

from holdfast.index.asking import words_of
from holdfast.index.matching import Matcher, Scope
from holdfast.index.postings import at_least, look_up
from holdfast.index.ranking import Ranking, rank
from holdfast.index.scoring import Scores
from holdfast.index.terms import count_terms
from holdfast.index.views import Views
from holdfast.index.words import MARK_IMPACTS, MARKS, mark
from holdfast.kernel.limits import SEARCH_BEST_ENTRIES, SEARCH_LIST_ENTRIES
from holdfast.ledger.ledger import Draft
from holdfast.testing.builders import open_memory_ledger

SIZE = 8000
LIMIT = 34
SHARES = {
    "alpha": 0.7,
    "beta": 0.5,
    "gamma": 0.3,
    "delta": 0.2,
    "sigma": 0.15,
    "kappa": 0.14,
    "omega": 0.01,
}
"""How many of the entries hold each word; all but the last are common."""


class Crowd:
    """Entries of chance words, and the index of them."""

    def __init__(self, views: Views) -> None:
        self.views = views
        chance = random.Random(7)
        self.texts = [self._text(chance) for _ in range(SIZE)]
        ledger = open_memory_ledger()
        ledger.append_many(
            Draft("agent_said", {"text": text}, session_id="s") for text in self.texts
        )
        views.catch_up(ledger.reader)

    @staticmethod
    def _text(chance: random.Random) -> str:
        held = [word for word, share in SHARES.items() if chance.random() < share]
        repeated = [word for word in held for _ in range(chance.choice((1, 1, 1, 2, 4)))]
        return " ".join([*repeated, "filler", *["padding"] * int(chance.expovariate(0.03))])

    def ranked(self, question: str, **fields: Any) -> Ranking:
        scope = Scope(SIZE, **fields)
        return self.views.look(lambda c: rank(Matcher(c, scope), words_of(question), LIMIT))

    def exhaustive(self, question: str) -> list[tuple[bool, float, int]]:
        """Weigh every entry; those with all words first, of equals the newest."""
        terms = words_of(question).terms
        scope = Scope(SIZE)
        idfs = self.views.look(
            lambda c: {term: look_up(Matcher(c, scope), term).idf for term in terms}
        )
        found = []
        for seq, text in enumerate(self.texts):
            counts, length = count_terms(f"agent_said {text}")
            held = [term for term in terms if term in counts]
            worth = sum(idfs[term] * MARK_IMPACTS[mark(counts[term], length)] for term in held)
            found.append((len(held) == len(terms), worth, seq))
        return sorted(found, reverse=True)[:LIMIT]


@pytest.fixture(scope="module")
def crowd() -> Iterator[Crowd]:
    with Views(":memory:") as views:
        yield Crowd(views)


def best(ranking: Ranking) -> list[tuple[bool, int]]:
    return [(one.full, one.seq) for one in ranking.best]


def holding(crowd: Crowd, question: str) -> int:
    return sum(set(question.split()) <= set(text.split()) for text in crowd.texts)


EXACT = [
    "omega",
    "omega alpha",
    "omega alpha beta",
    "sigma delta",
    "delta gamma sigma",
    "sigma delta gamma beta",
    "kappa sigma delta",
    "kappa sigma alpha",
    "kappa sigma delta gamma",
]


@pytest.mark.parametrize("question", EXACT)
def test_where_few_hold_all_words_the_order_is_that_of_looking_at_everything(
    crowd: Crowd, question: str
) -> None:
    assert holding(crowd, question) <= SEARCH_BEST_ENTRIES
    expected = [(full, seq) for full, _, seq in crowd.exhaustive(question) if full]
    assert expected
    assert [one for one in best(crowd.ranked(question)) if one[0]] == expected


@pytest.mark.parametrize("question", ["alpha beta", "alpha beta gamma", "beta gamma", "gamma beta"])
def test_where_many_do_it_is_nearly(crowd: Crowd, question: str) -> None:
    assert holding(crowd, question) > SEARCH_BEST_ENTRIES
    expected = crowd.exhaustive(question)
    found = crowd.ranked(question).best
    assert all(one.full for one in found)
    assert found[0].score == pytest.approx(expected[0][1])
    share = sum(one.score for one in found) / sum(worth for _, worth, _ in expected)
    assert 0.97 < share <= 1.0001


@pytest.mark.parametrize("question", ["alpha", "beta", "gamma", "sigma"])
def test_the_best_of_one_word_are_the_best(crowd: Crowd, question: str) -> None:
    assert holding(crowd, question) > SEARCH_LIST_ENTRIES
    expected = [(full, seq) for full, _, seq in crowd.exhaustive(question)]
    assert best(crowd.ranked(question)) == expected


def test_each_entry_is_worth_what_its_words_are(crowd: Crowd) -> None:
    for question in ("alpha beta gamma", "sigma delta", "omega alpha beta", "sigma gamma omega"):
        worths = {seq: worth for _, worth, seq in crowd.exhaustive(question)}
        for one in crowd.ranked(question).best:
            if one.full and one.seq in worths:
                assert one.score == pytest.approx(worths[one.seq])


@pytest.mark.parametrize("question", [*EXACT, "alpha beta", "alpha beta gamma"])
def test_a_filter_that_everything_passes_changes_nothing(crowd: Crowd, question: str) -> None:
    assert best(crowd.ranked(question, session="s")) == best(crowd.ranked(question))


def test_entries_with_all_but_one_word_come_next(crowd: Crowd) -> None:
    question = "sigma omega delta"
    expected = crowd.exhaustive(question)
    assert 0 < sum(full for full, _, _ in expected) < LIMIT
    assert best(crowd.ranked(question)) == [(full, seq) for full, _, seq in expected]


SCOPES = [Scope(SIZE), Scope(SIZE, session="s"), Scope(SIZE, since_us=0)]


@pytest.mark.parametrize("scope", SCOPES)
def test_all_entries_that_match_are_had_in_any_order_or_none(crowd: Crowd, scope: Scope) -> None:
    count = holding(crowd, "omega")
    expected = [seq for seq, text in enumerate(crowd.texts) if "omega" in text.split()]

    def ask(connection: apsw.Connection) -> None:
        matcher = Matcher(connection, scope)
        assert matcher.newest('"omega"', count) == expected[::-1]
        assert sorted(matcher.all_if_few('"omega"', count + 1) or ()) == expected
        assert matcher.all_if_few('"omega"', count) is None

    crowd.views.look(ask)


@pytest.mark.parametrize("least", range(len(MARKS)))
def test_one_list_has_all_entries_in_which_a_word_counts_so_much(crowd: Crowd, least: int) -> None:
    expected = []
    for seq, text in enumerate(crowd.texts):
        counts, length = count_terms(f"agent_said {text}")
        if counts["gamma"] and mark(counts["gamma"], length) >= least:
            expected.append(seq)
    expression = at_least("gamma", least)
    found = crowd.views.look(lambda c: Matcher(c, Scope(SIZE)).newest(expression, SIZE))
    assert sorted(found) == expected


@pytest.mark.parametrize("scope", SCOPES)
def test_who_stops_early_has_the_newest_and_leaves_nothing_open(crowd: Crowd, scope: Scope) -> None:
    def ask(connection: apsw.Connection) -> None:
        matcher = Matcher(connection, scope)
        with matcher.each('"alpha"', SIZE) as found:
            assert list(islice(found, 5)) == matcher.newest('"alpha"', 5)
            assert connection.txn_state("main") == apsw.SQLITE_TXN_READ
        assert connection.txn_state("main") == apsw.SQLITE_TXN_NONE

    crowd.views.look(ask)


def test_what_was_counted_to_an_entry_is_not_counted_again() -> None:
    scores = Scores(words_of("one two"), ())
    scores.add([7, 8, 8], [(1, [2.0, 3.0, 3.0])])
    scores.add([8, 9], [(1, [3.0, 5.0]), (2, [0.5, 0.25])])
    assert scores.seen == {7: 2.0, 8: 3.5, 9: 5.25}
    assert scores.masks == {7: 1, 8: 3, 9: 3}
    assert scores.lacking([7, 8, 10], 3) == [7, 10]
    assert sorted(scores.full()) == [8, 9]
