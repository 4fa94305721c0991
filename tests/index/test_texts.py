"""What of an entry can be searched."""

from __future__ import annotations

from typing import Any

from holdfast.index.texts import shown_text, text_of
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.ledger.vault import Verbatim
from holdfast.testing import data_for, open_memory_ledger

CITED = {
    "path": "src/queue.py",
    "line": 4,
    "quote": "def take(self):",
    "state": "exact",
    "file": "ab" * 32,
    "section": Verbatim("class Queue:\n    def take(self):", {"first": 3}),
}


def decision(**grounds: Any) -> tuple[Entry, dict[str, Any]]:
    ledger = open_memory_ledger()
    data = data_for("decision", grounds={"cited": 1, "exact": 1, **grounds})
    receipt = ledger.append("decision", data)
    entry = entries.read(ledger.get(receipt.seq).body)
    return entry, entry.value()


def unread(_sha256: str) -> bytes:
    raise AssertionError("sections are not looked into")


def test_of_what_a_decision_rests_on_the_quotes_paths_and_symbols_are_found() -> None:
    entry, value = decision(symbols=["src/queue.py::Queue.take"], task="hf-1", evidence=[CITED])
    text = text_of(entry, value, unread)
    for word in ("def take(self):", "src/queue.py::Queue.take", "hf-1"):
        assert word in text.words
    assert text.paths == ("src/queue.py",)
    assert "abab" not in text.words
    assert "cited" not in text.words


def test_what_is_shown_of_it_holds_no_hash() -> None:
    entry, _ = decision(evidence=[CITED])
    words, failed = shown_text(entry, unread)
    assert ("def take(self):" in words, "abab" in words, failed) == (True, False, False)


def test_grounds_of_another_shape_are_no_obstacle() -> None:
    for grounds in ({"evidence": "x"}, {"evidence": [1, None]}, {"symbols": 3}):
        entry, value = decision(**grounds)
        assert text_of(entry, value, unread).paths == ()
