"""Contradictions between decisions: found by their words alone, without a model.

Two statements are held against each other when they are about the same thing: the same subject in
other words, the same definition in the code, or subjects that overlap. The nearer the subjects, the
less their words have to agree otherwise. Then, clause by clause:

    negated      the same is affirmed in one and denied in the other
    opposite     they differ in words that are contrary: eager and lazy, public and private
    value        the same thing is measured, with another result
    alternative  what one of them turned down, the other chose
    exclusive    they put different things in the same place

What only adds, refines, says the same in other words, or speaks of another aspect is no conflict.
It is a sieve, not a reader: whoever rules on a fork may call both sides compatible.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Literal, TypeAlias

import msgspec

from holdfast.stores.subjects import subject_words
from holdfast.views.clashes import Conflict, clash, worded
from holdfast.views.phrases import Phrase, read, subject_stems
from holdfast.views.truth import Source

__all__ = ["Conflict", "Statement", "conflict", "nearness", "related"]

Nearness: TypeAlias = Literal["same", "near", "far"]


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody decided, or claims."""

    choice: str
    subject: str | None = None
    symbols: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    source: Source = "model"


def conflict(new: Statement, old: Statement) -> Conflict | None:
    """Return why two statements contradict each other, None when they may both hold."""
    near = nearness(new, old)
    if near is None:
        return None
    about = subject_stems(new.subject, old.subject)
    if near != "far" and (found := _chosen_alternative(new, old, about)) is not None:
        return found
    return _of_clauses(new, old, about, near)


def related(new: Statement, old: Statement) -> bool:
    """Tell whether two statements are about the same thing, as far as their subjects say."""
    return nearness(new, old) in ("same", "near")


def nearness(new: Statement, old: Statement) -> Nearness | None:
    """Say how near the subjects of two statements are; None when they have nothing in common."""
    if set(new.symbols) & set(old.symbols):
        return "same"
    if not new.subject or not old.subject:
        return None
    one, other = set(subject_words(new.subject)), set(subject_words(old.subject))
    shared = len(one & other)
    if one == other:
        return "same"
    if shared and (one <= other or other <= one or 2 * shared >= len(one | other)):
        return "near"
    return "far" if shared else None


def _of_clauses(
    new: Statement, old: Statement, about: frozenset[str], near: Nearness
) -> Conflict | None:
    for one, other in _apart(new, old):
        if near == "far" and not _same_but_for_a_word(one, other):
            continue
        if (found := clash(one, other, about)) is not None:
            return found
    return None


def _apart(new: Statement, old: Statement) -> Iterator[tuple[Phrase, Phrase]]:
    """Return the clauses to hold against each other; what both say is settled."""
    mine, theirs = read(new.choice), read(old.choice)
    return product(
        [one for one in mine if one not in theirs], [one for one in theirs if one not in mine]
    )


def _same_but_for_a_word(one: Phrase, other: Phrase) -> bool:
    """Tell whether two clauses say the same of the same, but for what they choose."""
    shared = one.stems & other.stems
    return len(shared) >= 2 and len(one.stems - shared) <= 1 and len(other.stems - shared) <= 1


def _chosen_alternative(new: Statement, old: Statement, about: frozenset[str]) -> Conflict | None:
    """Find what one statement lists as turned down, and the other chose."""
    for chooser, lister in ((new, old), (old, new)):
        for alternative in lister.alternatives:
            if _is_chosen(alternative, chooser, lister, about):
                return _turned_down(alternative)
    for one, other in _apart(new, old):
        for chosen, lists in ((one, other), (other, one)):
            if _is_turned_down(chosen, lists, about):
                return _turned_down(worded(chosen, lists.turned_down))
    return None


def _is_turned_down(chosen: Phrase, lists: Phrase, about: frozenset[str]) -> bool:
    """Tell whether a clause affirms what another one names as turned down."""
    down = lists.turned_down
    if not down or not chosen.affirmed or not down <= chosen.stems or down <= lists.stems:
        return False
    rest = lists.stems - about
    return rest <= chosen.stems or not rest & chosen.stems


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for phrase in read(text) for stem in phrase.stems)


def _turned_down(what: str) -> Conflict:
    return Conflict("alternative", f"One turned down {what!r}, which the other chose.")


def _is_chosen(
    alternative: str, chooser: Statement, lister: Statement, about: frozenset[str]
) -> bool:
    wanted = _stems(alternative)
    if wanted <= about or not any(wanted <= phrase.stems for phrase in read(chooser.choice)):
        return False  # said first because it mostly is so: many are held against many
    own = [phrase for phrase in read(lister.choice) if phrase.affirmed]
    if any(wanted <= phrase.stems for phrase in own):
        return False
    names = {stem for phrase in own for stem in phrase.stems} - about - wanted
    return any(
        phrase.affirmed and wanted <= phrase.stems and not (names and names <= phrase.stems)
        for phrase in read(chooser.choice)
    )
