"""The storm: writers in many processes, killed at random and started again.

Each writer has ids of its own making and tells the parent what was acknowledged. One that was
killed begins with the id whose fate it does not know.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.ledger.ledger import Draft
from holdfast.ledger.verify import verify
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.prove.material import LEDGER_ID, ledger_on, text

WRITERS: Final = 8
WRITER_WAIT_S: Final = 60.0
"""How long a writer may stand in the queue of so many before that counts as hanging."""
SILENCE_S_MAX: Final = 60.0


class Acknowledged(msgspec.Struct, frozen=True):
    """What a writer tells: a step of its work is done, in these places."""

    step: int
    seqs: list[int]


class StormResult(msgspec.Struct, frozen=True):
    """What the storm left."""

    writers: int
    kills: int
    entries: int
    acknowledged: int
    unacknowledged: int
    """Entries that are there though their writer was killed before it could tell."""
    lost: int
    duplicated: int
    verified: bool
    seconds: float


def run(folder: str, *, kills: int, seed: int, writers: int = WRITERS) -> StormResult:
    """Let the storm pass over a new ledger in `folder`."""
    path = str(Path(folder) / "storm.db")
    create(path, LEDGER_ID)
    started = time.monotonic()
    storm = _Storm(path, writers, Random(seed))
    try:
        while storm.kills < kills:
            storm.go_on()
    finally:
        storm.end()
    return _judge(path, storm, time.monotonic() - started)


def batch(writer: int, step: int) -> list[Draft]:
    """Return what a writer appends in one step: now and then several, or something large."""
    chance = Random(f"{writer}/{step}")
    count = 3 if step % 5 == 4 else 1
    chars = INLINE_BYTES_MAX + 1000 if step % 11 == 10 else 200
    return [
        Draft(
            "decision",
            {"question": "q", "choice": "c", "reasoning": text(chance, chars), "alternatives": []},
            session_id=f"writer-{writer}",
            id=f"w{writer}-{step}-{number}",
        )
        for number in range(count)
    ]


def write(path: str, writer: int, step: int, pipe: Connection) -> None:
    """Append for ever, from a step on, and tell the parent of each that was acknowledged."""
    ledger = ledger_on(SqliteEngine(path, wait_s=WRITER_WAIT_S))
    while True:
        receipts = ledger.append_many(batch(writer, step))
        told = Acknowledged(step, [receipt.seq for receipt in receipts])
        pipe.send_bytes(msgspec.msgpack.encode(told))
        step += 1


class _Writer:
    """One writer: its process of the moment, and what is known of its work."""

    def __init__(self, context: ForkServerContext, path: str, number: int) -> None:
        self.number = number
        self.acknowledged: dict[str, int] = {}
        self.step = 0
        self._context = context
        self._path = path
        self.start()

    def start(self) -> None:
        """Start a process at the first step that was not acknowledged."""
        self.pipe, far_end = self._context.Pipe(duplex=False)
        arguments = (self._path, self.number, self.step, far_end)
        self._process: ForkServerProcess = self._context.Process(target=write, args=arguments)
        self._process.start()
        far_end.close()
        self.is_fresh = True

    def listen(self) -> None:
        """Take what the process has told; a closed pipe means that it is gone."""
        told = msgspec.msgpack.decode(self.pipe.recv_bytes(), type=Acknowledged)
        self.is_fresh = False
        drafts = batch(self.number, told.step)
        self.acknowledged |= {d.id or "": s for d, s in zip(drafts, told.seqs, strict=True)}
        self.step = told.step + 1

    def kill(self) -> None:
        """Kill the process and hear what it still had to tell."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.join()
        try:
            while True:
                self.listen()
        except EOFError:
            self.pipe.close()


class _Storm:
    def __init__(self, path: str, writers: int, chance: Random) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self.kills = 0
        self.writers = [_Writer(context, path, number) for number in range(writers)]
        self._chance = chance

    def go_on(self) -> None:
        """Listen for a moment, then kill somebody who has begun to work."""
        self._listen(self._chance.uniform(0.001, 0.03))
        working = [writer for writer in self.writers if not writer.is_fresh]
        if working:
            victim = self._chance.choice(working)
            victim.kill()
            victim.start()
            self.kills += 1

    def end(self) -> None:
        """Kill every writer for the last time."""
        for writer in self.writers:
            writer.kill()
            self.kills += 1

    def _listen(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        heard = False
        while not heard or time.monotonic() < until:
            ready = wait([writer.pipe for writer in self.writers], SILENCE_S_MAX)
            if not ready:
                raise TimeoutError(f"No writer was heard of for {SILENCE_S_MAX:g} s.")
            for writer in self.writers:
                if writer.pipe in ready:
                    writer.listen()
                    heard = True


def _judge(path: str, storm: _Storm, seconds: float) -> StormResult:
    engine = SqliteEngine(path)
    try:
        found: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for stored in engine.read():
            entry_id = entries.read(stored.body).id
            found[entry_id] = stored.seq
            counts[entry_id] += 1
        report = verify(engine)
    finally:
        engine.close()
    acknowledged = {i: seq for writer in storm.writers for i, seq in writer.acknowledged.items()}
    return StormResult(
        writers=len(storm.writers),
        kills=storm.kills,
        entries=report.entries,
        acknowledged=len(acknowledged),
        unacknowledged=len(found.keys() - acknowledged.keys()),
        lost=sum(found.get(entry_id) != seq for entry_id, seq in acknowledged.items()),
        duplicated=sum(count - 1 for count in counts.values()),
        verified=report.ok,
        seconds=round(seconds, 1),
    )
