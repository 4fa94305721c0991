"""Give back one archived session of 500 entries, out of a million entries in 2,000 sessions.

`restore` as the command and the API call it: the index of the database says where the session lies,
each entry is proved by its leaf hash and the one before it, and each archive that was needed is
read whole and held against the hash it is listed with. Beside it, reading every entry of the same
ledger once through the same reader, which proves nothing. Sessions ran four at a time, so a session
lies in about 2,000 consecutive entries, and all of it in archives.

One process; the files are in the page cache. Opening the index is part of a restore, opening the
reader of neither. A round reads the whole ledger once and then restores sessions that lie apart,
each a different one; a restore's time in a round is the median over them. That all 500 entries came
back, and nothing else, is checked each time.
"""

from __future__ import annotations

import random
import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from bench import entries, ledgers
from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    side_by_side,
    spread_of,
)
from holdfast.ledger.restoring import restore
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Reader
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of
from holdfast.wiring.restoring import index_of

NAME = "restore"
TITLE = "Restore one archived session"
WHOLE: Final = "read the whole ledger"
SESSION: Final = "restore one session"


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1_000_000, 20_000)
    root = ledgers.sealed(size)
    with closing(open_reader(root)) as reader:
        restoring = _Restoring(root, reader, size, options.pick(20, 5))
        found = side_by_side(
            {WHOLE: lambda: _read(reader, size), SESSION: restoring.measure},
            options.rounds,
        )
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(
                f"{WHOLE} : {SESSION}, {size:,} entries",
                ratios(found[WHOLE], found[SESSION], "ms"),
                at_least=options.pick(20.0, None),  # of a short ledger a session is a large part
            ),
        ],
        rows=[
            Row(SESSION, "median", "ms", spread_of(found[SESSION], "ms")),
            Row(SESSION, "slowest", "ms", spread_of(found[SESSION], "worst_ms")),
            Row(WHOLE, "time", "ms", spread_of(found[WHOLE], "ms")),
        ],
    )


class _Restoring:
    """Restores sessions, some each time it is asked, and never one twice."""

    def __init__(self, root: Path, reader: Reader, size: int, count: int) -> None:
        self._place = place_of(root)
        self._reader = reader
        self._count = count
        # of the last ones some entries are still active
        self._numbers = list(range(size // entries.SESSION_ENTRIES - ledgers.AT_ONCE))
        random.Random(size).shuffle(self._numbers)

    def measure(self) -> Measured:
        """Restore some sessions, each for the first time."""
        chosen = [self._numbers.pop() for _ in range(self._count)]
        times = [self._time(ledgers.sealed_session(number)) for number in chosen]
        return {"ms": statistics.median(times), "worst_ms": max(times)}

    def _time(self, session_id: str) -> float:
        before = time.perf_counter()
        with index_of(self._place) as where:
            archives = ArchiveFolder(str(self._place.archives))
            restored = restore(self._reader, archives, session_id, where=where)
        spent = (time.perf_counter() - before) * 1e3
        if not restored.whole or len(restored.entries) != entries.SESSION_ENTRIES:
            raise AssertionError(f"{session_id}: {len(restored.entries)} entries came back")
        return spent


def _read(reader: Reader, size: int) -> Measured:
    before = time.perf_counter()
    count = sum(1 for _ in reader.read())
    spent = (time.perf_counter() - before) * 1e3
    if count < size:
        raise AssertionError(f"{count} entries of {size} were read")
    return {"ms": spent}
