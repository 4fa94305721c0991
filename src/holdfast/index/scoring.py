"""What each entry that was looked at is worth, and which words it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

import msgspec

from holdfast.index.asking import Words
from holdfast.index.kinds import ECHO_FACTOR
from holdfast.index.words import MARK_IMPACTS


class Ranked(msgspec.Struct, frozen=True):
    """An entry and its score; `full` when it holds every word asked for."""

    seq: int
    score: float
    full: bool


class Scores:
    """What each entry seen so far is worth, and which terms it holds."""

    def __init__(self, words: Words, echoes: Sequence[int]) -> None:
        self.seen: dict[int, float] = {}
        self.masks: dict[int, int] = {}
        self._full = _FullMasks(words)
        self._echoes = frozenset(echoes)

    def take(self, by_mark: Mapping[int, Sequence[int]], mask: int, idf: float) -> None:
        """Count a term to entries that hold it, by its mark, the highest of each entry."""
        marks = sorted(by_mark)
        if not self.seen:  # nothing to add to, so all at once, and the best mark is put last
            for mark in marks:
                self.seen.update(dict.fromkeys(by_mark[mark], idf * MARK_IMPACTS[mark]))
            self.masks = dict.fromkeys(self.seen, mask)
            return
        seen, masks = self.seen, self.masks
        for mark in reversed(marks):
            worth = idf * MARK_IMPACTS[mark]
            for seq in by_mark[mark]:
                held = masks.get(seq, 0)
                if not held & mask:
                    masks[seq] = held | mask
                    seen[seq] = seen.get(seq, 0.0) + worth

    def full(self) -> list[int]:
        """Return the entries that hold every word, but for those that only repeat others."""
        is_full, echoes = self._full, self._echoes
        return [seq for seq, held in self.masks.items() if is_full[held] and seq not in echoes]

    def least(self, limit: int) -> float:
        """Return what an entry must be worth to be among the best so far; 0 while there is room."""
        worths = [worth for seq, worth in self.seen.items() if seq not in self._echoes]
        return 0.0 if len(worths) < limit else nlargest(limit, worths)[-1]

    def raise_by(self, factor: float, seqs: Iterable[int]) -> None:
        """Let entries count more, or less."""
        for seq in self.seen.keys() & set(seqs):
            self.seen[seq] *= factor

    def best(self, limit: int) -> list[Ranked]:
        """Return the best entries: those with every word first, of equals the newest.

        Entries that only repeat others do not come first, though they hold every word.
        """
        self.raise_by(ECHO_FACTOR, self._echoes)
        seen, full = self.seen, self.full()
        best = [Ranked(seq, worth, True) for worth, seq in _best(seen, full, limit)]
        if len(best) < limit:
            rest = seen.keys() - full if full else seen
            best += [
                Ranked(seq, worth, False) for worth, seq in _best(seen, rest, limit - len(best))
            ]
        return best


class _FullMasks(dict[int, bool]):
    """Whether the terms of a mask make up every word; worked out once for each mask."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._groups = words.groups

    def __missing__(self, held: int) -> bool:
        self[held] = all(held & a == a or held & b == b for a, b in self._groups)
        return self[held]


def _best(seen: Mapping[int, float], seqs: Iterable[int], limit: int) -> list[tuple[float, int]]:
    return nlargest(limit, [(seen[seq], seq) for seq in seqs])
