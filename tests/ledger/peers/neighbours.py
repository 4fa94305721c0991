"""Ledgers side by side in memory, places for their chains, and peers that lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from holdfast.kernel import canonical, chain, merkle
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Prepared
from holdfast.kernel.hashing import data_hash, leaf_hash
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.peers.known import SYNCER
from holdfast.ledger.peers.merging import copy_entries
from holdfast.ledger.peers.source import ReaderSource, Source, TreeHead
from holdfast.ledger.redaction import Redactor
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Engine
from holdfast.testing.builders import ACTOR, KEY, data_for
from holdfast.testing.clock import FixedClock, FixedIds

OURS = "0" * 31 + "1"
THEIRS = "0" * 31 + "2"


def ledger_of(engine: Engine, number: int = 0) -> Ledger:
    return Ledger(
        engine,
        redactor=Redactor(KEY),
        actor=ACTOR,
        session_id="s",
        clock=FixedClock(),
        ids=FixedIds(number * 1_000_000 + engine.head().size),
    )


def new_ledger(name: str, count: int, number: int = 0) -> Ledger:
    """Make a ledger with entries, one of them with a part in the vault."""
    ledger = ledger_of(MemoryEngine(name), number)
    for one in range(count):
        record(ledger, one)
    return ledger


def record(ledger: Ledger, number: int) -> None:
    if number % 4 == 2:
        ledger.append("prompt_given", {"text": f"{number} " + "long " * 10_000})
    else:
        ledger.append("decision", data_for("decision", number))


class MemoryMirrors:
    """Places for chains, as long as the test lives."""

    def __init__(self) -> None:
        self.places: dict[str, MemoryEngine] = {}
        self.evidence: dict[str, tuple[bytes, bytes]] = {}
        self.forgotten = 0

    @contextmanager
    def open(self, ledger: str) -> Iterator[Engine]:
        yield self.places.setdefault(ledger, MemoryEngine(ledger))

    def restart(self, ledger: str, keep: int) -> None:
        new = MemoryEngine(ledger)
        copy_entries(self.places[ledger], new, keep)
        self.places[ledger] = new

    def forget_derived(self, ledger: str) -> None:
        self.forgotten += 1

    def keep_evidence(self, ledger: str, name: str, entries: tuple[bytes, bytes]) -> str:
        self.evidence[f"{ledger}/{name}"] = entries
        return f"{ledger}/{name}"


class Liar:
    """A peer whose answers can be changed one by one."""

    def __init__(self, honest: Source) -> None:
        self._honest = honest
        self.change_head: Callable[[TreeHead], TreeHead] = lambda head: head
        self.change_proof: Callable[[list[bytes]], list[bytes]] = lambda proof: proof
        self.change_bodies: Callable[[list[bytes], int], list[bytes]] = lambda bodies, _first: (
            bodies
        )
        self.change_artifact: Callable[[bytes | None], bytes | None] = lambda content: content

    def head(self) -> TreeHead:
        return self.change_head(self._honest.head())

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        return self.change_proof(self._honest.consistency(old_size, new_size))

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        return iter(self.change_bodies(list(self._honest.read(first, stop)), first))

    def artifact(self, sha256: str) -> bytes | None:
        return self.change_artifact(self._honest.artifact(sha256))


def source_of(ledger: Ledger) -> Source:
    return ReaderSource(ledger.reader)


def forked(ledger: Ledger, at: int, extra: int = 1) -> Ledger:
    """Make a ledger with the same name and the same beginning, and another entry at a number."""
    engine = MemoryEngine(ledger.id)
    copy_entries(ledger.reader, engine, at)
    other = ledger_of(engine, number=7)
    for one in range(extra):
        other.append("decision", data_for("decision", 1000 + one))
    return other


class Chained:
    """A peer that is nothing but a chain of bytes, sealed as it should be, whatever they say."""

    def __init__(self, name: str, bodies: list[bytes], artifact: Callable[[str], bytes | None]):
        self._name = name
        self._bodies = bodies
        self._leaves = [leaf_hash(body) for body in bodies]
        self.artifact = artifact

    def head(self) -> TreeHead:
        return TreeHead(self._name, len(self._leaves), merkle.root_of(self._leaves).hex())

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        return merkle.consistency_proof(old_size, new_size, merkle.node_from_leaves(self._leaves))

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        return iter(self._bodies[first:stop])


def rebuilt(ledger: Ledger, seq: int, change: Callable[[Prepared], Prepared]) -> Chained:
    """Make a peer whose entry at a number is another, with all behind it sealed anew."""
    head, bodies = Head(ledger.id), list[bytes]()
    for stored in ledger.lines():
        entry = entries.read(stored.body)
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
        sealed = chain.seal(head, change(prepared) if stored.seq == seq else prepared)
        bodies.append(sealed.body)
        head = chain.after(head, sealed)
    return Chained(ledger.id, bodies, ledger.artifact)


def with_data(data: bytes) -> Callable[[Prepared], Prepared]:
    return lambda one: msgspec.structs.replace(one, data=data, hash=data_hash(data))


def spelled(value: object) -> bytes:
    return canonical.encode(value)


class Ours:
    """What must not change, whatever a peer does."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lines = [stored.body for stored in ledger.lines()]
        self._root = ledger.root()
        self._digests = ledger.fold().digests()

    def check(self) -> list[str]:
        """Hold the ledger against what it was; return the types of what was added."""
        size = len(self._lines)
        lines = [stored.body for stored in self._ledger.lines()]
        assert lines[:size] == self._lines
        assert self._ledger.root(size) == self._root
        assert self._ledger.fold(size).digests() == self._digests
        added = [entries.read(body) for body in lines[size:]]
        assert all(entry.actor == SYNCER for entry in added)
        assert len(added) <= 1
        assert {entry.type for entry in added} <= {"peer_merged", "peer_refused"}
        same = {name: digest for name, digest in self._digests.items() if name != "sessions"}
        now = self._ledger.fold().digests()
        assert {name: now[name] for name in same} == same  # sessions count every entry
        assert self._ledger.verify().ok
        return [entry.type for entry in added]
