"""Writing the search index: each entry becomes a row of marked terms.

A term that counts much in its entry, as it occurs often or the entry is short, stands there twice:
plain, and with a mark for how much, by BM25 with a fixed mean length; and again for each tier that
it reaches. So the best entries for a common word are a short list of their own. Terms with an @ are
filters: type, session, path. Beside the row stands how much each term counts, so that an entry,
once found, can be weighed at once.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple
from zlib import crc32

import apsw

from holdfast.index.queries import SQL
from holdfast.index.standing import Standing
from holdfast.index.terms import count_terms
from holdfast.index.texts import Load, text_of
from holdfast.kernel.entry import Entry

MARKS: Final = "!#$%&+:;<=>"
"""Signs for how much a term counts, from least to most. The first is for what stands unmarked."""

MARK_BOUNDS: Final = (1.10, 1.24, 1.34, 1.49, 1.62, 1.74, 1.81, 1.88, 1.94, 1.99)
"""Where the next mark begins. The higher ones are rare: of ordinary text the last has one word in
2,000, so that even the best entries for a common word are few."""

TIERS: Final = {1: "^", 3: "~", 5: "|"}
"""Signs for terms with at least some mark: one list to go through instead of one for each mark."""

MARK_IMPACTS: Final = (0.88, 1.17, 1.29, 1.41, 1.55, 1.68, 1.77, 1.84, 1.91, 1.96, 2.02)
"""What a term with each mark counts."""

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
        self._docs: list[tuple[int, int, bytes]] = []
        self._words: list[tuple[int, str]] = []
        self._paths: list[tuple[str, int]] = []
        self._standing = Standing()

    def take(self, entry: Entry, seq: int, load: Load) -> None:
        """Take one entry in."""
        value = entry.value()
        text = text_of(entry, value, load)
        self.cut += text.cut
        counts, length = count_terms(text.words)
        weights = Weights.of(counts, length)
        row = [*counts, *weights.marked(counts)]
        row.append(type_term(entry.type))
        if entry.session_id is not None:
            row.append(session_term(entry.session_id))
        if text.paths:
            row += map(path_term, text.paths)
            self._paths += [(path, seq) for path in text.paths]
        self._words.append((seq, " ".join(row)))
        self._docs.append((seq, time_us(entry.timestamp), weights.packed()))
        self._standing.take(entry, value, seq)

    def write(self, connection: apsw.Connection) -> None:
        """Put it all into the tables."""
        many = connection.executemany
        many(SQL["put_words"], self._words)
        many(SQL["put_doc"], self._docs)
        many(SQL["put_path"], ((path,) for path in sorted({path for path, _ in self._paths})))
        many(SQL["put_touched"], self._paths)
        many(SQL["widen_moment"], _moments(self._docs))
        self._standing.write(connection)


def forget(connection: apsw.Connection, seqs: Iterable[int]) -> None:
    """Let entries no longer be found by their words."""
    rows = [(seq,) for seq in seqs]
    connection.executemany(SQL["drop_words"], rows)
    connection.executemany(SQL["drop_weights"], rows)
    connection.execute(SQL["merge_words"])


class Weights(NamedTuple):
    """The mark of each term of an entry: most occur once and share theirs."""

    once: int
    others: dict[str, int]
    """Terms that occur more often and have another mark for it."""

    @classmethod
    def of(cls, counts: Mapping[str, int], length: int) -> Weights:
        """Weigh the terms of an entry of `length` words."""
        once = mark(1, length)
        others = {
            term: place
            for term, n in counts.items()
            if n > 1 and (place := mark(n, length)) != once
        }
        return cls(once, others)

    def marked(self, terms: Iterable[str]) -> list[str]:
        """Return the terms that count much, with the sign of each and those of its tiers."""
        others = self.others
        found = [term + sign for term, place in others.items() for sign in _SIGNS[place]]
        if self.once:
            once = [term for term in terms if term not in others]
            for sign in _SIGNS[self.once]:
                found += [term + sign for term in once]
        return found

    def packed(self) -> bytes:
        """Return the mark of most terms, then the key and the mark of each other one."""
        return bytes((self.once,)) + b"".join(
            [term_key(term) + _BYTES[place] for term, place in self.others.items()]
        )


def mark_in(packed: bytes, key: bytes) -> int:
    """Return the mark of a term, by its key, in an entry that holds it."""
    place = packed.find(key, 1)
    while place > 0 and (place - 1) % _WEIGHT_BYTES:  # not a key, but the end of one and another
        place = packed.find(key, place + 1)
    return packed[place + _KEY_BYTES if place > 0 else 0]


def term_key(term: str) -> bytes:
    """Return a hash of a term, so short that of 16 million terms two may share it."""
    return crc32(term.encode()).to_bytes(4)[:_KEY_BYTES]


_SIGNS: Final = [""] + [
    sign + "".join(TIERS[tier] for tier in TIERS if tier <= place)
    for place, sign in enumerate(MARKS[1:], 1)
]
_KEY_BYTES: Final = 3
_WEIGHT_BYTES: Final = 4
_BYTES: Final = [bytes((place,)) for place in range(len(MARKS))]


@lru_cache(maxsize=65536)
def mark(count: int, length: int) -> int:
    """Return the mark of a term that occurs so often in an entry of `length` words."""
    return bisect(MARK_BOUNDS, impact(count, length))


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


def _moments(docs: Iterable[tuple[int, int, bytes]]) -> list[tuple[int, int, int]]:
    """Return each block of entries with its earliest and latest time."""
    blocks: dict[int, tuple[int, int]] = {}
    for seq, moment, _ in docs:
        least, most = blocks.get(seq // MOMENT_ENTRIES, (moment, moment))
        blocks[seq // MOMENT_ENTRIES] = min(least, moment), max(most, moment)
    return [(block, least, most) for block, (least, most) in blocks.items()]


def _filter_term(kind: str, name: str) -> str:
    return f"{kind}@{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
