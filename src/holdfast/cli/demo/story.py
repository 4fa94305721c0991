"""The demo's story, step by step. Everything it says was measured in this run."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.cli.demo.recovery import recover
from holdfast.cli.demo.saving import save_and_boot
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.tampering import forge
from holdfast.ledger.verify import Report
from holdfast.storage.port import Fault, Selection
from holdfast.wiring.backing import back_up
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.verifying import verify_place

WRITERS: Final = ("first", "second", "third")
VICTIM: Final = "third"
ENTRIES_EACH: Final = 120
KILLED_AFTER: Final = 40


def tell(folder: Path) -> Iterator[Step]:
    """Do it all in an empty folder, and yield each step when it is done."""
    with open_ledger(folder) as ledger:
        path = str(place_of(folder).database)
        yield Step("A new ledger", [path], True, {"ledger": ledger.id, "path": path})
    place = place_of(folder)
    yield _write_and_kill(folder, place)
    yield _verify(place)
    yield _redact(folder, place)
    yield _tamper(folder, place)
    yield from recover(folder)
    yield save_and_boot(folder)


def _write_and_kill(folder: Path, place: Place) -> Step:
    acknowledged = _run_writers(folder)
    reader = open_reader(place.database)
    held = [id_ for ids in acknowledged.values() for id_ in ids if _holds(reader, id_)]
    size = reader.head().size
    reader.close()
    promised = sum(map(len, acknowledged.values()))
    lines = [
        f"{name}: {len(ids)} acknowledged" + (", then killed with SIGKILL" * (name == VICTIM))
        for name, ids in acknowledged.items()
    ]
    lines.append(f"{promised} acknowledged, {len(held)} of them are there, {size} in all")
    if size > promised:
        lines.append(f"({size - promised} was on disk before the killed process could say so)")
    facts = {"acknowledged": promised, "kept": len(held), "entries": size}
    title = "Three processes write at once, one is killed in the middle"
    return Step(title, lines, len(held) == promised, facts)


def _holds(reader: Any, entry_id: str) -> bool:
    return any(True for _ in reader.read(Selection(id=entry_id)))


def _run_writers(folder: Path) -> dict[str, list[str]]:
    """Return the ids that each writer said were recorded. The victim is stopped half-way."""
    module = "holdfast.cli.demo.writer"
    writers = {
        name: subprocess.Popen(
            [sys.executable, "-m", module, str(folder), name, str(ENTRIES_EACH)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in WRITERS
    }
    try:
        first = [writers[VICTIM].stdout.readline() for _ in range(KILLED_AFTER)]  # type: ignore[union-attr]
        writers[VICTIM].kill()
        rest = {name: writer.communicate()[0] for name, writer in writers.items()}
    finally:
        for writer in writers.values():
            writer.kill()
            writer.wait()
    rest[VICTIM] = "".join(first) + rest[VICTIM]
    # The last line of a killed process may be half a line: it acknowledges nothing.
    return {
        name: [line[:-1] for line in text.splitlines(True) if line[-1] == "\n"]
        for name, text in rest.items()
    }


def _verify(place: Place) -> Step:
    started = time.perf_counter()
    report = verify_place(place)
    took_ms = (time.perf_counter() - started) * 1000
    lines = [
        f"{report.entries} entries, chain and tree checked from their bytes in {took_ms:.0f} ms:"
        f" {'ok' if report.ok else 'NOT ok'}",
        f"root {report.root}",
    ]
    return Step("Verify", lines, report.ok, {"root": report.root, "verify_ms": round(took_ms)})


def _redact(folder: Path, place: Place) -> Step:
    """Record a made-up secret, and look for it in every file."""
    secret = "ghp_" + secrets.token_hex(18)
    with open_ledger(folder) as ledger:
        receipt = ledger.append(
            "error",
            {
                "error_type": "PushRefused",
                "message": f"remote said no to {secret}",
                "context": None,
                "resolution": None,
                "prevention": None,
            },
        )
        stored = ledger.get(receipt.seq).body
    # No connection of this process is open now, so the files may be read by hand.
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    found = [file.name for file in files if secret.encode() in file.read_bytes()]
    message = msgspec.json.decode(stored)["data"]["message"]
    lines = [
        f"given   remote said no to {secret}",
        f"stored  {message}",
        f"files in which the secret is found: {len(found)} of {len(files)}",
    ]
    ok = not found and receipt.redactions == 1
    return Step("A secret is recorded", lines, ok, {"secret_found_in": found})


def _tamper(folder: Path, place: Place) -> Step:
    """Forge one entry in a copy; the ledger itself is left alone."""
    copy = folder / "copy.db"
    backup = back_up(place, copy)
    seq = backup.entries // 2
    forge(copy, seq)
    forged = verify_place(Place(copy))
    original = verify_place(place)
    lines = [
        f"a verified copy of {backup.entries} entries was made; in it entry {seq} was changed by"
        " one byte",
        *(f"verify says: {_place(fault)}: {fault.detail}" for fault in forged.faults),
        f"the ledger itself: {'ok' if original.ok else 'NOT ok'}",
    ]
    facts = {"tampered": seq, "named": sorted({f.seq for f in forged.faults if f.seq is not None})}
    ok = backup.verified and original.ok and _named(forged, seq)
    return Step("A copy is tampered with", lines, ok, facts)


def _place(fault: Fault) -> str:
    return "the ledger" if fault.seq is None else f"entry {fault.seq}"


def _named(report: Report, seq: int) -> bool:
    return any(fault.seq == seq for fault in report.faults)
