"""What the campaigns write: entries that follow from a seed, so that every run can be repeated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Final
from unittest.mock import patch

from holdfast.kernel import chain
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Actor, Prepared
from holdfast.kernel.hashing import data_hash
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sealing import Sealer
from holdfast.ledger.sources import timestamp
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.files import Files
from holdfast.storage.port import Batch, Engine
from holdfast.storage.sqlite import engine as engine_module
from holdfast.storage.sqlite import tree, writing
from holdfast.storage.sqlite.connection import connect
from holdfast.storage.sqlite.create import checkpoint, create
from holdfast.storage.sqlite.engine import SqliteEngine

LEDGER_ID: Final = "5eed" * 8
ARCHIVES: Final = "state/archives"
NOW_US: Final = 1_800_000_000_000_000
ACTOR: Final = Actor("agent", "prover")
WORDS: Final = ("anchor", "kelp", "tide", "rock", "desk", "ledger", "entry", "vault", "holds")


class _Trusting(Redactor):
    """Looks for no secrets: what is written here has none, and looking takes time."""

    def suspects(self, encoded: bytes) -> bool:  # noqa: ARG002
        return False


_redactor: Final = _Trusting(b"a key for proofs that guards nothing")


def ledger_on(engine: Engine) -> Ledger:
    """Return a ledger whose clock stands still: the same drafts become the same bytes.

    What has no id of its own here is the note of a seal, one for each archive.
    """
    return Ledger(
        engine,
        redactor=_redactor,
        actor=ACTOR,
        clock=lambda: NOW_US,
        ids=lambda _: f"note-{len(engine.archives())}",
    )


def engine_at(path: str, *, vfs: str | None = None, synchronous: str = "FULL") -> SqliteEngine:
    """Open a database together with the archives beside it."""
    return SqliteEngine(
        path, vfs=vfs, synchronous=synchronous, archive_source=ArchiveFolder(archives_of(path))
    )


def archives_of(path: str) -> str:
    """Return the folder of a database's archives."""
    return os.path.join(os.path.dirname(path), ARCHIVES)  # noqa: PTH118, PTH120


def sealer_of(ledger: Ledger, path: str, keep: int, files: Files | None = None) -> Sealer:
    """Return what moves entries of a ledger into archives."""
    return Sealer(
        ledger,
        ArchiveFolder(archives_of(path)),
        lock_path=f"{path}.seal.lock",
        keep=keep,
        clock=lambda: NOW_US,
        files=files,
    )


def entry_id(number: int) -> str:
    """Return an id: mostly ordered by time as usual, every fourth a name of the caller's own."""
    if number % 4 == 3:
        return f"task-{number}"
    return f"{NOW_US // 1000 + number:012x}"[:8] + (
        f"-{(NOW_US // 1000 + number) & 0xFFFF:04x}-7{number & 0xFFF:03x}-8000-{number:012x}"
    )


def text(chance: Random, chars: int) -> str:
    """Return words without meaning."""
    return " ".join(chance.choices(WORDS, k=chars // 5))[:chars]


def draft(chance: Random, number: int, *, chars: int | None = None) -> Draft:
    """Return a draft; more than 32 KiB of `chars` go to the vault."""
    told = text(chance, chance.randint(20, 900) if chars is None else chars)
    data = {"question": f"q{number}", "choice": f"c{number}", "reasoning": told, "alternatives": []}
    return Draft("decision", data, session_id=f"session-{number % 3}", id=entry_id(number))


def drafts(chance: Random, first: int, count: int) -> list[Draft]:
    """Return drafts with consecutive ids."""
    return [draft(chance, number) for number in range(first, first + count)]


@contextmanager
def small_limits(*, wal_pages: int) -> Iterator[None]:
    """Let logs be moved often, and batches be cut into several rows."""
    with (
        patch.object(engine_module, "WAL_PAGES_MAX", wal_pages),
        patch.object(writing, "RUN_ENTRIES_MAX", 4),
    ):
        yield


def make_format_1(path: str, count: int) -> Head:
    """Make a ledger as the first format had it: like today's, but without kept tree nodes."""
    head = create(path, LEDGER_ID, until=1)
    with patch.object(tree, "complete"):
        return fill(path, head, range(count))


def fill(path: str, head: Head, numbers: Sequence[int]) -> Head:
    """Append small entries that are safe on disk afterwards."""
    connection = connect(path)
    with connection:
        for first in range(0, len(numbers), 16):
            run = list(chain.seal_all(head, map(_prepared, numbers[first : first + 16])))
            writing.append(connection.cursor(), Batch(run))
            head = chain.after(head, run[-1])
    checkpoint(connection)
    connection.close()
    return head


def _prepared(number: int) -> Prepared:
    data = b'{"alternatives":[],"choice":"c%d","question":"q","reasoning":"r"}' % number
    return Prepared(
        id=entry_id(number),
        type="decision",
        version=1,
        session_id=None,
        timestamp=timestamp(NOW_US),
        actor=ACTOR,
        span=None,
        data=data,
        hash=data_hash(data),
    )
