"""What is marked `Verbatim` is kept in the vault as it is, or not at all."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from holdfast.kernel.entry import Entry
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.vault import Verbatim
from holdfast.testing.builders import data_for, open_memory_ledger

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""Put together here, so that none stands in the repository."""


def record(value: Any) -> tuple[Ledger, Entry]:
    ledger = open_memory_ledger()
    ledger.append("error", data_for("error", extra=value))
    assert ledger.verify().ok
    return ledger, next(ledger.read())


@pytest.mark.parametrize("text", ["x = 1", "", "ä\r\n\t", "x" * 100_000, "\ud800 half"])
def test_it_goes_to_the_vault_whatever_its_size_and_comes_back(text: str) -> None:
    ledger, entry = record(Verbatim(text))
    reference: Any = entry.value()["extra"]
    assert reference["$artifact"] == sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert ledger.data(entry)["extra"] == text


def test_what_only_looks_like_a_secret_is_not_altered() -> None:
    """Code is full of names and values that a prompt would not be allowed to hold."""
    text = 'password = "correct horse battery staple 9Xq"'
    ledger, entry = record(Verbatim(text))
    assert ledger.redact(text) != text
    assert ledger.data(entry)["extra"] == text


@pytest.mark.req("L18")
def test_with_a_certain_secret_only_hash_and_size_are_kept() -> None:
    text = f"token = {TOKEN!r}\n"
    ledger, entry = record(Verbatim(text))
    assert entry.value()["extra"] == {
        "withheld": "secret",
        "sha256": sha256(text.encode()).hexdigest(),
        "bytes": len(text),
    }
    assert ledger.artifact(sha256(text.encode()).hexdigest()) is None


@pytest.mark.req("L18")
def test_then_the_other_text_is_kept_if_there_is_one() -> None:
    ledger, entry = record(Verbatim(TOKEN, {"first": 1}, Verbatim("plain", {"first": 7})))
    assert ledger.data(entry)["extra"] == {"first": 7, "text": "plain"}


def test_without_a_secret_the_first_text_is_kept() -> None:
    ledger, entry = record(Verbatim("whole", {"first": 1}, Verbatim("plain", {"first": 7})))
    assert ledger.data(entry)["extra"] == {"first": 1, "text": "whole"}


def test_a_batch_keeps_them_too() -> None:
    ledger = open_memory_ledger()
    drafts = [Draft("error", data_for("error", extra=Verbatim(f"x = {n}"))) for n in range(3)]
    ledger.append_many(drafts)
    assert [ledger.data(entry)["extra"] for entry in ledger.read()] == ["x = 0", "x = 1", "x = 2"]


def test_data_that_looks_like_the_mark_is_data() -> None:
    said: dict[str, Any] = {"text": "x", "beside": {}, "instead": None}
    ledger, entry = record(said)
    assert ledger.data(entry)["extra"] == said
