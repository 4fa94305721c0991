"""Which entity of the State Map a code resembles, if it is exactly one.

Similarity aligns; structure decides. It is measured against entities that are there, it makes none,
and nothing that was only found to be similar ever advances. No embeddings, no fuzzy search: the
share of pairs of tokens that two texts have in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Protocol

from holdfast.kernel.limits import PROXY_SIMILAR_MAX
from holdfast.proxy.values import Entity

SHARE_MIN: Final = 0.6
"""Of the pairs that either text has, both must have at least so many: a short function with one
token changed."""

_TOKENS: Final = re.compile(r"\w+|[^\w\s]")


class Texts(Protocol):
    """The State Map, as far as texts are compared with it."""

    def entity(self, name: str) -> Entity | None:
        """Return what is known of an entity."""

    def text(self, digest: str) -> str | None:
        """Return a text of the vault; None where it is not kept."""


def overlap(one: str, other: str) -> float:
    """Return the share of pairs of tokens that two texts have in common: 0 to 1."""
    return _share(_pairs(one), _pairs(other))


def nearest(texts: Iterable[str], candidates: Iterable[str], known: Texts) -> str | None:
    """Return the one entity that one of the texts resembles; None when it is none, or several."""
    given = [_pairs(text) for text in texts]
    near: str | None = None
    for place, name in enumerate(candidates):
        if place >= PROXY_SIMILAR_MAX:
            return None  # who resembles so many things cannot be told apart from them
        entity = known.entity(name)
        if entity is None or entity.state != "AUTHORITATIVE" or entity.artifact is None:
            continue
        text = known.text(entity.artifact)
        if text is None:
            continue
        pairs = _pairs(text)
        if any(_share(own, pairs) >= SHARE_MIN for own in given):
            if near is not None:
                return None
            near = name
    return near


def _share(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(_TOKENS.findall(text)))
