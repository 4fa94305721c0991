"""The demo's forgery: one bit of one entry is turned over, in a copy, and `verify` names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.storage.sqlite.queries import named_statements


def tamper(project: Path) -> Step:
    """Flip a bit in a copy; the ledger itself is left alone."""
    terminal, copy = Terminal(project), project / "copy.db"
    terminal("backup", copy.name)
    seq: int = terminal.quietly("log", "-n", "2")[0]["seq"]
    before, after = flip(copy, seq)
    terminal.lines.append(f"in the copy, one bit of entry {seq} is turned over: {before} → {after}")
    terminal.refused("--ledger", copy.name, "verify")
    [report] = terminal.quietly("--ledger", copy.name, "verify", code=1)
    terminal("verify")
    named = sorted({fault["seq"] for fault in report["faults"] if fault["seq"] is not None})
    return Step(
        "One bit is flipped in a copy, and named",
        "Every entry is sealed to the one before it. Whoever changes one has to be quiet about"
        " it, and cannot.",
        terminal.lines,
        terminal.ok and seq in named,
        {"tampered": seq, "named": named},
    )


def flip(database: Path, seq: int) -> tuple[str, str]:
    """Do what a forger would: take the guard down, flip a bit of an entry's data, put it back."""
    text = (Path(__file__).parent / "tamper.sql").read_text(encoding="utf-8")
    sql = dict(named_statements(text))
    connection = apsw.Connection(str(database))
    try:
        guard: Any = connection.execute(sql["guard"]).get
        run: Any = connection.execute(sql["run"], (seq,)).get
        first, lines = run[0], run[1].split(b"\n")
        line = bytearray(lines[seq - first])
        at = _letter(line)
        before = chr(line[at])
        line[at] ^= 1
        lines[seq - first] = bytes(line)
        with connection:
            connection.execute(sql["drop_guard"])
            connection.execute(sql["forge"], (b"\n".join(lines), first))
            connection.execute(guard)
        return before, chr(line[at])
    finally:
        connection.close()


def _letter(line: bytes | bytearray) -> int:
    """Return where, in the data, a letter stands that is another one with its last bit flipped."""
    start = line.index(b'"data":') + len(b'"data":{"')
    return next(
        at for at in range(start, len(line)) if chr(line[at]).islower() and line[at] not in b"`az"
    )
