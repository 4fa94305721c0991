"""Boot a save of a million entries, from nothing and from a base; look back; save.

The ledger is as a working agent leaves it (`bench/lives.py`): about 20,000 live items, every entry
in a row of its own, nothing sealed; all in the page cache.

A full boot goes through all twelve steps: it hashes every entry into the tree, folds all of them
into every store, and proves the digests, the working set and the compactions. Beside it, one loop
that reads every body with apsw from the same file, in order, and decodes it into a dict with
msgspec. The boot uses two processes, the loop one. The memory is the largest that the two processes
of a boot had together, in a run by themselves.

A boot from a base starts from a save with 1,000 entries after it: the items of all stores come from
the kept folds and every one of them is hashed anew. `at` is what was true at an entry chosen by
chance, from opening views.db on; the slowest of a round counts. A save comes after 1,000 new
entries, from opening the ledger on to its file being synced; beside it, those 1,000 entries are
read and folded in memory, onto a fold that is there already.

The peer replays one aggregate of 10,000 events of about as many bytes from its own SQLite recorder,
through its own mapper and mutator, which appends a number to a list; it hashes and proves nothing.
What is held against it is the part of a boot that does the same and more: the log hashed and
compared, all stores folded, their digests compared (steps 3 to 8, in one process). The whole boot,
which also compiles the working set and the compactions, is shown beside it. All are short, so a
round has the median of five of each.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

import holdfast
from bench import ledgers, lives
from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from holdfast.config import Settings
from holdfast.index.views import Views
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.history import fold_at
from holdfast.ledger.log_proof import hashing_here
from holdfast.ledger.replay import replay
from holdfast.storage.port import Selection
from holdfast.wiring.booting import boot
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of
from holdfast.wiring.project import open_project
from holdfast.wiring.saving import make_save

NAME = "boot"
TITLE = "Boot, look back, save"

NEW: Final = 1_000
"""Entries that come between two saves."""

LOOKS: Final = 12
"""Entries looked back at in a round."""

SMALL: Final = 10_000
SHORT_TIMES: Final = 5
"""How often in a round the small ledger is booted, and the peer replays; the median counts."""


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1_000_000, 100_000)
    with scratch_folder() as folder:
        subject = _Subject(ledgers.copy_lived(size, folder), size)
        small = _Subject(ledgers.copy_lived(SMALL - NEW, folder), SMALL - NEW)
        found = side_by_side(
            {
                "bare loop": subject.read_and_decode,
                "full boot": subject.boot,
                "from a base": subject.boot_from_base,
                "at": subject.look_back,
                "save": subject.save,
                "small fold": lambda: _middle(small.verify_and_fold),
                "small boot": lambda: _middle(small.boot),
                "eventsourcing": lambda: _peer(folder),
            },
            options.rounds,
        )
        megabytes = _memory(subject.root)
        items = subject.items
    return Result(
        NAME, TITLE, __doc__ or "", options.rounds, _figures(found, size, megabytes), _rows(found),
        notes=[f"{items:,} items are live."],
    )  # fmt: skip


def _figures(found: dict[str, list[Measured]], size: int, megabytes: float) -> list[Figure]:
    full = found["full boot"]
    over = [one["ms"] - 2 * one["folding_ms"] for one in found["save"]]
    return [
        Figure(
            f"full boot of {size:,} entries : bare read and decode",
            ratios(full, found["bare loop"], "ms"),
            at_most=3,
        ),
        Figure("memory of a full boot", spread([megabytes]), unit="MB", at_most=1_000),
        Figure(
            f"eventsourcing's replay : verify and fold all stores, {SMALL:,} entries",
            ratios(found["eventsourcing"], found["small fold"], "ms"),
            at_least=5,
        ),
        Figure(
            f"eventsourcing's replay : full boot, {SMALL:,} entries",
            ratios(found["eventsourcing"], found["small boot"], "ms"),
        ),
        Figure(
            "full boot : boot from a base, 1,000 entries after it",
            ratios(full, found["from a base"], "ms"),
            at_least=40,
        ),
        Figure("full boot : `at` any entry, the slowest", ratios(full, found["at"], "ms"),
               at_least=10),
        Figure("save, less twice folding what came since", spread(over), unit="ms", at_most=50),
    ]  # fmt: skip


def _rows(found: dict[str, list[Measured]]) -> list[Row]:
    return [Row(name, "time", "ms", spread_of(rounds, "ms")) for name, rounds in found.items()] + [
        Row("save", "folding what came since", "ms", spread_of(found["save"], "folding_ms"))
    ]


class _Subject:
    """A ledger with saves, and everything that is measured of it."""

    def __init__(self, root: Path, size: int) -> None:
        self.root = root
        self._size = size
        self._place = place_of(root)
        self._chance = random.Random(size)
        self._more = lives.drafts(10**9, seed=2)
        self._base = self._save()
        self._grow()
        self._newest = self._save()
        with closing(Views(str(self._place.views))) as views:
            self.items = sum(len(views.items(name)) for name in views.versions)

    def read_and_decode(self) -> Measured:
        """Read every body and decode it, and no more."""
        connection = apsw.Connection(str(self._place.database), flags=apsw.SQLITE_OPEN_READONLY)
        decode, count = msgspec.json.decode, 0
        before = time.perf_counter()
        for (body,) in connection.execute("SELECT lines FROM runs ORDER BY first LIMIT ?",
                                          (self._newest.tree_size,)):  # fmt: skip
            decode(body)
            count += 1
        spent = _ms_since(before)
        connection.close()
        if count != self._newest.tree_size:
            raise AssertionError(f"{count} rows for {self._newest.tree_size} entries")
        return {"ms": spent}

    def boot(self) -> Measured:
        """Boot the newest save from entry 0."""
        return self._boot(None)

    def verify_and_fold(self) -> Measured:
        """Go through steps 3 to 8 of a boot: the log proved, every store folded and compared."""
        with closing(open_reader(self.root)) as reader:
            before = time.perf_counter()
            fold = replay(self._newest, reader, base=None, hashing=hashing_here)
            digests = fold.digests()
            spent = _ms_since(before)
        if digests != dict(self._newest.store_digests):
            raise AssertionError("this is something else")
        return {"ms": spent}

    def boot_from_base(self) -> Measured:
        """Boot it from the save before."""
        return self._boot(self._base)

    def _boot(self, base: SaveSnapshot | None) -> Measured:
        database, newest = self._place.database, self._newest
        with closing(open_reader(self.root)) as reader:
            before = time.perf_counter()
            if base is None:
                booted = boot(reader, newest, database=database)
            else:
                with closing(Views(str(self._place.views))) as views:
                    booted = boot(reader, newest, database=database, base=base, views=views)
            spent = _ms_since(before)
        if dict(booted.digests) != dict(newest.store_digests) or len(booted.steps) != 12:
            raise AssertionError("this boot proved something else")
        return {"ms": spent}

    def look_back(self) -> Measured:
        """Work out what was true at some entries; tell the slowest."""
        times = []
        for _ in range(LOOKS):
            seq = self._chance.randrange(self._size)
            with closing(open_reader(self.root)) as reader:
                before = time.perf_counter()
                with closing(Views(str(self._place.views))) as views:
                    fold = fold_at(reader, seq + 1, views)
                times.append(_ms_since(before))
            if fold.size != seq + 1:
                raise AssertionError("this is another moment")
        return {"ms": max(times)}

    def save(self) -> Measured:
        """Append, fold what was appended, and save it."""
        with closing(open_reader(self.root)) as reader:
            size = reader.head().size
            with closing(Views(str(self._place.views))) as views:
                fold = fold_at(reader, size, views)
            self._grow()
            before = time.perf_counter()
            for stored in reader.read(Selection(size)):
                fold.apply(entries.read(stored.body))
            folding = _ms_since(before)
        spent = _timed(self._save)
        return {"ms": spent, "folding_ms": folding}

    def _grow(self) -> None:
        with holdfast.open(self.root, seal=ledgers.NEVER) as ledger:
            for draft in islice(self._more, NEW):
                ledger.append(draft.type, draft.data, session_id=draft.session_id)

    def _save(self) -> SaveSnapshot:
        settings = Settings(seal=ledgers.NEVER)
        with open_project(self._place, settings, Actor("user", "bench")) as project:
            return make_save(project, "SCENE").snapshot


def _middle(measure: Callable[[], Measured]) -> Measured:
    """Measure what is short several times, and return the median."""
    return {"ms": statistics.median(measure()["ms"] for _ in range(SHORT_TIMES))}


def _ms_since(before: float) -> float:
    return (time.perf_counter() - before) * 1e3


def _timed(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return _ms_since(before)


def _peer(folder: Path) -> Measured:
    """Let the peer replay in a process of its own: it brings its own SQLite."""
    database = folder / "replay.db"
    command = [sys.executable, "-m", "bench.replaying", str(database), str(SMALL), str(SHORT_TIMES)]
    answer = subprocess.run(command, check=True, capture_output=True).stdout
    return {"ms": float(answer)}


_BOOT: Final = """
import sys
from bench.boots import report_memory
report_memory(sys.argv[1])
"""


def _memory(root: Path) -> float:
    command = [sys.executable, "-c", _BOOT, str(root)]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def report_memory(root: str) -> None:
    """Boot the newest save in this process, and print the memory that took, in MB."""
    place = place_of(Path(root))
    settings = Settings(seal=ledgers.NEVER)
    with open_project(place, settings, Actor("user", "bench")) as project:
        newest: Any = make_save(project, "SCENE").snapshot
        boot(project.ledger.reader, newest, database=place.database)
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(sum(one.ru_maxrss for one in used) / 1000)
