"""Vectors: from the weights in the package, without loading it, and near where meanings are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.index import vectors
from holdfast.index.vectors import DIMENSIONS, Model, words_of, words_of_section


@pytest.fixture(scope="module")
def model() -> Model:
    loaded = vectors.load()
    assert loaded is not None
    return loaded


def packed(model: Model, *texts: str) -> list[tuple[int, bytes]]:
    return [(10, model.pack([words_of_section("", "", text) for text in texts]))]


def near(model: Model, text: str, rows: list[tuple[int, bytes]]) -> list[tuple[int, float]]:
    return model.nearest(dict.fromkeys(words_of(text), 1.0), rows, 5)


def test_a_text_is_nearest_to_itself_and_near_to_what_means_the_same(model: Model) -> None:
    rows = packed(model, "delete the file from disk", "remove a document", "solar panel prices")
    found = near(model, "delete the file from disk", rows)
    [(first, one), (second, other), (third, far)] = found
    assert (first, second, third) == (10, 11, 12)
    assert one == pytest.approx(1.0, abs=0.05)
    assert one > other > far
    assert far < 0.4


def test_a_question_is_compared_with_names(model: Model) -> None:
    asked = dict.fromkeys(words_of("delete a file"), 1.0)
    same, alike, far, none = model.compare_texts(
        asked, ["delete_file", "removeDocument", "solar", "_"]
    )
    assert 1.01 > same > alike > far
    assert none == 0.0
    assert model.compare_texts({}, ["delete_file"]) == [0.0]


def test_a_vector_is_a_byte_for_each_dimension(model: Model) -> None:
    assert len(model.pack([{"word": 1.0}, {}])) == 2 * DIMENSIONS
    assert model.pack([{}]) == bytes(DIMENSIONS)


def test_a_question_without_words_is_near_nothing(model: Model) -> None:
    assert near(model, "-> != 42", packed(model, "word")) == []
    assert near(model, "word", []) == []


def test_identifiers_are_split_and_words_that_only_join_left_out() -> None:
    assert set(words_of("def countRetries(self): return HTTPServer_budget")) == {
        *("count", "retries", "http", "server", "budget"),
    }
    assert set(words_of("what is this")) == {"what", "is", "this"}


def test_the_words_of_a_name_count_more() -> None:
    weights = words_of_section("Class.retry", "src/net.py", "budget retry")
    assert weights["retry"] > weights["budget"] == weights["src"]


def test_neither_the_package_nor_a_network_is_used_to_load_it() -> None:
    script = """
import socket, sys
def refuse(*_): raise AssertionError("a connection")
socket.socket.connect = refuse
from holdfast.index import vectors
assert "numpy" not in sys.modules
model = vectors.load()
assert len(model.pack([{"word": 1.0}])) == 256
print([name for name in ("wordllama", "requests", "safetensors") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_without_the_package_there_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "find_spec", lambda _name: None)
    assert vectors.load.__wrapped__() is None
