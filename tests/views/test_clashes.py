"""Clashes: what is told at a glance is what a full look would say."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from holdfast.views import clashes, contradictions
from holdfast.views.contradictions import Conflict, Statement, conflict
from holdfast.views.phrases import Phrase, read

PAIRS: Final[dict[str, list[dict[str, Any]]]] = json.loads(
    (Path(__file__).parent / "fork_pairs.json").read_text(encoding="utf-8")
)
GLANCES: Final = ("_may_clash", "_have_contraries", "_name_things", "_may_differ_in_one_place")


def pairs(chance: random.Random) -> list[tuple[Statement, Statement]]:
    """Return decisions with their words changed, moved and mixed, two on one subject each."""
    sides = [side for known in PAIRS.values() for pair in known for side in _sides(pair)]
    words = sorted({word for side in sides for word in side.split()})

    def said() -> Statement:
        text = chance.choice(sides).split()
        match chance.randrange(5):
            case 0:
                text[chance.randrange(len(text))] = chance.choice(words)
            case 1:
                text = [chance.choice(words) for _ in range(chance.randrange(1, 7))]
            case 2:
                text += [";", *chance.choice(sides).split()]
            case 3:
                text += [",", "not", chance.choice(words)]
            case _:
                pass  # as it was written
        listed = tuple(chance.choice((chance.choice(sides), chance.choice(words))) for _ in "ab")
        return Statement(choice=" ".join(text), subject="queue", alternatives=listed)

    found = [(said(), said()) for _ in range(2_000)]
    for one, _ in found[:2_000]:
        text = one.choice.split()
        text[chance.randrange(len(text))] = chance.choice(words)
        found.append((one, Statement(choice=" ".join(text), subject="queue")))
    return found


def _sides(pair: dict[str, Any]) -> list[str]:
    return list(pair.get("choices") or (pair["old"]["choice"], pair["new"]["choice"]))


def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything be looked at in full, clause by clause and word by word."""
    for name in GLANCES:
        monkeypatch.setattr(clashes, name, lambda *_: True)
    monkeypatch.setattr(contradictions, "_is_chosen", _is_chosen)
    monkeypatch.setattr(contradictions, "_apart", _apart)


def _apart(new: Statement, old: Statement) -> list[tuple[Phrase, Phrase]]:
    mine, theirs = read(new.choice), read(old.choice)
    every = product(mine, theirs)
    return [(one, other) for one, other in every if one not in theirs and other not in mine]


def _is_chosen(
    alternative: str, chooser: Statement, lister: Statement, about: frozenset[str]
) -> bool:
    wanted = frozenset(stem for phrase in read(alternative) for stem in phrase.stems)
    if not wanted - about:
        return False
    own = [phrase for phrase in read(lister.choice) if phrase.affirmed]
    if any(wanted <= phrase.stems for phrase in own):
        return False
    names = {stem for phrase in own for stem in phrase.stems} - about - wanted
    return any(
        phrase.affirmed and wanted <= phrase.stems and not (names and names <= phrase.stems)
        for phrase in read(chooser.choice)
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_glance_never_misses_what_a_full_look_finds(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    held = pairs(random.Random(seed))
    glanced: list[Conflict | None] = [conflict(one, other) for one, other in held]
    plainly(monkeypatch)
    expected = [conflict(one, other) for one, other in held]
    kinds = {found.kind for found in expected if found is not None}
    assert kinds >= {"negated", "value", "alternative", "exclusive"}
    assert expected == glanced


def test_most_pairs_are_told_apart_at_a_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    order = clashes._order

    def counted(phrase: Phrase) -> Any:
        looked_at.append(phrase)
        return order(phrase)

    monkeypatch.setattr(clashes, "_order", counted)
    held = pairs(random.Random(1))[:2_000]
    for one, other in held:
        conflict(one, other)
    assert len(looked_at) < len(held)
