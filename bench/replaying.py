"""The peer of the boot: eventsourcing replays one aggregate. Run by itself; prints milliseconds."""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench import entries


class Log(Aggregate):
    """An aggregate that takes what is recorded, and counts it."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    @event("Recorded")
    def record(self, body: str) -> None:
        """Take one more."""
        self.sizes.append(len(body))


def main(database: str, count: int, times: int) -> None:
    """Make the events when they are not there, then replay them."""
    os.environ["PERSISTENCE_MODULE"] = "eventsourcing.sqlite"
    os.environ["SQLITE_DBNAME"] = database
    name = Path(database).with_suffix(".id")
    application: Any = Application()
    if not name.exists():
        log = Log()
        for body in entries.bodies(count):
            log.record(body.decode())
        application.save(log)
        name.write_text(str(log.id), encoding="ascii")
    from uuid import UUID

    wanted = UUID(name.read_text(encoding="ascii"))
    spent = []
    for _ in range(times):
        before = time.perf_counter()
        replayed: Any = application.repository.get(wanted)
        spent.append((time.perf_counter() - before) * 1e3)
        if len(replayed.sizes) != count:
            raise AssertionError(f"{len(replayed.sizes)} of {count}")
    print(statistics.median(spent))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
