"""The store of subjects: which decisions that hold are about the same thing."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.ledger.ledger import Ledger
from holdfast.stores.store import Items
from holdfast.stores.subjects import newest, same_key, subject_words, symbol_key, word_key
from holdfast.testing.builders import data_for, open_memory_ledger


def decide(ledger: Ledger, name: str, subject: str | None = None, **fields: Any) -> None:
    about = {} if subject is None else {"subject": subject}
    ledger.append("decision", data_for("decision", **fields) | about, id=name)


def grounds(*symbols: str) -> dict[str, Any]:
    return {"cited": 1, "exact": 1, "symbols": list(symbols)}


def subjects(ledger: Ledger) -> Items:
    return ledger.fold().state("subjects").items


def on(items: Items, subject: str) -> list[str]:
    return [key for key, _ in newest(items, same_key(subject_words(subject)))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("session store", "Storage of the sessions"),
        ("auth", "Authentication"),
        ("retryPolicy", "the retry policies"),
        ("DB config", "configuration of the database"),
        ("ﬁle format", "file formats"),
    ],
)
def test_spellings_of_a_subject_are_one(one: str, other: str) -> None:
    assert subject_words(one) == subject_words(other) != ()


def test_other_subjects_stay_apart_and_small_words_alone_are_a_subject() -> None:
    assert subject_words("session store") != subject_words("session timeout")
    assert subject_words("what") == ("what",)
    assert subject_words("--") == ()


@pytest.mark.req("L2")
def test_decisions_are_found_by_subject_by_word_and_by_symbol_the_newest_first() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", "session store")
    decide(ledger, "b", "storage of sessions", grounds=grounds("a.py::f"))
    decide(ledger, "c", "session timeout")
    decide(ledger, "d")
    items = subjects(ledger)
    assert on(items, "Session Stores") == ["b", "a"]
    assert [key for key, _ in newest(items, word_key("session"))] == ["c", "b", "a"]
    assert [key for key, _ in newest(items, symbol_key("a.py::f"))] == ["b"]
    assert "d" not in items


@pytest.mark.lesson("N2")
def test_what_is_superseded_is_on_no_list() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", "store", grounds=grounds("a.py::f"))
    decide(ledger, "b", "store", supersedes=["a"])
    items = subjects(ledger)
    assert on(items, "store") == ["b"]
    assert list(newest(items, symbol_key("a.py::f"))) == []


def test_what_is_superseded_before_it_comes_is_never_on_a_list() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "b", "store", supersedes=["a"])
    decide(ledger, "a", "store")
    assert on(subjects(ledger), "store") == ["b"]


def test_nothing_supersedes_itself() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", "store", supersedes=["a"])
    assert on(subjects(ledger), "store") == ["a"]


def test_grounding_anew_adds_symbols_and_raises_nobody_from_the_dead() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", "store")
    decide(ledger, "b", "other", supersedes=["c"])
    for name in ("a", "a", "c", "nobody"):
        ledger.append("decision_grounded", {"decision": name, "grounds": grounds("a.py::g")})
    assert [key for key, _ in newest(subjects(ledger), symbol_key("a.py::g"))] == ["a"]


@pytest.mark.req("L20")
def test_a_rollback_takes_decisions_off_their_lists_and_puts_them_back() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", "store")
    decide(ledger, "b", "store", supersedes=["a"])
    ledger.append("rolled_back", {"to": 0, "reason": "r"})
    assert on(subjects(ledger), "store") == ["a"]
