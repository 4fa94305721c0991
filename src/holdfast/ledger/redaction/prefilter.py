"""A cheap and sound first look: False means there is nothing to redact in these bytes.

Two tests run over everything, and more precise ones where either of them finds something.

- Skeleton: deleting the same characters from a text and from a hint in it leaves what remains of
  the hint adjacent. So `skeleton(hint) in skeleton(text)` misses nothing and searches 40 %.
- Runs: a format without a telling name has `RUN_CHARS_MIN` characters of `[A-Za-z0-9_-]` in a row.

The precise test is one pattern, anchored at the rarest character of each hint. JSON escapes quotes,
backslashes and control characters; no hint holds one, so each stands in the bytes as in the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

RUN_CHARS_MIN: Final = 20
NEAR_CHARS: Final = 96
"""How far from its long run the hint of a format may stand."""

_HEX: Final = b"0123456789abcdef-"
_LEADS: Final = b"./"
"""What stands between the hint of a format and its run, where the run does not hold the hint.
Behind anything else a run of hex digits and dashes is a digest or a UUID."""

_KEPT: Final = "cdehklnprstuwy@"
_LOWER: Final = bytes(range(256)).lower()
_DELETED: Final = bytes(b for b in range(256) if chr(b).lower() not in _KEPT)
_IN_RUN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SHAPE: Final = bytes(ord("a") if b in _IN_RUN else ord(" ") for b in range(256))
_LONG_RUN: Final = "a" * RUN_CHARS_MIN
_RAREST_FIRST: Final = "@xzqj_w-k.vybgfpm:uclhdrsnioate"


class Prefilter:
    """Look for hints in the bytes of an entry."""

    def __init__(
        self, broad: Iterable[str], precise: Iterable[str], not_after: Mapping[str, str]
    ) -> None:
        """Take the hints of the first test, and the precise ones.

        Every precise hint MUST contain a broad one or belong to a format with a long run.
        """
        broad, precise = set(broad), set(precise)
        skeletons = {skeleton(hint.encode()) for hint in broad}
        self._skeletons = {
            bones: [hint for hint in sorted(broad) if bones in skeleton(hint.encode())]
            for bones in sorted(skeletons)
            if not any(other in bones for other in skeletons - {bones})
        }
        self._broad, self._precise, self._not_after = broad, precise, not_after

    # Made when they are first used: many a process looks at little, and both take a while.

    @cached_property
    def _find_any(self) -> Callable[[bytes], object]:
        return _anchored(self._precise, self._not_after).search

    @cached_property
    def _find_with_run(self) -> Callable[[bytes], object]:
        alone = {one for one in self._precise if not any(other in one for other in self._broad)}
        return _anchored(alone, self._not_after).search

    def suspects(self, encoded: bytes) -> bool:
        """Return False only if no hint is in the bytes."""
        bones = encoded.translate(_LOWER, _DELETED).decode("ascii")
        found = [one for one in self._skeletons if one in bones]
        if found and self._holds_broad(encoded, found):
            return self._find_any(encoded.lower()) is not None
        shape = encoded.translate(_SHAPE).decode("ascii")
        start = shape.find(_LONG_RUN)
        return start >= 0 and self._suspects_run(encoded, shape, start)

    def _holds_broad(self, encoded: bytes, skeletons: Iterable[str]) -> bool:
        """Tell whether a hint is there and not only its skeleton, as in long texts by chance."""
        text = encoded.lower().decode("latin-1")
        return any(hint in text for bones in skeletons for hint in self._skeletons[bones])

    def _suspects_run(self, encoded: bytes, shape: str, start: int) -> bool:
        """Look closely at each long run and what stands around it, but for digests and UUIDs."""
        while start >= 0:
            end = shape.find(" ", start)
            end = len(shape) if end < 0 else end
            if encoded[start:end].strip(_HEX) or (start and encoded[start - 1] in _LEADS):
                near = encoded[max(0, start - NEAR_CHARS) : end + NEAR_CHARS]
                if self._find_with_run(near.lower()) is not None:
                    return True
            start = shape.find(_LONG_RUN, end)
        return False


def skeleton(data: bytes) -> str:
    """Return the characters the first test looks at."""
    return data.translate(_LOWER, _DELETED).decode("ascii")


def _anchored(hints: Iterable[str], not_after: Mapping[str, str]) -> re.Pattern[bytes]:
    """Build `k(?:en(?<=token)|…)|@|…`: a search that stops at rare characters only."""
    branches: dict[str, list[str]] = defaultdict(list)
    for hint in sorted(hints):
        at = min(range(len(hint)), key=lambda i: _rarity(hint[i]))
        rest, whole = re.escape(hint[at + 1 :]), re.escape(hint)
        branches[hint[at]].append(f"{rest}(?<={whole}){not_after.get(hint, '')}")
    alternatives = (f"{re.escape(a)}(?:{'|'.join(rest)})" for a, rest in branches.items())
    return re.compile("|".join(alternatives).encode())


def _rarity(character: str) -> int:
    place = _RAREST_FIRST.find(character)
    return place if place >= 0 else len(_RAREST_FIRST)
