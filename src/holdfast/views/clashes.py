"""Clashes between two clauses that are about the same thing: what cannot both be done."""

from __future__ import annotations

from decimal import Decimal
from difflib import SequenceMatcher
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.views import lexicon
from holdfast.views.phrases import Phrase, Word, stem

Kind: TypeAlias = Literal["negated", "opposite", "value", "alternative", "exclusive"]

_SLOT_WORDS_MAX: Final = 4
"""Words of what two statements put in the same place; more are another sentence."""


class Conflict(msgspec.Struct, frozen=True):
    """Why two statements cannot both hold."""

    kind: Kind
    reason: str


def clash(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    """Return why two clauses exclude each other; `about` are the words of their subjects.

    It matters not which of them came first.
    """
    one, other = sorted((one, other), key=_order)
    return (
        _negated(one, other, about)
        or _opposite(one, other, about)
        or _value(one, other, about)
        or _exclusive(one, other, about)
    )


def _order(phrase: Phrase) -> tuple[str, bool, str]:
    words = " ".join(word.raw for word in phrase.words)
    return words, phrase.affirmed, f"{phrase.first} {phrase.quantities}"


def _negated(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    if one.affirmed == other.affirmed:
        return None
    mine, theirs = one.stems - _WHEN, other.stems - _WHEN
    if not (mine <= theirs or theirs <= mine):
        return None
    shared, beyond = mine & theirs, mine ^ theirs
    if len(beyond) > 2 * len(shared):
        return None  # they share too little to be of one mind or of two
    if not shared - about and not beyond <= {stem(one.first), stem(other.first)} - about:
        return None
    return Conflict("negated", f"One affirms what the other denies: {worded(one, shared)}.")


_WHEN: Final = frozenset({stem("before"), stem("after")})


def _opposite(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    if one.affirmed != other.affirmed:
        return None
    for first, second in _contraries():
        for here, there in ((first, second), (second, first)):
            if here not in one.stems or there not in other.stems:
                continue
            if there in one.stems or here in other.stems:
                continue
            rest, others = one.stems - {here}, other.stems - {there}
            smaller = min(rest - about, others - about, key=len)
            if not smaller or 2 * len(rest & others) > min(len(rest), len(others)):
                words = worded(one, frozenset({here})), worded(other, frozenset({there}))
                return Conflict("opposite", "{!r} is the contrary of {!r}.".format(*words))
    return None


def _value(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    beside = about | _bounds()
    rest, others = one.stems - beside, other.stems - beside
    if not (rest <= others or others <= rest):
        return None
    for kind in sorted({quantity.kind for quantity in one.quantities}):
        here, there = _amounts(one, kind), _amounts(other, kind)
        if there and not here & there:
            return Conflict("value", f"The same is measured ({kind}), with another result.")
    return None


def _amounts(phrase: Phrase, kind: str) -> set[Decimal | str]:
    return {quantity.amount for quantity in phrase.quantities if quantity.kind == kind}


def _exclusive(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    if not (one.affirmed and other.affirmed):
        return None
    if one.stems - about <= other.stems or other.stems - about <= one.stems:
        return None  # it only says more
    return _of_a_kind(one, other, about) or _in_one_place(one, other, about)


def _of_a_kind(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    """Find two things of which a choice takes one, in clauses that are else about the same."""
    for kind, things in _kinds().items():
        here, there = one.stems & things, other.stems & things
        if not here or not there or here & there:
            continue
        rest = _beside(one, here, about)
        others = _beside(other, there, about)
        if rest <= others or others <= rest:
            what = f"{worded(one, here)!r} and {worded(other, there)!r}"
            return Conflict("exclusive", f"A choice takes one {kind}: {what}.")
    return None


def _beside(phrase: Phrase, things: frozenset[str], about: frozenset[str]) -> frozenset[str]:
    """Return what a clause says beside its choice, its verb, its subject and its details."""
    parts = {word.part for word in phrase.words if word.stem in things}
    return frozenset(
        word.stem
        for word in phrase.words
        if word.stem not in things | about and word.raw != phrase.first and word.part not in parts
    )


def _in_one_place(one: Phrase, other: Phrase, about: frozenset[str]) -> Conflict | None:
    """Find the one place where two clauses of the same build differ."""
    if {one.first, other.first} & set(lexicon.ADDITIVE):
        return None
    if one.quantities and other.quantities and one.quantities != other.quantities:
        return None  # they measure different things
    mine, theirs = [w.stem for w in one.words], [w.stem for w in other.words]
    changes = [
        change
        for change in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
        if change[0] != "equal"
    ]
    if len(changes) != 1 or changes[0][0] != "replace":
        return None
    _, start, stop, their_start, their_stop = changes[0]
    here, there = one.words[start:stop], other.words[their_start:their_stop]
    same = one.words[:start] + one.words[stop:]
    if not same or not _are_choices(here, there, about) or _is_refined(same, about):
        return None
    if not _stand_alike(here, there) or _is_predicate(here, there, one):
        return None
    return Conflict("exclusive", f"In the same place stand {_spelled(here)} and {_spelled(there)}.")


def _are_choices(here: tuple[Word, ...], there: tuple[Word, ...], about: frozenset[str]) -> bool:
    """Tell whether both can be things that somebody chose."""
    if max(len(here), len(there)) > _SLOT_WORDS_MAX:
        return False
    at_start = not here[0].before
    if at_start and any({word.stem for word in words} <= about for words in (here, there)):
        return False
    if at_start and (here[0].is_verb or there[0].is_verb) and not _names_things(here + there):
        return False
    return not any(
        words[-1].raw.endswith(_NO_THINGS) and not words[-1].is_name for words in (here, there)
    )


def _is_predicate(here: tuple[Word, ...], there: tuple[Word, ...], one: Phrase) -> bool:
    """Tell what the first word does from what is done with it: both stand right behind it."""
    behind_first = here[0].before == stem(one.first) and one.first not in lexicon.CHOOSING
    return behind_first and not (_names_things(here) and _names_things(there))


def _names_things(words: tuple[Word, ...]) -> bool:
    return any(word.is_name or word.stem in _things() for word in words)


def _stand_alike(here: tuple[Word, ...], there: tuple[Word, ...]) -> bool:
    """Tell whether two parts of clauses are led in by the same word, and are each one thing."""
    if here[0].before != there[0].before:
        return False
    return len({word.part for word in here}) == 1 or len({word.part for word in there}) == 1


_NO_THINGS: Final = ("ed", "able", "ible", "ing", "ful", "ive")
"""Endings of what something is or does, beside which it may be other things as well."""


def _is_refined(same: tuple[Word, ...], about: frozenset[str]) -> bool:
    """Tell whether two clauses share the choice itself, and differ in a detail of it."""
    return any(
        (word.is_name or word.before in _choosing() or word.stem in _things())
        and word.stem not in about
        for word in same
    )


@cache
def _choosing() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.CHOOSING)


@cache
def _contraries() -> tuple[tuple[str, str], ...]:
    pairs = (pair.split("/") for pair in lexicon.CONTRARIES)
    return tuple((stem(first), stem(second)) for first, second in pairs)


@cache
def _kinds() -> dict[str, frozenset[str]]:
    return {
        kind: frozenset(stem(word) for word in words.split())
        for kind, words in lexicon.EXCLUSIVE.items()
    }


@cache
def _things() -> frozenset[str]:
    return frozenset().union(*_kinds().values())


@cache
def _bounds() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.BOUNDS)


def worded(phrase: Phrase, stems: frozenset[str]) -> str:
    """Return the words of a clause that have these stems, as they were written."""
    return " ".join(word.raw for word in phrase.words if word.stem in stems) or "the same"


def _spelled(words: tuple[Word, ...]) -> str:
    return repr(" ".join(word.raw for word in words))
