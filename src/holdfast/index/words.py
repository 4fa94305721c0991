"""Writing the search index: each entry becomes a row of marked terms.

A term that counts much in its entry, as it occurs often or the entry is short, stands there twice:
plain, and with a mark for how much, by BM25 with a fixed mean length. So the best entries for a
common word are a short list of their own. Terms with an @ are filters: type, session, path.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

import apsw

from holdfast.index.queries import SQL
from holdfast.index.terms import count_terms
from holdfast.index.texts import Load, text_of
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import NAME_CHARS_MAX

MARKS: Final = "!#$%&+:;<=>"
"""Signs for how much a term counts, from least to most. The first is for what stands unmarked."""

MARK_BOUNDS: Final = (1.10, 1.24, 1.34, 1.49, 1.62, 1.74, 1.81, 1.88, 1.94, 1.99)
"""Where the next mark begins. The higher ones are rare: of ordinary text the last has one word in
2,000, so that even the best entries for a common word are few."""

MARK_IMPACTS: Final = (0.88, 1.17, 1.29, 1.41, 1.55, 1.68, 1.77, 1.84, 1.91, 1.96, 2.02)
"""What a term with each mark counts."""

MARK_SHARES: Final = (0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.01, 0.005, 0.0035, 0.001, 0.0005)
"""How many of the words of ordinary text carry each mark."""

K1: Final = 1.2
B: Final = 0.75
"""The usual parameters of BM25."""

MOMENT_ENTRIES: Final = 1024
"""Entries whose earliest and latest time are kept together."""

MEAN_WORDS: Final = 40
"""The length of a middling entry. Fixed, so that an entry's row never depends on others."""


class Gathered:
    """What a chunk of entries adds to the index."""

    def __init__(self) -> None:
        self.cut = 0
        """Entries of which only the beginning can be searched."""
        self._docs: list[tuple[int, int]] = []
        self._words: list[tuple[int, str]] = []
        self._paths: list[tuple[str, int]] = []
        self._decisions: list[tuple[str, int]] = []
        self._superseded: list[tuple[str, int]] = []

    def take(self, entry: Entry, seq: int, load: Load) -> None:
        """Take one entry in."""
        value = entry.value()
        text = text_of(entry, value, load)
        self.cut += text.cut
        counts, length = count_terms(text.words)
        row = list(counts)
        row += [term + sign for term, n in counts.items() if (sign := mark(n, length))]
        row.append(type_term(entry.type))
        if entry.session_id is not None:
            row.append(session_term(entry.session_id))
        if text.paths:
            row += map(path_term, text.paths)
            self._paths += [(path, seq) for path in text.paths]
        self._words.append((seq, " ".join(row)))
        self._docs.append((seq, time_us(entry.timestamp)))
        if entry.type == "decision":
            self._decisions.append((entry.id, seq))
            for earlier in _names(value.get("supersedes")):
                self._superseded.append((earlier, seq))

    def write(self, connection: apsw.Connection) -> None:
        """Put it all into the tables."""
        many = connection.executemany
        many(SQL["put_words"], self._words)
        many(SQL["put_doc"], self._docs)
        many(SQL["put_path"], ((path,) for path in sorted({path for path, _ in self._paths})))
        many(SQL["put_touched"], self._paths)
        many(SQL["widen_moment"], _moments(self._docs))
        many(SQL["put_decision"], self._decisions)
        many(SQL["place_superseded"], self._decisions)
        many(SQL["put_superseded"], self._superseded)


def forget(connection: apsw.Connection, seqs: Iterable[int]) -> None:
    """Let entries no longer be found by their words."""
    connection.executemany(SQL["drop_words"], ((seq,) for seq in seqs))
    connection.execute(SQL["merge_words"])


@lru_cache(maxsize=65536)
def mark(count: int, length: int) -> str:
    """Return the sign for a term that occurs so often in an entry of `length` words, if any."""
    place = bisect(MARK_BOUNDS, impact(count, length))
    return MARKS[place] if place else ""


def impact(count: int, length: int) -> float:
    """Return the part of a BM25 score that depends on the entry, below K1 + 1."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / MEAN_WORDS))


@lru_cache(maxsize=64)
def type_term(name: str) -> str:
    """Return what every entry of a type holds."""
    return _filter_term("t", name)


@lru_cache(maxsize=1024)
def session_term(session_id: str) -> str:
    """Return what every entry of a session holds."""
    return _filter_term("s", session_id)


@lru_cache(maxsize=4096)
def path_term(path: str) -> str:
    """Return what every entry about a path holds."""
    return _filter_term("p", path)


def time_us(stamp: str) -> int:
    """Return microseconds since 1970; 0 for what no entry of ours says."""
    try:
        moment = datetime.fromisoformat(stamp)
        return round(moment.timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        return 0


def _moments(docs: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return each block of entries with its earliest and latest time."""
    blocks: dict[int, tuple[int, int]] = {}
    for seq, moment in docs:
        least, most = blocks.get(seq // MOMENT_ENTRIES, (moment, moment))
        blocks[seq // MOMENT_ENTRIES] = min(least, moment), max(most, moment)
    return [(block, least, most) for block, (least, most) in blocks.items()]


def _filter_term(kind: str, name: str) -> str:
    return f"{kind}@{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def _names(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    return [name for name in value if isinstance(name, str) and len(name) <= NAME_CHARS_MAX]
