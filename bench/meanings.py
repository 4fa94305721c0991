"""Search what was said by its meaning: what the vectors of entries add to their words.

The texts are docstrings of Python's standard library, which their authors wrote in two ways: a
sentence that says it briefly, and the paragraphs that say it at length. A ledger gets the
paragraphs, each as a decision; the sentence is the question, and that decision is the answer. Only
docstrings with at least four words in the sentence and eight behind it count. Found: for how many
questions the decision is among the first ten hits, by words and meanings joined
(`search --meaning`), and by words alone. The questions are others than those by which the least
similarity that counts was chosen.

How long it takes: one question, warm, by words alone and joined, in turns.
"""

from __future__ import annotations

import ast
import random
import re
import time
import warnings
from typing import Final

import msgspec

from bench.code_corpus import WORDS_MIN, modules
from bench.harness import CannotMeasureError, Figure, Options, Result, Row, end_round, spread
from holdfast.index import vectors
from holdfast.index.database import IN_MEMORY
from holdfast.index.meanings import Meanings
from holdfast.index.views import Views
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.recall.search import Query, search
from holdfast.testing.builders import open_memory_ledger

NAME = "meanings"
TITLE = "Search what was said by its meaning"

AMONG: Final = 10
LENGTH_MIN: Final = 8
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|\n\s*\n")


class Said(msgspec.Struct, frozen=True):
    """The same thing, briefly and at length."""

    question: str
    answer: str


def run(options: Options) -> Result:
    """Measure."""
    said = pairs()
    asked = held_out(said)[: options.pick(1_000, 100)]
    model = vectors.load()
    if model is None or len(asked) < 100:
        raise CannotMeasureError("the extra `search` or the standard library's sources are missing")
    ledger = filled(said)
    times: dict[str, list[float]] = {"words": [], "joined": []}
    found = {"words": 0, "joined": 0}
    with Views(IN_MEMORY) as views:
        views.catch_up(ledger.reader)
        meanings = Meanings(views, model)
        meanings.catch_up(ledger.reader)
        for number, (seq, question) in enumerate(asked):
            for name, by in (("words", None), ("joined", meanings)):
                began = time.perf_counter()
                hits = search(views, ledger.reader, Query(question, limit=AMONG), by).hits
                times[name].append((time.perf_counter() - began) * 1e3)
                found[name] += any(hit.seq == seq for hit in hits)
            if number % 100 == 0:
                end_round()
    share = {name: 100 * count / len(asked) for name, count in found.items()}
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(
                f"points of {AMONG} first hits, joined beyond words alone",
                spread([share["joined"] - share["words"]]),
                unit="",
            )
        ],
        rows=[
            Row("ledger", "decisions", "", spread([len(said)])),
            Row("questions", "asked", "", spread([len(asked)])),
            *(Row(name, f"found among {AMONG}", "%", spread([share[name]])) for name in share),
            *(Row(name, "one question", "ms", spread(times[name])) for name in times),
        ],
    )


def pairs() -> list[Said]:
    """Return what every docstring says, in both ways, each sentence once."""
    found: dict[str, Said] = {}
    twice: set[str] = set()
    for _, text in modules():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                doc = ast.get_docstring(node) or ""
                question, *rest = (" ".join(p.split()) for p in _SENTENCE_END.split(doc.strip()))
                answer = " ".join(rest)
                long = len(question.split()) >= WORDS_MIN and len(answer.split()) >= LENGTH_MIN
                if long and question in found:
                    twice.add(question)
                elif long:
                    found[question] = Said(question, answer)
    return [one for question, one in found.items() if question not in twice]


def filled(said: list[Said]) -> Ledger:
    """Return a ledger of decisions, one for each."""
    ledger = open_memory_ledger()
    drafts = [
        Draft(
            "decision",
            {"question": "", "choice": one.answer, "reasoning": "", "alternatives": []},
        )
        for one in said
    ]
    for begin in range(0, len(drafts), 500):
        ledger.append_many(drafts[begin : begin + 500])
    return ledger


def tuned(said: list[Said]) -> list[tuple[int, str]]:
    """Return the questions to choose constants by, with the number of the entry that answers."""
    return _shuffled(said)[::2]


def held_out(said: list[Said]) -> list[tuple[int, str]]:
    """Return the others, to measure with."""
    return _shuffled(said)[1::2]


def _shuffled(said: list[Said]) -> list[tuple[int, str]]:
    asked = [(seq, one.question) for seq, one in enumerate(said)]
    random.Random(1).shuffle(asked)
    return asked
