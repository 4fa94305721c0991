"""Subjects: which decisions that hold are about the same thing.

An item for each decision that is about something, on a list for each of its keys:

    " same <words>"   its whole subject, in words that stand for all spellings of it
    " word <word>"    each of those words
    " code <symbol>"  each definition that its evidence stands in

The item repeats what the decision says, so that many can be held against one without reading their
entries: actor, seq, subject, choice, alternatives, symbols, task. What is too long is cut, and
`whole` says that nothing was.

A decision leaves its lists when another supersedes it. One that is superseded before it appears
is remembered as `gone`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    SUBJECT_ALTERNATIVES_MAX,
    SUBJECT_SYMBOLS_MAX,
    SUBJECT_WORDS_MAX,
)
from holdfast.kernel.types import Decision, DecisionGrounded, Model, VaultRef
from holdfast.kernel.types.evidence import Grounded, grounds_of
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told

__all__ = ["Subjects", "count", "newest", "same_key", "subject_words", "symbol_key", "word_key"]

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD: Final = re.compile(r"[^\W_]+")

_EMPTY: Final = """
    a about an and are as at be by choice choose decide decision do for from how in into is it its
    of on or our per question should that the their this to via we what when where which who with
"""
_EMPTY_WORDS: Final = frozenset(_EMPTY.split())
"""Words that say nothing about what a subject is."""

_SAME: Final = {
    "auth": "authentication",
    "authn": "authentication",
    "authz": "authorization",
    "config": "configuration",
    "conn": "connection",
    "db": "database",
    "deps": "dependency",
    "dir": "directory",
    "env": "environment",
    "fmt": "format",
    "formatting": "format",
    "lib": "library",
    "logging": "log",
    "msg": "message",
    "naming": "name",
    "param": "parameter",
    "perf": "performance",
    "pkg": "package",
    "repo": "repository",
    "storage": "store",
    "storing": "store",
    "testing": "test",
    "ttl": "lifetime",
}


@lru_cache(maxsize=1024)
def subject_words(subject: str) -> tuple[str, ...]:
    """Return what a subject is about, in sorted words: spellings of the same give the same.

    A definition, as `path::name`, is one word: two in the same file are not half the same.
    """
    if "::" in subject:
        return tuple(sorted({part.strip() for part in subject.split(",")} - {""}))
    text = _CAMEL.sub(" ", unicodedata.normalize("NFKC", subject))
    words = {_common(word.casefold()) for word in _WORD.findall(text)}
    return tuple(sorted(words - _EMPTY_WORDS or words))


def same_key(words: Iterable[str]) -> str:
    """Return the list of the decisions with just these words for a subject."""
    return f" same {' '.join(words)}"


def word_key(word: str) -> str:
    """Return the list of the decisions whose subject has a word."""
    return f" word {word}"


def symbol_key(symbol: str) -> str:
    """Return the list of the decisions whose evidence stands in a definition."""
    return f" code {symbol}"


class Subjects:
    """The fold over what decisions are about."""

    name: Final = "subjects"
    version: Final = 1
    items_max: Final = 100_000_000
    takes: Final = frozenset({"decision", "decision_grounded"})
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Put a decision on the lists of its subject, and take off what it supersedes."""
        match data:
            case Decision(subject=subject, grounds=grounds, supersedes=supersedes):
                step = _Step(items, dict)
                step.take(entry, data, _keys(subject, grounds))
                for key in _names(supersedes):
                    if key != entry.id:
                        step.end(key)
                return step.changes
            case DecisionGrounded(decision=decision, grounds=grounds):
                step = _Step(items, dict)
                step.add(decision, _symbols(grounds))
                return step.changes
            case _:
                return NO_CHANGES


class _Step(Editing):
    """What one entry changes."""

    def take(self, entry: Entry, data: Decision, keys: list[str]) -> None:
        """Put a decision on its lists, unless it was superseded before it came."""
        if not keys or (self.known(entry.id) and self.at(entry.id).get("gone")):
            return
        item = self.at(entry.id)
        item |= _said(data) | {"actor": entry.actor.kind, "seq": entry.seq}
        for key in keys:
            self.link(key, entry.id)

    def add(self, decision: str, symbols: list[str]) -> None:
        """Put a decision that is there on the lists of further definitions."""
        if not self.known(decision) or self.at(decision).get("gone"):
            return
        item = self.at(decision)
        for symbol in symbols:
            if symbol not in item["symbols"]:
                item["symbols"].append(symbol)
                self.link(symbol_key(symbol), decision)

    def end(self, decision: str) -> None:
        """Take a decision off its lists, for good."""
        for which in list(self.at(decision)["older"]):
            self.unlink(which, decision)
        self.changes[decision] = {"gone": True, "newer": {}, "older": {}}


def _said(data: Decision) -> dict[str, Any]:
    """Return what a decision says, bounded."""
    grounds = grounds_of(data.grounds)
    given = [] if isinstance(data.alternatives, VaultRef) else data.alternatives
    said: dict[str, Any] = {
        "alternatives": [told(one) for one in given[:SUBJECT_ALTERNATIVES_MAX]],
        "choice": told(data.choice),
        "subject": None if data.subject is None else told(data.subject),
    }
    is_whole = (
        not isinstance(data.alternatives, VaultRef)
        and given == said["alternatives"]
        and data.choice == said["choice"]
        and data.subject == said["subject"]
    )
    task = None if grounds is None else grounds.task
    return said | {"symbols": _symbols(data.grounds), "task": task, "whole": is_whole}


def _keys(subject: Any, grounds: Grounded | None) -> list[str]:
    keys = []
    if isinstance(subject, str) and (words := subject_words(subject)):
        keys = [same_key(words), *(word_key(word) for word in words[:SUBJECT_WORDS_MAX])]
    return keys + [symbol_key(symbol) for symbol in _symbols(grounds)]


def _symbols(grounds: Grounded | None) -> list[str]:
    found = grounds_of(grounds)
    symbols = [] if found is None or isinstance(found.symbols, VaultRef) else found.symbols
    return list(dict.fromkeys(symbols[:SUBJECT_SYMBOLS_MAX]))


def _names(names: list[str] | VaultRef | None) -> list[str]:
    return [] if names is None or isinstance(names, VaultRef) else list(dict.fromkeys(names))


def _common(word: str) -> str:
    """Return one word for its plural and for the short forms that people write."""
    if word in _SAME:
        return _SAME[word]
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _SAME.get(word, word)
