"""Two questions about one feature: what one finds is held against the other, file by file."""

from __future__ import annotations

from typing import Any, cast

import pytest

from holdfast.index.code_index import Section
from holdfast.recall.similarity import Measured, Near, Nearest
from holdfast.wiring import ghost_searching
from holdfast.wiring.ghost_searching import nearest_to_all

INDEX = cast("Any", None)
MODEL = cast("Any", object())
ONE, OTHER = "the one", "the other"


def near(path: str, similarity: float, id: int = 1) -> Near:
    section = Section(id=id, path=path, hash=b"", name="f", kind="", first_line=1, last_line=2)
    return Near(section, similarity, Measured(0, 0, 0))


class Answers:
    """Stands in for the search: answers by question, and by the path that it is asked within."""

    def __init__(self) -> None:
        self.whole: dict[str, list[Near]] = {}
        self.within: dict[tuple[str, str], list[Near]] = {}
        self.lost: list[str] = []
        self.asked: list[tuple[str, str]] = []

    def __call__(self, *args: Any, within: str | None = None) -> Nearest:
        query = args[-1]
        if within is None:
            return Nearest(self.whole.get(query, []), [])
        self.asked.append((query, within))
        return Nearest(self.within.get((query, within), []), self.lost)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    made = Answers()
    monkeypatch.setattr(ghost_searching, "nearest", made)
    return made


def found(model: Any = MODEL, queries: tuple[str, ...] = (ONE, OTHER)) -> list[Nearest]:
    return nearest_to_all(INDEX, model, INDEX, queries)


@pytest.mark.req("L9")
def test_a_weak_hit_in_a_file_that_is_far_from_the_other_question_is_none(answers: Answers) -> None:
    answers.whole[ONE] = [near("a.py", 0.45), near("b.py", 0.1)]
    answers.within[OTHER, "a.py"] = [near("a.py", 0.02)]
    one, other = found()
    assert (one.hits, other.hits) == (0, 0)
    assert one.near[0].section.path == "a.py"
    # only files with hits are asked for
    assert answers.asked == [(OTHER, "a.py")]


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    ("similarity", "other"), [(0.45, 0.2), (0.45, 0.9), (0.8, 0.0), (0.41, 0.16)]
)
def test_a_hit_that_is_borne_out_or_strong_stays_one(
    answers: Answers, similarity: float, other: float
) -> None:
    answers.whole[OTHER] = [near("a.py", similarity)]
    answers.within[ONE, "a.py"] = [near("a.py", other)]
    assert [each.hits for each in found()] == [0, 1]


def test_what_is_borne_out_comes_before_what_is_not(answers: Answers) -> None:
    answers.whole[ONE] = [near("a.py", 0.6, 1), near("b.py", 0.5, 2), near("c.py", 0.39, 3)]
    answers.within[OTHER, "a.py"] = [near("a.py", 0.01)]
    answers.within[OTHER, "b.py"] = [near("b.py", 0.1)]
    assert [each.section.path for each in found()[0].near] == ["b.py", "c.py", "a.py"]


def test_another_file_whose_path_has_the_same_end_bears_nothing_out(answers: Answers) -> None:
    answers.whole[ONE] = [near("a.py", 0.45)]
    answers.within[OTHER, "a.py"] = [near("lib/a.py", 0.9), near("a.py", 0.01)]
    assert found()[0].hits == 0


@pytest.mark.lesson("L9")
def test_a_hit_stays_one_where_its_file_could_not_be_looked_at_again(answers: Answers) -> None:
    """Many files of one name can leave no room for this one: that proves nothing."""
    answers.whole[ONE] = [near("a.py", 0.45)]
    answers.within[OTHER, "a.py"] = [near("lib/a.py", 0.9)]
    assert found()[0].hits == 1


@pytest.mark.lesson("L9")
def test_a_file_that_changed_in_between_is_told(answers: Answers) -> None:
    answers.whole[ONE] = [near("a.py", 0.45)]
    answers.lost = ["a.py"]
    assert [each.lost for each in found()] == [["a.py"], []]


@pytest.mark.parametrize("model", [MODEL, None])
def test_one_question_and_words_alone_are_held_against_nothing(
    answers: Answers, model: Any
) -> None:
    answers.whole[ONE] = [near("a.py", 0.45)]
    queries = (ONE,) if model is not None else (ONE, OTHER)
    assert found(model, queries)[0].hits == 1
    assert answers.asked == []
