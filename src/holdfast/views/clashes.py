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
    if not _may_clash(one, other, about):
        return None
    one, other = sorted((one, other), key=_order)
    return (
        _negated(one, other, about)
        or _opposite(one, other, about)
        or _value(one, other, about)
        or _exclusive(one, other, about)
    )


def _may_clash(one: Phrase, other: Phrase, about: frozenset[str]) -> bool:
    """Tell at a glance whether two clauses may clash; most do not, and many are held against many.

    It may be wrong in one way only: what it lets pass is looked at.
    """
    if _measure_alike(one, other) and _is_of_one_thing(one, other, about):
        return True
    if one.affirmed != other.affirmed:
        mine, theirs = one.stems - _WHEN, other.stems - _WHEN
        return mine <= theirs or theirs <= mine
    if _have_contraries(one, other):
        return True
    if not one.affirmed:
        return False
    return _name_things(one, other) or _may_differ_in_one_place(one.words, other.words)


def _measure_alike(one: Phrase, other: Phrase) -> bool:
    return any(
        mine.kind == theirs.kind and mine.amount != theirs.amount
        for mine in one.quantities
        for theirs in other.quantities
    )


def _have_contraries(one: Phrase, other: Phrase) -> bool:
    known = _contraries_of()
    return any(not other.stems.isdisjoint(known[word]) for word in one.stems & _contrary())


def _name_things(one: Phrase, other: Phrase) -> bool:
    """Tell whether both name something of which a choice takes one."""
    return not (one.stems.isdisjoint(_things()) or other.stems.isdisjoint(_things()))


def _may_differ_in_one_place(one: tuple[Word, ...], other: tuple[Word, ...]) -> bool:
    """Tell whether clauses begin and end alike, and have nothing in common between that."""
    shorter, before, behind = min(len(one), len(other)), 0, 0
    while before < shorter and one[before].stem == other[before].stem:
        before += 1
    while behind < shorter - before and one[-1 - behind].stem == other[-1 - behind].stem:
        behind += 1
    here, there = one[before : len(one) - behind], other[before : len(other) - behind]
    if not here or not there or before + behind == 0:
        return False
    if max(len(here), len(there)) > _SLOT_WORDS_MAX:
        return False
    return {word.stem for word in here}.isdisjoint(word.stem for word in there)


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
    if one.affirmed != other.affirmed or not _have_contraries(one, other):
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
    if not _is_of_one_thing(one, other, about):
        return None
    for kind in sorted({quantity.kind for quantity in one.quantities}):
        here, there = _amounts(one, kind), _amounts(other, kind)
        if there and not here & there:
            return Conflict("value", f"The same is measured ({kind}), with another result.")
    return None


def _is_of_one_thing(one: Phrase, other: Phrase, about: frozenset[str]) -> bool:
    """Tell whether one clause says of nothing else what it measures than the other does."""
    beside = _bounds() | about
    rest, others = one.stems - beside, other.stems - beside
    return rest <= others or others <= rest


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
    if not _name_things(one, other):
        return None
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
    if not _may_differ_in_one_place(one.words, other.words):
        return None
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
def _contraries_of() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for first, second in _contraries():
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def _contrary() -> frozenset[str]:
    return frozenset(_contraries_of())


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
