"""Search: what is found, in which order, and what is said about the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.index.asking import words_of
from holdfast.index.views import Views
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import SEARCH_LIST_ENTRIES
from holdfast.ledger.ledger import Ledger
from holdfast.recall.search import Found, Query, search
from holdfast.testing.builders import data_for, draft, open_memory_ledger
from tests.index.ledgers import Watched, decide, say


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    with Views(str(tmp_path / "views.db")) as opened:
        yield opened


class Asking:
    """Asks one ledger."""

    def __init__(self, views: Views, ledger: Ledger) -> None:
        self.views = views
        self.ledger = ledger

    def __call__(self, text: str, **fields: Any) -> list[int]:
        return [hit.seq for hit in self.found(text, **fields).hits]

    def found(self, text: str, **fields: Any) -> Found:
        self.views.catch_up(self.ledger.reader)
        return search(self.views, self.ledger.reader, Query(text, **fields))


@pytest.fixture
def ask(views: Views, ledger: Ledger) -> Asking:
    return Asking(views, ledger)


@pytest.mark.parametrize(
    ("type_name", "changes", "asked"),
    [
        ("decision", {"question": "zebra"}, "zebra"),
        ("decision", {"choice": "zebra"}, "zebra"),
        ("decision", {"reasoning": "because of a zebra"}, "zebras"),
        ("decision", {"alternatives": ["a horse", "a zebra"]}, "zebra"),
        ("decision", {"subject": "zebra"}, "zebra"),
        ("error", {"error_type": "ZebraError"}, "zebra"),
        ("error", {"context": "zebra"}, "zebra"),
        ("file_change", {"path": "src/zebra/api.py"}, "zebra"),
        ("file_change", {"path": "src/zebra/api.py"}, "api.py"),
        ("file_change", {"diff_summary": "zebra"}, "zebra"),
        ("checkpoint", {"files_created": ["a/zebra.py"]}, "zebra.py"),
        ("checkpoint", {"next_action": "feed the zebra"}, "feed zebra"),
        ("metric", {"name": "zebra_ratio"}, "zebra_ratio"),
        ("metric", {"value": 0.85}, "0.85"),
        ("metric", {"components": {"zebra": 1.5}}, "zebra"),
        ("session_started", {"title": "zebra"}, "zebra"),
        ("session_ended", {"reason": "zebra"}, "zebra"),
    ],
)
def test_every_part_that_says_something_is_found(
    ask: Asking, ledger: Ledger, type_name: str, changes: dict[str, Any], asked: str
) -> None:
    ledger.append_many([draft("decision", n) for n in range(20)])
    seq = ledger.append(type_name, data_for(type_name, 99, **changes)).seq
    assert ask(asked)[0] == seq


@pytest.mark.parametrize(
    ("type_name", "data", "asked"),
    [
        ("prompt_given", {"text": "please add a zebra"}, "zebra"),
        ("agent_said", {"text": "the zebra is there"}, "zebra"),
        ("command_ran", {"command": "zebra --help", "exit_code": 0}, "zebra"),
        ("command_ran", {"command": "x", "exit_code": 0, "output": "got 3.14 zebras"}, "3.14"),
        ("tool_called", {"tool": "ZebraTool"}, "zebra"),
        ("tool_called", {"tool": "x", "params": {"deep": [{"port": 8080}]}}, "8080"),
        ("tool_called", {"tool": "x", "params": {"file_path": "src/zebra.py"}}, "zebra.py"),
        ("work_opened", {"work": "w1", "title": "count the zebras"}, "zebra"),
        ("work_closed", {"work": "w1", "outcome": "five zebras"}, "zebra"),
        (
            "line_quarantined",
            {"source": "f", "line": 3, "reason": "r", "encoding": "text", "content": "zebra {"},
            "zebra",
        ),
    ],
)
def test_work_and_words_are_found(
    ask: Asking, ledger: Ledger, type_name: str, data: dict[str, Any], asked: str
) -> None:
    seq = ledger.append(type_name, data).seq
    say(ledger, "something else")
    assert ask(asked) == [seq]


def test_text_in_the_vault_is_found(ask: Asking, ledger: Ledger) -> None:
    seq = say(ledger, "wolverine " * 10_000)
    assert ask("wolverines") == [seq]
    assert ask.found("wolverines").cut == 1


def test_an_identifier_is_found_whole_by_its_parts_and_spelled_another_way(
    ask: Asking, ledger: Ledger
) -> None:
    whole, camel = say(ledger, "raise retry_budget now"), say(ledger, "raise retryBudget now")
    say(ledger, "a budget of time")
    assert ask("retry_budget")[:2] == [whole, camel]
    assert set(ask("retry budget")[:2]) == {whole, camel}
    assert ask("RetryBudget")[0] == camel


def test_entries_with_all_words_come_before_those_with_some(ask: Asking, ledger: Ledger) -> None:
    some = say(ledger, "timeout timeout timeout")
    every = say(ledger, "the payment met a timeout after a while of waiting for the other side")
    assert ask("payment timeout") == [every, some]


def test_the_rarer_word_tells_more(ask: Asking, ledger: Ledger) -> None:
    rare = say(ledger, "the kestrel")
    for _ in range(30):
        say(ledger, "the timeout")
    assert ask("kestrel or timeout", limit=3)[0] == rare


def test_of_equals_the_newest_comes_first(ask: Asking, ledger: Ledger) -> None:
    seqs = [say(ledger, "same words") for _ in range(5)]
    assert ask("same words") == seqs[::-1]


@pytest.mark.req("P12")
def test_a_question_is_answered(ask: Asking, ledger: Ledger) -> None:
    passed = {"command": "pytest tests/payments", "exit_code": 0}
    failed = {"command": "pytest tests/payments", "exit_code": 1}
    ledger.append("command_ran", passed)
    wanted = ledger.append("command_ran", failed).seq
    ledger.append("command_ran", {"command": "make lint", "exit_code": 0})
    say(ledger, "in the what which of it is the why")
    assert ask("which command failed in the payments module?")[0] == wanted


def test_words_that_only_ask_count_when_there_are_no_others(ask: Asking, ledger: Ledger) -> None:
    seq = say(ledger, "to be or not to be")
    say(ledger, "something")
    assert ask("to be or not") == [seq]
    assert words_of("what is the timeout").terms == words_of("timeout").terms


NASTY = [
    '"',
    "a OR",
    "NEAR(a b)",
    "a*",
    "^a",
    "terms:a",
    "a AND NOT b",
    "\0",
    "(",
    "t@x",
    "a+",
    "'",
]


@pytest.mark.parametrize("text", [*NASTY, "", " ", "…", "-", "💥", "a" * 5000, "x " * 5000])
def test_no_text_is_taken_for_a_query(ask: Asking, ledger: Ledger, text: str) -> None:
    say(ledger, "one")
    ask(text)


def test_what_looks_like_syntax_is_words(ask: Asking, ledger: Ledger) -> None:
    seq = say(ledger, "alpha near beta")
    say(ledger, "gamma")
    assert ask('NEAR("alpha" beta)') == [seq]
    assert set(ask("alpha NOT gamma")) == {seq, 1}
    assert ask("words:zzz gamma*") == [1]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Views, Ledger]]:
    ledger = open_memory_ledger()
    ledger.append_many([draft("decision", n) for n in range(50)])
    say(ledger, "one 日本 two_three fourFive 6.7 ½ ﷺ ß")
    with Views(str(tmp_path_factory.mktemp("shared") / "views.db")) as views:
        views.catch_up(ledger.reader)
        yield views, ledger


@given(text=st.text(), path=st.text(), session=st.none() | st.text())
@example(text='"one" AND *', path='"', session="'")
@example(text="\ud800one", path="\udfff", session="\ud800")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_at_all_gives_an_answer(
    shared: tuple[Views, Ledger], text: str, path: str, session: str | None
) -> None:
    views, ledger = shared
    for query in (Query(text), Query("one way", path=path, session=session)):
        found = search(views, ledger.reader, query)
        assert found.searched == 51
        assert found.not_searched == []


@given(text=st.text(st.characters(categories=("L", "N"))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_recorded_is_found_by_its_own_words(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    ledger = open_memory_ledger()
    seq = say(ledger, f"begin {text} end")
    with Views(":memory:") as views:
        views.catch_up(ledger.reader)
        if words_of(text).terms:
            hits = search(views, ledger.reader, Query(text)).hits
            assert [hit.seq for hit in hits] == [seq]


# Filters


@pytest.fixture
def mixed(ask: Asking, ledger: Ledger) -> Asking:
    """Six entries about a zebra, told apart by every filter."""
    ledger.append("decision", data_for("decision", 0, choice="zebra"), session_id="s1")
    ledger.append("error", data_for("error", 1, message="zebra"), session_id="s1")
    ledger.append("error", data_for("error", 2, message="zebra"), session_id='s"2')
    change = data_for("file_change", 3, path="src/zoo/zebra.py", diff_summary="zebra")
    ledger.append("file_change", change)
    ledger.append("file_change", {**change, "path": "tests/zoo/test_zebra.py"})
    ledger.append("metric", data_for("metric", 5, name="zebra"))
    return ask


@pytest.mark.parametrize(
    ("filters", "seqs"),
    [
        ({}, {0, 1, 2, 3, 4, 5}),
        ({"types": ("error",)}, {1, 2}),
        ({"types": ("error", "metric")}, {1, 2, 5}),
        ({"session": "s1"}, {0, 1}),
        ({"session": 's"2'}, {2}),
        ({"session": "s"}, set()),
        ({"types": ("error",), "session": "s1"}, {1}),
        ({"path": "src/zoo"}, {3}),
        ({"path": "zoo"}, {3, 4}),
        ({"path": "src/zoo/zebra.py"}, {3}),
        ({"path": "s/zoo/test"}, {4}),
        ({"path": "*"}, set()),
        ({"since": "2000-01-01"}, {0, 1, 2, 3, 4, 5}),
        ({"until": "2000-01-01"}, set()),
        ({"since": "2200-01-01"}, set()),
    ],
)
def test_filters(mixed: Asking, filters: dict[str, Any], seqs: set[int]) -> None:
    assert set(mixed("zebra", **filters)) == seqs


def test_times_are_exact_and_both_ends_are_included(mixed: Asking) -> None:
    times = [entry.timestamp for entry in mixed.ledger.read()]
    assert set(mixed("zebra", since=times[2], until=times[4])) == {2, 3, 4}
    day = times[0][:10]
    assert len(mixed("zebra", since=day, until=day)) == 6
    assert set(mixed("zebra", since=times[3].replace("Z", "+00:00"))) == {3, 4, 5}


def test_a_path_filter_that_fits_many_paths_still_holds(ask: Asking, ledger: Ledger) -> None:
    for n in range(80):
        folder = "src" if n % 2 else "tests"
        data = data_for("file_change", n, path=f"{folder}/part_{n}.py")
        ledger.append("file_change", data)
    assert len(ask("part", path="part_", limit=100)) == 80
    assert all(n % 2 for n in ask("line", path="src/part", limit=100))


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "", "99999-01-01", "2026"])
def test_a_time_that_is_none_is_refused(ask: Asking, text: str) -> None:
    with pytest.raises(InvalidInput, match="is no time"):
        ask("x", since=text)


def test_a_type_that_is_none_is_refused(ask: Asking) -> None:
    with pytest.raises(InvalidInput, match="decisoin"):
        ask("x", types=("decisoin",))


# Superseded decisions


@pytest.mark.lesson("N2")
def test_a_superseded_decision_is_marked_and_comes_after_current_ones(
    ask: Asking, ledger: Ledger
) -> None:
    first = decide(ledger, "cache in Redis")
    decide(ledger, "cache in Redis")
    third = ledger.append(
        "decision",
        {
            "question": "",
            "choice": "no cache",
            "reasoning": "",
            "alternatives": [],
            "supersedes": [first],
        },
    ).seq
    hits = ask.found("cache in redis").hits
    assert [(hit.seq, hit.superseded) for hit in hits] == [(1, False), (0, True), (2, False)]
    assert hits[1].superseded_by == third
    assert ask("redis", superseded=False) == [1]
    assert ask("redis", superseded=True) == [0]


@pytest.mark.lesson("N2")
def test_a_superseded_decision_does_not_take_the_place_of_a_current_one(
    ask: Asking, ledger: Ledger
) -> None:
    decide(ledger, "use Redis")
    old = decide(ledger, "use Redis")
    decide(ledger, "something else", supersedes=[old])
    assert ask("redis", limit=1) == [0]


@pytest.mark.lesson("N2")
def test_a_current_decision_is_not_marked(ask: Asking, ledger: Ledger) -> None:
    decide(ledger, "use Redis")
    decide(ledger, "something else", supersedes=["unknown"])
    assert [hit.superseded for hit in ask.found("redis").hits] == [False]


def test_what_supersedes_may_be_recorded_first(ask: Asking, ledger: Ledger) -> None:
    decide(ledger, "something else", supersedes=["later"])
    data = {"question": "", "choice": "use Redis", "reasoning": "", "alternatives": []}
    ledger.append("decision", data, id="later")
    assert [hit.superseded for hit in ask.found("redis").hits] == [True]


# Common words


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Views, Ledger]]:
    """A ledger in which some words are in very many entries."""
    ledger = open_memory_ledger()
    drafts = [
        draft(
            "agent_said",
            data={"text": f"alpha beta{' gamma' if n % 3 == 0 else ''} item{n} " + "x " * (n % 50)},
            session_id="rare" if n % 1000 == 500 else "s",
        )
        for n in range(3 * SEARCH_LIST_ENTRIES)
    ]
    ledger.append_many(drafts)
    say(ledger, "alpha alpha beta beta kestrel")
    with Views(str(tmp_path_factory.mktemp("crowd") / "views.db")) as views:
        views.catch_up(ledger.reader)
        yield views, ledger


def crowd_seqs(crowd: tuple[Views, Ledger], text: str, **fields: Any) -> list[int]:
    views, ledger = crowd
    return [hit.seq for hit in search(views, ledger.reader, Query(text, **fields)).hits]


def test_the_best_of_a_common_word_is_found_however_many_hold_it(
    crowd: tuple[Views, Ledger],
) -> None:
    last = 3 * SEARCH_LIST_ENTRIES
    assert crowd_seqs(crowd, "alpha")[0] == last
    assert crowd_seqs(crowd, "alpha beta")[0] == last
    assert all(seq % 50 < 5 for seq in crowd_seqs(crowd, "beta")[1:])


def test_a_rare_word_chooses_beside_common_ones(crowd: tuple[Views, Ledger]) -> None:
    assert crowd_seqs(crowd, "alpha item7 beta")[0] == 7
    assert crowd_seqs(crowd, "gamma alpha kestrel")[0] == 3 * SEARCH_LIST_ENTRIES


def test_common_words_together_are_found_together(crowd: tuple[Views, Ledger]) -> None:
    assert all(seq % 3 == 0 for seq in crowd_seqs(crowd, "alpha beta gamma", limit=50))


def test_filters_hold_for_common_words(crowd: tuple[Views, Ledger]) -> None:
    assert set(crowd_seqs(crowd, "alpha beta", session="rare")) == {500, 1500, 2500}


@pytest.mark.lesson("N15")
def test_how_many_more_there_are_is_exact_or_said_to_be_a_lower_bound(
    crowd: tuple[Views, Ledger],
) -> None:
    views, ledger = crowd
    few = search(views, ledger.reader, Query("alpha", session="rare", limit=2))
    assert (len(few.hits), few.more, few.exact) == (2, 1, True)
    many = search(views, ledger.reader, Query("alpha"))
    assert not many.exact
    assert many.more + 10 >= SEARCH_LIST_ENTRIES
    assert many.searched == 3 * SEARCH_LIST_ENTRIES + 1


# What could not be looked at


def test_entries_that_cannot_be_read_are_named(views: Views, ledger: Ledger) -> None:
    for _ in range(10):
        say(ledger, "zebra")
    reader = Watched(ledger)
    reader.missing = {3, 4}
    views.catch_up(reader)
    found = search(views, reader, Query("zebra"))
    assert len(found.hits) == 8
    assert (found.searched, found.not_searched) == (8, [(3, 4)])


def test_entries_that_went_missing_since_are_named(views: Views, ledger: Ledger) -> None:
    for _ in range(3):
        say(ledger, "zebra")
    reader = Watched(ledger)
    views.catch_up(reader)
    reader.missing = {1}
    found = search(views, reader, Query("zebra"))
    assert [hit.seq for hit in found.hits] == [2, 0]
    assert found.not_searched == [(1, 1)]


def test_entries_that_are_not_taken_in_yet_are_named(views: Views, ledger: Ledger) -> None:
    say(ledger, "zebra")
    views.catch_up(ledger.reader)
    say(ledger, "zebra")
    found = search(views, ledger.reader, Query("zebra"))
    assert (found.searched, found.not_searched) == (1, [(1, 1)])


def test_an_empty_ledger_is_searched(ask: Asking) -> None:
    assert ask.found("anything") == Found([], 0, 0, [], terms=words_of("anything").terms)
