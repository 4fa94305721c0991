"""Ghosts: features that are said to be missing. That nothing was found proves it only when
everything was looked at, twice, by questions that differ.

Three answers, and none of them by default: `confirmed` (two questions that differ, nothing near
either, nothing called like it), `present` (something is), `could_not_look` (a search failed, or
files that may hold it were not searched). What is none of these is `unverified`.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.index.terms import STOP_WORDS, expand, find_tokens
from holdfast.index.vectors import Model
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import GhostQuery
from holdfast.kernel.types.evidence import GhostStatus
from holdfast.recall.similarity import THRESHOLD
from holdfast.recall.telling import telling_words

JACCARD_MAX: Final = 0.5
"""Share of words that two questions may have in common; this much is too much."""

COSINE_MAX: Final = 0.9
"""How near in meaning two questions may be; this near is too near."""

QUERIES: Final = 2

BORNE_OUT: Final = 0.06
BEARING: Final = 0.8
NOTHING: Final = 0.01
"""From which similarity to one question a file bears out what is near the other; how much of what
it lacks in log-odds is taken off; and the similarity of a file that says nothing at all."""


class Diversity(msgspec.Struct, frozen=True):
    """How much two questions differ."""

    jaccard: float
    cosine: float | None
    """None where there is no model."""


class Looked(msgspec.Struct, frozen=True):
    """What one search for a ghost came to: the record of it, and what it could not do."""

    record: GhostQuery
    failed: str | None = None
    """Why the search could not look at all, or not at everything."""
    semantic: bool = True
    """Whether it compared meanings."""
    by_name: bool = False
    """Whether it was for the ghost's own name, and not for one of the questions."""
    is_called: bool = False
    """Whether what it found has the words of the name, however common they are."""


class Verdict(msgspec.Struct, frozen=True):
    """What is known of a ghost now, and why."""

    status: GhostStatus
    reason: str
    remedy: str = ""


def diversity(one: str, other: str, model: Model | None) -> Diversity:
    """Measure how much two questions differ."""
    mine, theirs = _terms(one), _terms(other)
    union = mine | theirs
    jaccard = len(mine & theirs) / len(union) if union else 1.0
    return Diversity(jaccard, None if model is None else model.similarity(one, other))


def refuse_alike(found: Diversity) -> None:
    """Refuse two questions that ask the same."""
    if found.jaccard < JACCARD_MAX and (found.cosine is None or found.cosine < COSINE_MAX):
        return
    shared = f"they share {found.jaccard:.2f} of their words (below {JACCARD_MAX} is needed)"
    near = "" if found.cosine is None else f", cosine {found.cosine:.2f} (below {COSINE_MAX})"
    raise InvalidInput(
        f"The two queries are too much alike: {shared}{near}.",
        meaning="Nothing was searched, and nothing was recorded.",
        remedy="Ask the second time in other words: what it does, not what it is called.",
    )


def refuse_untelling(what: str, text: str) -> None:
    """Refuse a question, or a name, of which no word tells one feature from another."""
    if telling_words(text):
        return
    raise InvalidInput(
        f"{what} {text!r} has no word that tells what is looked for.",
        meaning="Nothing was searched, and nothing was recorded.",
        remedy="Name the feature in words: what it does. Words that join others, keywords of "
        "programming languages and single letters stand in all code.",
    )


def borne_out(similarity: float, other: float) -> float:
    """Return how near a section is to a feature that is asked for in two ways.

    By its similarity to one question, and by how near its file comes to the other. Common words
    stand close together somewhere in any project; but where a feature is, both questions find
    something. Never more than the similarity itself, and from 0.75 on it stays a hit whatever the
    other question finds. `bench/ghosts.py` says how the constants were chosen.
    """
    lacking = _log_odds(BORNE_OUT) - _log_odds(max(other, NOTHING))
    if lacking <= 0 or not 0 < similarity < 1:
        return similarity
    return 1 / (1 + math.exp(BEARING * lacking - _log_odds(similarity)))


def remedy(ghost: str) -> str:
    """Say how the doubt about a ghost is ended, so that it can be pasted."""
    by_hand = f"`{_spelled(ghost, '--manual --because WHY')}`."
    if not telling_words(ghost):
        return by_hand
    searched = _spelled(ghost, "--query A --query B")
    return f"`{searched}` with two different questions, or {by_hand}"


def judge(looked: Sequence[Looked]) -> Verdict:
    """Say what searches for a ghost prove."""
    for one in looked:
        if one.record.hits:
            nearest = one.record.nearest or "a section"
            how = (
                "has the words of its name"
                if one.is_called
                else f"has similarity {one.record.best}"
            )
            return Verdict("present", f"{nearest} {how}.")
    for one in looked:
        if one.failed is not None:
            return Verdict("could_not_look", one.failed)
    if len({one.record.query for one in looked if not one.by_name}) < QUERIES:
        return Verdict("unverified", "One query proves nothing: two that differ are needed.")
    if not all(one.semantic for one in looked if not one.by_name):
        return Verdict(
            "unverified",
            "Only words were compared, not meanings.",
            "Install the extra `search`, or look by hand and say so: "
            "holdfast ghost NAME --manual --because WHY",
        )
    return Verdict("confirmed", f"Nothing has a similarity of {THRESHOLD} or more.")


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share)) if share < 1 else math.inf


def _spelled(ghost: str, options: str) -> str:
    name = shlex.quote(ghost)
    # What begins like an option is taken for one, unless all of them stand before `--`.
    late = ghost.startswith("-")
    return f"holdfast ghost {options} -- {name}" if late else f"holdfast ghost {name} {options}"


def _terms(text: str) -> set[str]:
    tokens = find_tokens(text)
    telling = [token for token in tokens if token.lower() not in STOP_WORDS]
    return {term for token in telling or tokens for term in expand(token)}
