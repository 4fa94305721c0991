"""Tampering: what another program does to a copy of a ledger, and the fault that names it.

The ways to tamper are in `tamper_kinds`; here are the copies, the looking and the judging.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from random import Random
from typing import TypeAlias

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.ledger.verify import verify
from holdfast.storage.port import Fault
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.prove.tamper_kinds import Kind, kinds, make_original, remove

Kept: TypeAlias = tuple[int, str]
"""A size and a root that somebody kept elsewhere."""


class TamperResult(msgspec.Struct, frozen=True):
    """What `verify` said about one kind."""

    name: str
    found: bool
    fault: str
    needs_kept_head: bool


class FlipResult(msgspec.Struct, frozen=True):
    """Single bits flipped anywhere in the file: named, or of no effect on anything stored."""

    flips: int
    named: int
    harmless: int
    silent: int


def run(folder: str) -> list[TamperResult]:
    """Tamper with a copy for each kind."""
    original = Path(folder) / "original.db"
    kept = make_original(original)
    results = [_control(original)]
    for kind in kinds():
        copy = Path(folder) / "copy.db"
        _copy(original, copy)
        kind.tamper(copy)
        results.append(_judge(kind, copy, kept))
    return results


def flip_bits(folder: str, flips: int, seed: int) -> FlipResult:
    """Flip one bit at a time, anywhere in the file."""
    original, copy = Path(folder) / "original.db", Path(folder) / "copy.db"
    make_original(original)
    before = _everything(original)
    chance = Random(seed)
    counts = {"named": 0, "harmless": 0, "silent": 0}
    for _ in range(flips):
        _copy(original, copy)
        content = bytearray(copy.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        copy.write_bytes(content)
        if look(copy):
            counts["named"] += 1
        else:
            counts["harmless" if _everything(copy) == before else "silent"] += 1
    return FlipResult(flips, **counts)


def look(path: Path, kept: Kept | None = None) -> list[Fault]:
    """Return what is wrong with a ledger; one that cannot be opened has a fault."""
    try:
        engine = SqliteEngine(str(path), inspect=True)
        try:
            return verify(engine, expected=kept).faults
        finally:
            engine.close()
    except HoldfastError as error:
        return [Fault(None, type(error).__name__, error.what)]


def _control(original: Path) -> TamperResult:
    faults = look(original)
    return TamperResult("nothing (control)", not faults, _spelled(faults), needs_kept_head=False)


def _judge(kind: Kind, copy: Path, kept: Kept) -> TamperResult:
    faults = look(copy, kept) if kind.needs_kept_head else look(copy)
    named = [f for f in faults if f.kind in kind.faults and kind.seq in (None, f.seq)]
    silent_without = not kind.needs_kept_head or not look(copy)
    return TamperResult(
        kind.name, bool(named) and silent_without, _spelled(named or faults), kind.needs_kept_head
    )


def _everything(path: Path) -> list[bytes]:
    """Return every byte that somebody stored."""
    engine = SqliteEngine(str(path), inspect=True)
    try:
        entries = list(engine.read())
        names = [sha256 for entry in entries for sha256 in _artifacts(entry.body)]
        return [entry.body for entry in entries] + [engine.artifact(name) or b"" for name in names]
    finally:
        engine.close()


def _artifacts(body: bytes) -> list[str]:
    return re.findall(r'"\$artifact":"([0-9a-f]{64})"', body.decode())


def _copy(original: Path, copy: Path) -> None:
    remove(copy)
    shutil.copyfile(original, copy)


def _spelled(faults: list[Fault]) -> str:
    if not faults:
        return ""
    where = "" if faults[0].seq is None else f" at {faults[0].seq}"
    return f"{faults[0].kind}{where}"
