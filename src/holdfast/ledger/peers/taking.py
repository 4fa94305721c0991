"""Taking another ledger's entries into a place of their own, byte for byte, each one proved first.

Unlike a campaign that is continued, nothing is sealed anew: they keep the name of their ledger and
their hashes. An erasure is carried out here too, in the same step as the entry that tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel import canonical, chain
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry, Prepared, Sealed
from holdfast.kernel.errors import CouldNotLook, Damaged, InvalidInput
from holdfast.kernel.hashing import artifact_hash, leaf_hash
from holdfast.kernel.limits import (
    ARTIFACT_NESTING_MAX,
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    CONTINUE_BATCH_BYTES,
    CONTINUE_BATCH_ENTRIES,
    LINE_BYTES_MAX,
)
from holdfast.ledger import vault
from holdfast.ledger.peers.source import Source, unproved
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Batch, Engine, Erased, Selection

_KEY: Final = vault.KEY.encode()
_ERASED: Final = "artifact_erased"
_HEX: Final = frozenset("0123456789abcdef")

Load: TypeAlias = Callable[[str], bytes | None]


def take(
    source: Source,
    engine: Engine,
    stop: int,
    *,
    on_erased: Callable[[], None] = lambda: None,
    progress: Progress = no_progress,
) -> int:
    """Bring a place up to `stop` entries; return how many came. What is there stays.

    Raises Damaged at the first entry or artifact that does not hold; those before it are kept, and
    the next call goes on behind them. `on_erased` is told before an artifact that is here goes.
    """
    taking = _Taking(source, engine, on_erased)
    first = engine.head().size
    try:
        _take_all(source, taking, stop, progress)
    except (CouldNotLook, Damaged):
        taking.flush()
        raise
    taking.flush()
    if taking.size < stop:
        raise unproved(f"It does not give its entry {taking.size}.")
    progress(stop, stop)
    return stop - first


def _take_all(source: Source, taking: _Taking, stop: int, progress: Progress) -> None:
    for body in source.read(taking.size, stop):
        if taking.size == stop:
            raise unproved("It gave more entries than it was asked for.")
        taking.take(body)
        if taking.is_full():
            taking.flush()
            progress(taking.size, stop)


def read_entry(body: bytes, *, ledger: str, seq: int, prev: str | None) -> Entry:
    """Read what is said to be an entry at a place, or say why it cannot be one."""
    if len(body) > LINE_BYTES_MAX or b"\n" in body:
        raise unproved(f"What it gives as entry {seq} is longer than a line of a ledger.")
    try:
        entry = entries.read(body)
        wrong = next(chain.link(entry, ledger=ledger, seq=seq, prev=prev), None)
        if wrong is not None:
            raise unproved(f"Its entry {seq} is not in its place: {wrong[1]}.")
        _check_names(entry)
        data = bytes(entry.data)
        is_spelled = canonical.encode(entry.value()) == data and _spelled(entry) == body
    except (Damaged, InvalidInput) as problem:
        raise unproved(f"What it gives as entry {seq} does not hold: {problem.what}") from problem
    if not is_spelled or not data.startswith(b"{"):
        raise unproved(f"Its entry {seq} is not spelled as entries are.")
    return entry


class _Taking:
    """Entries on their way, some at a time."""

    def __init__(self, source: Source, engine: Engine, on_erased: Callable[[], None]) -> None:
        self._on_erased = on_erased
        self._source = source
        self._engine = engine
        self._head = engine.head()
        self._batch: list[Sealed] = []
        self._first = self._head.size
        self._ids: set[bytes] = set()
        """Of all that came; those of before are looked up."""
        self._loaded: dict[str, bytes] = {}
        self._weight = 0

    @property
    def size(self) -> int:
        """How many entries there are, with those on their way."""
        return self._head.size + len(self._batch)

    def take(self, body: bytes) -> None:
        """Add what is said to be the next entry, with its artifacts."""
        last = self._batch[-1].leaf if self._batch else self._head.leaf
        entry = read_entry(body, ledger=self._head.ledger, seq=self.size, prev=last.hex())
        self._check_id(entry)
        sealed = Sealed(entry.seq, entry.id, entry.type, entry.session_id, leaf_hash(body), body)
        if entry.type == _ERASED and self._erase(entry, sealed):
            return
        artifacts = self._artifacts_of(entry) if _KEY in body else {}
        self._loaded |= artifacts
        self._batch.append(sealed)
        self._weight += len(body) + sum(map(len, artifacts.values()))

    def is_full(self) -> bool:
        """Tell whether it is time to write."""
        return len(self._batch) >= CONTINUE_BATCH_ENTRIES or self._weight > CONTINUE_BATCH_BYTES

    def flush(self) -> None:
        """Write what came so far."""
        if self._batch:
            with self._engine.queue():
                batch = Batch(self._batch, self._loaded)
                self._engine.append(batch, expected_head=self._head)
            self._head = chain.after(self._head, self._batch[-1])
        self._batch, self._loaded, self._weight = [], {}, 0

    def _erase(self, entry: Entry, sealed: Sealed) -> bool:
        """Drop here what was erased there, with the entry that says so; return whether it was
        here. Whoever asked for it there did not ask for a copy of it to stay."""
        sha256 = str(entry.value().get("sha256"))
        if not _is_hash(sha256):
            return False
        self.flush()
        if self._engine.artifact(sha256) is None:
            return False
        self._on_erased()
        with self._engine.queue():
            self._engine.drop(Erased(sha256), Batch([sealed]), expected_head=self._head)
        self._head = chain.after(self._head, sealed)
        return True

    def _check_id(self, entry: Entry) -> None:
        short = blake2b(entry.id.encode(), digest_size=16).digest()
        before = Selection(stop=self._first, id=entry.id)
        is_known = self._first > 0 and next(iter(self._engine.read(before)), None) is not None
        if is_known or short in self._ids:
            raise unproved(f"The id of its entry {entry.seq} is there twice.")
        self._ids.add(short)

    def _artifacts_of(self, entry: Entry) -> dict[str, bytes]:
        """Ask for the artifacts of an entry, also those in others.

        One that it does not have must have been erased: that is proved when all entries are here.
        """
        found = _named(entry.value(), self._artifact, entry.seq)
        return {sha256: content for sha256, content in found if content is not None}

    def _artifact(self, sha256: str) -> bytes | None:
        if sha256 in self._loaded:
            return self._loaded[sha256]
        content = self._engine.artifact(sha256)
        if content is not None:
            return content
        content = self._source.artifact(sha256)
        if content is None:
            return None
        if len(content) > CAMPAIGN_ARTIFACT_BYTES_MAX or artifact_hash(content) != sha256:
            raise unproved(f"What it gives as artifact {sha256[:12]} is something else.")
        return content


def _named(value: object, load: Load, seq: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield the artifacts that a value names, and those that these name in turn."""
    waiting = [(found, 0) for found in vault.references(value)]
    seen = set()
    while waiting:
        found, depth = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        sha256, may_nest = found
        if not _is_hash(sha256) or depth > ARTIFACT_NESTING_MAX:
            raise unproved(f"Its entry {seq} names an artifact that cannot be one.")
        content = load(sha256)
        yield sha256, content
        if content is None or not may_nest or _KEY not in content:
            continue
        try:
            within = vault.references(msgspec.json.decode(content))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise unproved(f"Artifact {sha256[:12]} of its entry {seq} is no JSON.") from error
        waiting += [(one, depth + 1) for one in within]


def _is_hash(text: str) -> bool:
    return len(text) == 64 and _HEX.issuperset(text)


def _check_names(entry: Entry) -> None:
    entries.check_name("The id", entry.id)
    entries.check_name("The type", entry.type)
    entries.check_actor(entry.actor)
    if entry.session_id is not None:
        entries.check_name("The session id", entry.session_id)
    if entry.span is not None:
        entries.check_span(entry.span)


def _spelled(entry: Entry) -> bytes:
    prepared = Prepared(
        entry.id,
        entry.type,
        entry.v,
        entry.session_id,
        entry.timestamp,
        entry.actor,
        entry.span,
        bytes(entry.data),
        entry.hash,
    )
    return entries.encode(prepared, ledger=entry.ledger, prev=entry.prev, seq=entry.seq)
