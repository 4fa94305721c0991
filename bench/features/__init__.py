"""Features to look for: what a repository has, and what it does not have, by hand and by rule."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from holdfast.index.terms import STOP_WORDS

_HERE: Final = Path(__file__).parent
WORDS_MIN: Final = 4
"""Telling words that a sentence needs to be made into a feature."""

_OTHERWISE: Final = """
    return give|yield; returns gives|yields; create make|produce; creates makes|produces;
    remove delete|drop; delete remove|drop; parse interpret|read; check verify|test;
    checks verifies|tests; compute calculate|derive; convert turn|transform; get fetch|obtain;
    gets fetches|obtains; add append|insert; find locate|seek; build construct|make;
    raise throw|signal; call invoke|run; run execute|start; start begin|launch; stop end|halt;
    show display|print; generate produce|make; update refresh|change; replace substitute|swap;
    handle process|manage; determine decide|tell; split divide|cut; join combine|merge;
    directory folder|place; string text|characters; list sequence|items; dict mapping|table;
    dictionary mapping|table; exception error|failure; argument parameter|value;
    arguments parameters|values; function routine|callable; given supplied|passed;
    specified stated|supplied; current present|actual; new fresh|another
"""
OTHERWISE: Final = {
    words[0]: tuple(words[1].split("|"))
    for entry in _OTHERWISE.split(";")
    if (words := entry.split())
}
"""How a common word can be said otherwise, in two ways. Words that make up terms with others, such
as `user` in `user agent`, are not replaced: that would ask for something else."""


class Feature(msgspec.Struct, frozen=True):
    """A feature, asked for in two ways, and what proves that it is there or is not."""

    queries: tuple[str, str]
    proof: str


def by_hand(which: str) -> list[Feature]:
    """Return the features of a list."""
    lines = (_HERE / f"{which}.txt").read_text().splitlines()
    parts = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [Feature((one, other), proof) for one, other, proof in parts]


def missing(features: Iterable[Feature], texts: Mapping[str, str]) -> list[Feature]:
    """Return the features of which no text holds any of the words that prove them."""
    whole = "\n".join(texts.values()).lower()
    return [one for one in features if not any(_holds(whole, key) for key in one.proof.split(","))]


def _holds(text: str, key: str) -> bool:
    return re.search(rf"(?<![a-z]){re.escape(key)}s?(?![a-z])", text) is not None


def by_rule(texts: Mapping[str, str], count: int, seed: int = 1) -> list[Feature]:
    """Make features of what functions and classes say they are for, in other words.

    The first question is the first sentence, common words replaced by others; the second the words
    of the name beside every other telling word, replaced in another way.
    """
    found = []
    for path, text in texts.items():
        for name, sentence in _purposes(text):
            telling = [
                w for w in re.findall(r"[A-Za-z]{2,}", sentence) if w.lower() not in STOP_WORDS
            ]
            if len(set(telling)) < WORDS_MIN:
                continue
            first = " ".join(_said(word, 0) for word in telling[:10])
            named = [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
            second = " ".join([*named[:4], *(_said(word, 1) for word in telling[1:10:2])])
            if len(set(second.split())) < WORDS_MIN:
                continue
            found.append(Feature((first, second), path))
    random.Random(seed).shuffle(found)
    return found[:count]


def _said(word: str, way: int) -> str:
    return OTHERWISE.get(word.lower(), (word, word))[way]


def _purposes(text: str) -> Iterator[tuple[str, str]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            doc = ast.get_docstring(node)
            if doc and not node.name.startswith("_"):
                yield node.name, re.split(r"(?<=[.!?])\s|\n\s*\n", doc.strip())[0]
