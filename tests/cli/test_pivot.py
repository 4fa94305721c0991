"""The pivot rule: an agent that found too much says what it learned before it searches again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast import open as open_project
from holdfast.ledger.ledger import Draft
from tests.cli.harness import Holdfast, Result

WORDS = ("--reason", "query too broad", "--failed", "one module", "--refined", "each client")


def fill(holdfast: Holdfast, count: int, text: str = "the retry budget") -> None:
    with open_project(holdfast.folder) as ledger:
        drafts = [Draft("prompt_given", {"text": f"{text} number {n}"}) for n in range(count)]
        ledger.append_many(drafts)


def search(holdfast: Holdfast, *args: str) -> Result:
    return holdfast("search", *args, "--actor-kind", "agent")


def limit(holdfast: Holdfast, results: int) -> None:
    holdfast.settings.write_text(f"[search]\npivot_results = {results}\n")


def ran(holdfast: Holdfast) -> list[Any]:
    return holdfast.entries("--type", "search_ran")


@pytest.mark.req("L11")
def test_after_too_many_results_the_next_search_needs_a_pivot(holdfast: Holdfast) -> None:
    fill(holdfast, 60)
    first = search(holdfast, "retry", "budget", "--json")
    assert first.code == 0
    assert "holdfast pivot" in first.err
    [entry] = ran(holdfast)
    assert entry["data"] == {"query": "retry budget", "result_count": 60, "scope": "ledger"}
    assert entry["actor"]["kind"] == "agent"

    again = search(holdfast, "retry", "--json")
    assert again.code == 1
    assert again.json()["error"]["what"] == (
        "The search 'retry budget' had 60 results and waits for a pivot."
    )
    assert "holdfast pivot --reason" in again.json()["error"]["remedy"]
    assert "Nothing was searched." in again.err
    assert len(ran(holdfast)) == 1

    assert holdfast("pivot", *WORDS, "--actor-kind", "agent").code == 0
    [pivot] = holdfast.entries("--type", "pivot_logged")
    assert pivot["data"] == {
        "reason": "query too broad",
        "result_count": 60,
        "hypothesis_failure": "one module",
        "refined_hypothesis": "each client",
        "search": entry["id"],
    }
    assert search(holdfast, "number", "7").code == 0


@pytest.mark.req("L11")
def test_the_limit_itself_is_not_too_many(holdfast: Holdfast) -> None:
    fill(holdfast, 50)
    assert search(holdfast, "retry", "budget").code == 0
    assert ran(holdfast) == []
    fill(holdfast, 1)
    assert search(holdfast, "retry", "budget").code == 0
    assert len(ran(holdfast)) == 1


@pytest.mark.req("L11")
def test_a_person_may_search_as_they_like(holdfast: Holdfast) -> None:
    fill(holdfast, 60)
    for _ in range(2):
        assert holdfast("search", "retry", "budget").code == 0
    assert ran(holdfast) == []
    search(holdfast, "retry", "budget")
    assert holdfast("search", "retry", "budget").code == 0
    assert search(holdfast, "retry").code == 1


def test_entries_that_share_a_common_word_are_no_results(holdfast: Holdfast) -> None:
    """A question of several words must not find "too much" in every long ledger."""
    fill(holdfast, 60, "the weather")
    fill(holdfast, 1, "the retry budget")
    assert search(holdfast, "number", "retry", "budget").code == 0
    assert ran(holdfast) == []


def test_how_many_are_shown_does_not_matter(holdfast: Holdfast) -> None:
    fill(holdfast, 60)
    assert search(holdfast, "retry", "budget", "-n", "1").code == 0
    assert ran(holdfast)[0]["data"]["result_count"] == 60


def test_another_session_is_not_held_up(holdfast: Holdfast) -> None:
    fill(holdfast, 5)
    limit(holdfast, 3)
    assert holdfast("search", "retry", "--actor-kind", "agent", HOLDFAST_SESSION="s1").code == 0
    assert holdfast("search", "retry", "--actor-kind", "agent", HOLDFAST_SESSION="s2").code == 0
    assert holdfast("search", "retry", "--actor-kind", "agent", HOLDFAST_SESSION="s1").code == 1
    assert holdfast("pivot", *WORDS, "--session", "s1").code == 0
    assert holdfast("search", "budget", "--actor-kind", "agent", HOLDFAST_SESSION="s1").code == 0
    assert holdfast("search", "retry", "--actor-kind", "agent", HOLDFAST_SESSION="s2").code == 1


def test_a_pivot_can_name_its_search(holdfast: Holdfast) -> None:
    fill(holdfast, 5)
    limit(holdfast, 3)
    for session in ("s1", "s2"):
        holdfast("search", "retry", "--actor-kind", "agent", HOLDFAST_SESSION=session)
    first, second = ran(holdfast)
    assert holdfast("pivot", *WORDS, "--search", str(first["seq"])).code == 0
    assert holdfast("pivot", *WORDS, "--search", str(first["seq"])).code == 1
    assert holdfast("pivot", *WORDS, "--search", second["id"]).code == 0
    assert [one["data"]["search"] for one in holdfast.entries("--type", "pivot_logged")] == [
        first["id"],
        second["id"],
    ]


def test_a_pivot_about_a_search_made_elsewhere_says_how_much_it_found(holdfast: Holdfast) -> None:
    done = holdfast("pivot", *WORDS)
    assert done.code == 1
    assert "--results" in done.err
    assert holdfast("pivot", *WORDS, "--results", "214").code == 0
    [pivot] = holdfast.entries("--type", "pivot_logged")
    assert (pivot["data"]["result_count"], "search" in pivot["data"]) == (214, False)


@pytest.mark.parametrize("name", ["--reason", "--failed", "--refined"])
def test_a_pivot_without_words_is_refused(holdfast: Holdfast, name: str) -> None:
    words = list(WORDS)
    words[words.index(name) + 1] = "  "
    done = holdfast("pivot", *words, "--results", "60")
    assert done.code == 2
    assert f"{name} is empty" in done.err
    assert holdfast.entries() == []


@pytest.mark.req("L11")
def test_a_search_of_the_code_is_counted_as_well(holdfast: Holdfast) -> None:
    limit(holdfast, 3)
    body = "def retry_{n}(budget):\n    return budget.retry_{n}\n\n\n"
    (holdfast.folder / "a.py").write_text("".join(body.format(n=n) for n in range(12)))
    (holdfast.folder / "b.py").write_text("def parse(feed):\n    return feed\n")
    assert search(holdfast, "--code", "parse", "feed").code == 0
    assert ran(holdfast) == []
    done = search(holdfast, "--code", "retry", "budget", "-n", "2", "--json")
    assert done.code == 0
    assert len(done.out.splitlines()) == 3
    [entry] = ran(holdfast)
    assert (entry["data"]["scope"], entry["data"]["query"]) == ("code", "retry budget")
    assert entry["data"]["result_count"] == 12
    assert search(holdfast, "--code", "parse").code == 1
    assert search(holdfast, "retry").code == 1
    assert holdfast("search", "--code", "retry", "budget").code == 0


@pytest.mark.req("L10", "L11")
def test_the_trajectory_tells_of_both(holdfast: Holdfast) -> None:
    fill(holdfast, 5)
    limit(holdfast, 3)
    search(holdfast, "retry")
    holdfast("pivot", *WORDS)
    [path] = (holdfast.folder / ".holdfast/trajectory").iterdir()
    told = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["phase"] for line in told] == ["search", "pivot"]
    assert told[1]["result_count"] == 5
