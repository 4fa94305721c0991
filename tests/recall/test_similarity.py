"""Calibrated similarity: what 0.4 parts, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.code import language_of
from holdfast.index import vectors
from holdfast.index.code_documents import Document
from holdfast.index.code_index import CodeIndex, File, Taken
from holdfast.index.vectors import words_of_section
from holdfast.kernel.limits import SIMILAR_WINDOW_LINES
from holdfast.recall.similarity import THRESHOLD, Measured, Nearest, nearest, similarity

FAR = "\n".join(["pass"] * (3 * SIMILAR_WINDOW_LINES))
TEXTS = {
    "gz.py": "def compress(data):\n    return deflate(data, level)",
    "mail.py": "def send_message(server, letter):\n    server.deliver(letter)",
    "walk.py": "def walk(directory):\n    for entry in scan(directory):\n        yield entry",
    "apart.py": f"def scattered():\n    throttle = 1\n{FAR}\n    tenants = 2",
    "together.py": "def limits():\n    throttle = tenants",
    "wide.py": "import readable\nquoted = 1",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[CodeIndex]:
    model = vectors.load()
    assert model is not None
    with CodeIndex(str(tmp_path / "code.db")) as made:
        for path, text in TEXTS.items():
            assert language_of(path) == "python"
            name = text.partition("(")[0].removeprefix("def ") if "def " in text else ""
            one = Document("function", name, 1, text.count("\n") + 1, text)
            packed = model.pack([words_of_section(name, path, text)])
            made.take([Taken(File(path, "s", b"h", None, None, model.name), [one], packed)])
        yield made


def ask(index: CodeIndex, text: str, *, meanings: bool = True) -> Nearest:
    model = vectors.load() if meanings else None
    return nearest(index, model, lambda path: (b"h", TEXTS[path]), text)


def best(index: CodeIndex, text: str) -> float:
    return ask(index, text).near[0].similarity


def test_it_is_0_4_where_the_constants_say_and_grows_with_all_that_is_measured() -> None:
    low = similarity(Measured(0.2, 0.3, 0.1))
    for more in (Measured(0.3, 0.3, 0.1), Measured(0.2, 0.4, 0.1), Measured(0.2, 0.3, 0.2)):
        assert 0 < low < similarity(more) < 1
    assert similarity(Measured(0.0, 0.0, 0.0)) < 0.05
    assert similarity(Measured(1.0, 1.0, 1.0)) > 0.95


@pytest.mark.req("L9")
def test_what_is_there_is_above_the_threshold_and_what_is_not_below(index: CodeIndex) -> None:
    for text in ("compress data at a level", "send a letter to a server", "walk a directory"):
        assert best(index, text) >= THRESHOLD, text
    for text in ("kubernetes pod autoscaling", "sign in by an identity provider", "poker hands"):
        assert best(index, text) < THRESHOLD, text


def test_words_near_in_meaning_count_where_there_is_a_model(index: CodeIndex) -> None:
    text = "traverse folders"
    with_model, without = ask(index, text), ask(index, text, meanings=False)
    assert with_model.near[0].section.path == "walk.py"
    assert with_model.near[0].similarity > max((n.similarity for n in without.near), default=0)


def test_words_that_stand_together_count_more_than_those_far_apart(index: CodeIndex) -> None:
    close = {n.section.path: n.measured.close for n in ask(index, "throttle tenants").near}
    assert close["together.py"] > close["apart.py"] > 0


def test_a_word_within_another_counts(index: CodeIndex) -> None:
    near = {n.section.path: n.measured.close for n in ask(index, "unquoted reada").near}
    assert near["wide.py"] > 0


def test_few_common_words_are_never_covered_whole(index: CodeIndex) -> None:
    assert all(one.measured.close < 1 for one in ask(index, "server").near)


def test_a_file_that_changed_is_named_and_not_judged(index: CodeIndex) -> None:
    found = nearest(index, None, lambda path: (b"other", TEXTS[path]), "walk a directory")
    assert (found.near, found.lost) == ([], ["walk.py"])


def test_a_question_without_words_has_nothing_near(index: CodeIndex) -> None:
    assert ask(index, "->").near == []
