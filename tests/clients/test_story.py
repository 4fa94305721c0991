"""One install, a compaction, and the next answer is built on what was brought back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import story
from tools import agents_run

pytestmark = pytest.mark.clients


@pytest.mark.req("X4", "L17")
@pytest.mark.lesson("N1")
def test_the_next_answer_is_built_on_what_was_brought_back(programs: Path, tmp_path: Path) -> None:
    told = story.tell(programs, tmp_path)
    assert told.lost == {
        ("constraint", "Never open more than 512 connections."): "dropped",
        ("constraint", "We must tag the release amber-heron."): "dropped",
        ("number", "512 (Never open more than 512 connections.)"): "dropped",
        ("command", story.COUNT): "dropped",
        ("path", "pool.py"): "kept",
        ("request", "Write pool.py, a pool of database connections."): "kept",
    }
    assert story.TAG in told.known
    assert not any(story.TAG in text for text in told.other)
    printed = {step.typed: step.printed for step in told.steps}
    [answer] = [text for typed, text in printed.items() if "--continue" in typed]
    assert answer.strip() == f"The release must be tagged {story.TAG}."
    assert printed["holdfast restore --file pool.py --out -"] == story.CODE
    assert agents_run.shape(agents_run.PAGE.read_text()) == agents_run.shape(agents_run.page(told))


WAYS = ("compacted", "cleared", "cleared, then compacted", "resumed", "new")


@pytest.mark.req("X4", "L17")
@pytest.mark.lesson("N1")
@pytest.mark.parametrize("way", WAYS[1:])
def test_however_the_context_went_the_next_answer_is_built_on_what_was_brought_back(
    programs: Path, tmp_path: Path, way: story.Way
) -> None:
    told = story.later(programs, tmp_path, way)
    assert told.answer == f"The release must be tagged {story.TAG}."
    assert story.TAG in told.known
    assert not any(story.TAG in text for text in told.other)


@pytest.mark.parametrize("way", WAYS)
def test_without_holdfast_the_same_model_does_not_know(
    programs: Path, tmp_path: Path, way: story.Way
) -> None:
    told = story.later(programs, tmp_path, way, installed=False)
    assert (told.answer, told.known) == ("I do not know of a tag.", "")
