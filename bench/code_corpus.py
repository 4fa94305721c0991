"""The standard library as a project to search: docstrings taken out, and asked for.

Modules in order of their names, tests of Python left out. Every docstring is replaced by an empty
one of as many lines, so that no word of a question stands in the index because of it. A question is
the first sentence of the docstring of a function or method: of at least four words, and such that
no other docstring begins so. The answer is that function.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

WORDS_MIN: Final = 4

TUNED: Final = (400, 600, 1000)
"""Sizes of the samples by which the constants were chosen."""

_LEFT_OUT: Final = frozenset({"site-packages", "test", "tests", "idle_test", "lib2to3"})
_Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Question(msgspec.Struct, frozen=True):
    """A sentence, and the function that it was written about."""

    text: str
    path: str
    line: int
    name: str


def modules() -> list[tuple[str, str]]:
    """Return the path and the text of each module."""
    root = Path(sysconfig.get_paths()["stdlib"])
    found = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if not _LEFT_OUT & set(relative.parts):
            found.append((relative.as_posix(), path.read_text(encoding="utf-8", errors="replace")))
    return found


def lay_out(folder: Path, parts: list[tuple[str, str]]) -> list[Question]:
    """Write modules without their docstrings into a folder; return the questions."""
    asked: list[Question] = []
    beginnings: Counter[str] = Counter()
    for path, text in parts:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError:
            continue
        lines = text.split("\n")
        for node, sentence in _take_out(tree, lines):
            beginnings[sentence] += 1
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                asked.append(Question(sentence, path, node.lineno, node.name))
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("\n".join(lines), encoding="utf-8")
    long = [one for one in asked if len(one.text.split()) >= WORDS_MIN]
    return [one for one in long if beginnings[one.text] == 1]


def sample(questions: list[Question], count: int, seed: int = 1) -> list[Question]:
    """Return so many questions, by chance, the same each time: those to choose constants by."""
    return random.Random(seed).sample(questions, min(count, len(questions)))


def held_out(questions: list[Question], count: int) -> list[Question]:
    """Return so many other questions, to measure with."""
    seen = {one for size in TUNED for one in sample(questions, size)}
    return sample([one for one in questions if one not in seen], count, seed=2)


def _take_out(tree: ast.Module, lines: list[str]) -> Iterator[tuple[_Documented, str]]:
    """Empty every docstring in the lines, and yield what it belongs to with its first sentence."""
    for node in ast.walk(tree):
        if not isinstance(node, _Documented):
            continue
        doc = ast.get_docstring(node)
        if doc is None:
            continue
        held = node.body[0]
        first, last = held.lineno - 1, (held.end_lineno or held.lineno) - 1
        before = lines[first].encode()[: held.col_offset].decode(errors="replace")
        after = lines[last].encode()[held.end_col_offset :].decode(errors="replace")
        lines[first : last + 1] = [f'{before}""{after}', *[""] * (last - first)]
        sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", doc.strip())[0]
        yield node, " ".join(sentence.split())
