"""What each entry that was looked at is worth, and which words it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import add

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
        self._groups = words.groups
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

    def lacking(self, seqs: Iterable[int], mask: int) -> list[int]:
        """Return the entries to which not all of some terms were counted yet."""
        masks = self.masks
        return [seq for seq in seqs if masks.get(seq, 0) & mask != mask]

    def add(self, seqs: Sequence[int], worths: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Count terms, each by its mask, to entries that hold them; what was counted stays."""
        masks, seen = self.masks, self.seen
        new = set(seqs).difference(masks)
        for place, seq in enumerate(seqs):
            if seq not in new:
                for mask, column in worths:
                    if not masks[seq] & mask:
                        masks[seq] |= mask
                        seen[seq] += column[place]
        total = [0.0] * len(seqs)
        for _, column in worths:  # column by column: most entries are new
            total = list(map(add, total, column))
        seen.update({seq: worth for seq, worth in zip(seqs, total, strict=True) if seq in new})
        masks.update(dict.fromkeys(new, sum(mask for mask, _ in worths)))

    def full(self) -> list[int]:
        """Return the entries that hold every word, but for those that only repeat others."""
        whole = {held for held in set(self.masks.values()) if self._is_full(held)}
        if not whole:
            return []
        full = [seq for seq, held in self.masks.items() if held in whole]
        return [seq for seq in full if seq not in self._echoes] if self._echoes else full

    def least(self, limit: int) -> float:
        """Return what an entry must be worth to be among the best so far; 0 while there is room."""
        worths = [*self.seen.values()]
        if self._echoes:
            worths = [worth for seq, worth in self.seen.items() if seq not in self._echoes]
        return 0.0 if len(worths) < limit else sorted(worths)[-limit]

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

    def _is_full(self, held: int) -> bool:
        """Tell whether the terms of a mask make up every word."""
        return all(held & a == a or held & b == b for a, b in self._groups)


def _best(seen: Mapping[int, float], seqs: Iterable[int], limit: int) -> list[tuple[float, int]]:
    pairs = [(seen[seq], seq) for seq in seqs]
    if len(pairs) > limit:  # sorting numbers costs much less than sorting pairs
        least = sorted([worth for worth, _ in pairs])[-limit]
        pairs = [pair for pair in pairs if pair[0] >= least]
    return sorted(pairs, reverse=True)[:limit]
