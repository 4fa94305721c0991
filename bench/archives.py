"""Archives: how small, how quickly read, and how little a seal is in the way.

Size: entries made of the Python standard library's text (`bench/library.py`) are recorded, sealed
by the real sealer, and the bytes of the entries as JSONL are compared with the bytes of the archive
files, index and seek table included. At 1 kB the demand is on text of which no line is used twice.
At 6 kB it is on text in which four fifths of the code were shown within the last 20 entries, as
when an agent looks at what it then changes: by `zstd -3` over all of it that text shrinks 4.9:1,
as logs of agents do, the one with no line twice 3.9:1. That one, and one without any two lines that
look alike, stand beside it. The archives are then decompressed by an unrelated program and compared
with the entries, byte for byte.

Reading: 1,000 random entries, one at a time, through `ArchiveFolder`, as the engine asks it: with
what it keeps, and with a new one for each, that has read nothing before. The files are in the page
cache.

Sealing: 100,000 entries of about 600 bytes, each a row of its own, while another process appends to
the same ledger without a pause. How long the sealing process holds the writers' queue at a time is
measured inside, from taking it to letting it go; the other process measures what its appends take,
before the seal and during it.

Summaries: bytes archived : bytes of the summaries that stand for them, as the notes of the seals
say, over sessions of 120 entries and, in the sealed ledger, of 500.
"""

from __future__ import annotations

import multiprocessing
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import holdfast
from bench import entries, ledgers, library
from bench.harness import (
    Figure,
    Options,
    Result,
    Row,
    Spread,
    end_round,
    percentile,
    say,
    scratch_folder,
    spread,
)
from holdfast.config import Seal
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.metrics import compression_ratio
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sealing import Sealer
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Archive
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of
from holdfast.wiring.sealing import sealer_of

NAME = "archives"
TITLE = "Archives"
AGAIN: Final = 0.8
"""Share of the code that was shown before. Assumed, not measured on anybody's work."""

READS: Final = 1_000
BATCH: Final = 500
USUAL_S: Final = 3.0
"""How long the other process appends before the seal begins."""


def run(options: Options) -> Result:
    """Measure."""
    with scratch_folder() as folder:
        sizes = _Sizes(folder, options)
        reads = {
            what: [_read_times(root, options) for _ in range(options.rounds)]
            for what, root in (("1 kB", sizes.small), ("6 kB", sizes.large))
        }
        seals = [
            _seal_times(folder / str(number), options)
            for number in range(options.pick(options.rounds, 1))
        ]
        summaries = list(_summaries(sizes.small))
    say("\n")
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[*sizes.figures, *_read_figures(reads), *_seal_figures(seals), *summaries],
        rows=[
            Row("an append beside the seal", what, "ms", spread([seal[key] for seal in seals]))
            for what, key in (
                ("median, before the seal", "usual_ms"),
                ("longest, before the seal", "usual_worst_ms"),
                ("median, during the seal", "beside_ms"),
                ("longest, during the seal", "beside_worst_ms"),
            )
        ]
        + [Row("seal", "time", "s", spread([seal["seal_s"] for seal in seals]))],
        notes=[f"Decompressed by {sizes.decompressor}."],
    )


def _figure(what: str, value: float, **demand: Any) -> Figure:
    """Return a figure of something that is the same in every round."""
    return Figure(what, Spread(value, value, value), **demand)


class _Sizes:
    """Records and seals the entries, one ledger for each kind."""

    def __init__(self, folder: Path, options: Options) -> None:
        small, large = options.pick((8_000, 600), (1_000, 100))
        self.figures: list[Figure] = []
        self.decompressor = "zstd" if shutil.which("zstdcat") else "python-zstandard's stream"
        self.small = self._add(folder / "small", "1 kB", small, 1_000, at_least=3.5)
        self.large = self._add(folder / "large", "6 kB", large, 6_000, at_least=5.0, again=AGAIN)
        self._add(folder / "once", "6 kB, no line used twice", large, 6_000)
        self._add(folder / "distinct", "6 kB, no two lines alike", large, 6_000, distinct=True)

    def _add(
        self,
        root: Path,
        what: str,
        count: int,
        entry_bytes: int,
        *,
        at_least: float | None = None,
        **how: Any,
    ) -> Path:
        root.mkdir()
        drafts = list(library.drafts(count, entry_bytes, **how))
        place = place_of(root)
        with holdfast.open(root, seal=ledgers.NEVER) as ledger:
            for start in range(0, count, BATCH):
                ledger.append_many(drafts[start : start + BATCH])
            lines = [stored.body + b"\n" for stored in ledger.lines()]
            folder = ArchiveFolder(str(place.archives))
            sealer_of(place, ledger, folder, Seal()).seal(keep=0)
            listed = ledger.reader.archives()
        raw, packed = sum(map(len, lines)), sum(archive.bytes for archive in listed)
        mean = f"{raw / count:,.0f} bytes on average"
        name = f"JSONL : archives, entries of {what} ({mean})"
        self.figures.append(_figure(name, raw / packed, at_least=at_least))
        if at_least is not None:
            paths = [folder.path_of(archive) for archive in listed]
            same = b"".join(map(_decompressed, paths)) == b"".join(lines)
            name = f"archives of {what} that decompress to the exact entries"
            self.figures.append(_figure(name, float(same), unit="of 1", at_least=1.0))
        return root


def _decompressed(path: str) -> bytes:
    if program := shutil.which("zstdcat"):
        return subprocess.run([program, path], capture_output=True, check=True).stdout
    import zstandard

    with Path(path).open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return bytes(reader.read())


def _read_times(root: Path, options: Options) -> dict[str, float]:
    folder = str(place_of(root).archives)
    with closing(open_reader(root)) as reader:
        listed = list(reader.archives())
    chance = random.Random(1)
    wanted = []
    for _ in range(options.pick(READS, 200)):
        archive = chance.choice(listed)
        wanted.append((archive, chance.randint(archive.first, archive.last)))
    kept = ArchiveFolder(folder)
    times = {
        "kept": _times(lambda: kept, wanted),
        "new": _times(lambda: ArchiveFolder(folder), wanted),
    }
    end_round()
    return {
        f"{name}_{share}": percentile(spent, share / 100)
        for name, spent in times.items()
        for share in (50, 99)
    }


def _times(
    source: Callable[[], ArchiveFolder], wanted: Sequence[tuple[Archive, int]]
) -> list[float]:
    times = []
    for archive, seq in wanted:
        folder = source()
        before = time.perf_counter()
        [(found, _)] = folder(archive, seq, seq + 1)
        times.append((time.perf_counter() - before) * 1e3)
        if found != seq:
            raise AssertionError(f"entry {found} was read instead of {seq}")
    return times


def _read_figures(reads: Mapping[str, Sequence[dict[str, float]]]) -> Iterator[Figure]:
    for what, rounds in reads.items():
        for how, name in (("with what it keeps", "kept"), ("with nothing read before", "new")):
            for share in (50, 99):
                yield Figure(
                    f"any one entry of {what}, {how}, {share} of 100",
                    spread([one[f"{name}_{share}"] for one in rounds]),
                    unit="ms",
                    at_most=1.0,
                )


class _TimedEngine(SqliteEngine):
    """The engine of every ledger, and how long it held the writers' queue at a time."""

    def __init__(self, path: str, folder: ArchiveFolder) -> None:
        self.held_s: list[float] = []
        self._since: list[float] = []
        super().__init__(path, archive_source=folder)

    def enter_turn(self) -> None:
        """Wait for this writer's turn."""
        super().enter_turn()
        self._since.append(time.perf_counter())

    def leave_turn(self) -> None:
        """Let the next writer in."""
        super().leave_turn()
        since = self._since.pop()
        if not self._since:  # the outermost one lets go
            self.held_s.append(time.perf_counter() - since)


def _seal_times(folder: Path, options: Options) -> dict[str, float]:
    """Seal while another process appends."""
    folder.mkdir()
    root = ledgers.copy(options.pick(100_000, 10_000), folder)
    place = place_of(root)
    archives = ArchiveFolder(str(place.archives))
    engine = _TimedEngine(str(place.database), archives)
    ledger = Ledger(engine, redactor=Redactor(place.key.read_bytes()))
    sealer = Sealer(ledger, archives, lock_path=str(place.seal_lock), keep=Seal().keep)
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    other = spawn.Process(target=_append, args=(theirs, root), daemon=True)
    other.start()
    try:
        ours.recv()
        time.sleep(options.pick(USUAL_S, USUAL_S / 3))
        ours.send("sealing")
        ours.recv()
        began = time.perf_counter()
        report = sealer.seal()
        seal_s = time.perf_counter() - began
        ours.send("sealed")
        usual, beside = ours.recv()
    finally:
        other.join()
        ledger.close()
        shutil.rmtree(folder)
    end_round()
    if report.sealed < options.pick(100_000, 10_000) - Seal().keep:
        raise AssertionError(f"only {report.sealed} entries were sealed")
    return {
        "held_ms": max(engine.held_s) * 1e3,
        "seal_s": seal_s,
        "usual_ms": percentile(usual, 0.5) * 1e3,
        "usual_worst_ms": max(usual) * 1e3,
        "beside_ms": percentile(beside, 0.5) * 1e3,
        "beside_worst_ms": max(beside) * 1e3,
    }


def _append(pipe: Connection, root: Path) -> None:
    """Append without a pause, in two stretches; tell how long each append took."""
    drafts = entries.drafts(2_000, seed=9)
    stretches: list[list[float]] = []
    with holdfast.open(root, seal=ledgers.NEVER) as ledger:
        pipe.send("ready")
        for _ in range(2):
            times: list[float] = []
            while not pipe.poll():
                draft = drafts[len(times) % len(drafts)]
                before = time.perf_counter()
                ledger.append(draft.type, draft.data, session_id=draft.session_id)
                times.append(time.perf_counter() - before)
            pipe.recv()
            stretches.append(times)
            if len(stretches) == 1:
                pipe.send("go on")
    pipe.send(stretches)


def _seal_figures(seals: Sequence[dict[str, float]]) -> Iterator[Figure]:
    yield Figure(
        "longest time at once that a seal holds the writers' queue",
        spread([seal["held_ms"] for seal in seals]),
        unit="ms",
        at_most=100.0,
        every_round=True,
    )
    yield Figure(
        "longest append beside a seal : longest before it",
        spread([seal["beside_worst_ms"] / seal["usual_worst_ms"] for seal in seals]),
    )


def _summaries(small: Path) -> Iterator[Figure]:
    sealed = ledgers.sealed(20_000)
    for what, root in (("sessions of 120", small), ("sessions of 500", sealed)):
        with closing(open_reader(root)) as reader:
            ratio = compression_ratio(reader).value
        assert ratio is not None
        name = f"bytes archived : bytes of summaries, {what} entries"
        yield _figure(name, ratio, at_least=10.0)
