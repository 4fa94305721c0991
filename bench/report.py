"""Where results go: `bench/results.json`, and `docs/performance.md` written from it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import apsw
import msgspec

from bench.harness import Figure, Result, Row, Spread

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "bench/results.json"
PAGE: Final = ROOT / "docs/performance.md"


class Setting(msgspec.Struct, frozen=True):
    """Where and when something was measured; nothing that names the machine."""

    machine: str
    peers: str
    day: str

    def __str__(self) -> str:
        return f"{self.day}: {self.machine}; {self.peers}"


class Published(msgspec.Struct, frozen=True):
    """A result and its setting."""

    setting: Setting
    result: Result


def publish(result: Result, order: Sequence[str]) -> None:
    """Put a result in place of an older one of the same benchmark and write both files."""
    kept = {published.result.name: published for published in _read()}
    kept[result.name] = Published(_setting(), result)
    listed = [kept[name] for name in order if name in kept]
    encoded = msgspec.json.format(msgspec.json.encode(listed), indent=1)
    RESULTS.write_bytes(encoded + b"\n")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(_page(listed)) + "\n", encoding="utf-8")


def summary(result: Result) -> Iterator[str]:
    """Yield the lines that are shown when a benchmark is done."""
    yield f"{result.title} ({result.name})"
    if result.not_measured:
        yield f"  not measured: {result.not_measured}"
    if not result.is_sound():
        yield "  OTHER WORK KEPT THE CORES BUSY: not to be believed, not published"
    for figure in result.figures:
        demand = _demand(figure)
        verdict = {True: "  holds", False: "  MISSED", None: ""}[figure.holds()]
        yield f"  {figure.what:58} {_shown(figure.spread, figure.unit):34} {demand}{verdict}"
    for row in result.rows:
        yield f"    {row.subject:24} {row.measure:30} {_shown(row.spread, row.unit)}"


def _read() -> list[Published]:
    if not RESULTS.exists():
        return []
    return msgspec.json.decode(RESULTS.read_bytes(), type=list[Published])


def _setting() -> Setting:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    import sqlite3  # the peers' one; only its version is asked for

    return Setting(
        f"{cores} shared cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()} (apsw)",
        f"eventsourcing {version('eventsourcing')} and langgraph-checkpoint-sqlite "
        f"{version('langgraph-checkpoint-sqlite')} on SQLite {sqlite3.sqlite_version}",
        datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _page(listed: Sequence[Published]) -> Iterator[str]:
    yield "# Performance"
    yield ""
    yield "Written by `make bench` from `bench/results.json`; changes made here are lost."
    yield ""
    yield from _method()
    yield "## Demanded and measured"
    yield ""
    yield "| | demanded | measured: median (least..most) | holds |"
    yield "|---|---|---|---|"
    for published in listed:
        for figure in published.result.figures:
            if (holds := figure.holds()) is not None:
                what = f"{published.result.title}: {figure.what}"
                measured = _shown(figure.spread, figure.unit)
                verdict = "yes" if holds else "**no**"
                yield f"| {what} | {_demand(figure)} | {measured} | {verdict} |"
    for published in listed:
        yield ""
        yield from _section(published)


def _method() -> Iterator[str]:
    yield (
        "Ratios, because they carry over to other machines; the absolute numbers do not. "
        "What is compared takes turns within one run (A, B, C, A, B, C, …), a ratio is taken "
        "within a turn, and the figure is the median of those ratios with the least and the most. "
        "The cores are shared with other work: differences below 1.25 × are noise, and a run in "
        "which a busy loop did not get nearly all of a core is not published. "
        "Where a demand is for every round, the worst round decides."
    )
    yield ""
    yield (
        "Entries are decisions, file changes and errors of about 600 bytes as stored. "
        "“Durable” means that the entry is synced to disk before the call returns "
        "(WAL, `synchronous=FULL`); nothing here is measured with less."
    )
    yield ""


def _section(published: Published) -> Iterator[str]:
    result = published.result
    yield f"## {result.title}"
    yield ""
    yield " ".join(result.method.split("\n")).replace("  ", "\n\n").strip()
    yield ""
    if result.not_measured:
        yield f"Not measured: {result.not_measured}."
        return
    yield from _figures(result.figures)
    yield ""
    yield from _rows(result.rows)
    yield ""
    for note in result.notes:
        yield f"{note}\n"
    if result.core_share is not None:
        least, most = result.core_share.least, result.core_share.most
        yield f"Between rounds a busy loop got {least:.0%} to {most:.0%} of a core.\n"
    yield f"{result.rounds} rounds. {published.setting}."


def _figures(figures: Sequence[Figure]) -> Iterator[str]:
    yield "| | demanded | measured |"
    yield "|---|---|---|"
    for figure in figures:
        yield f"| {figure.what} | {_demand(figure)} | {_shown(figure.spread, figure.unit)} |"


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    yield "| | | |"
    yield "|---|---|---|"
    for row in rows:
        yield f"| {row.subject} | {row.measure} | {_shown(row.spread, row.unit)} |"


def _demand(figure: Figure) -> str:
    said = []
    for sign, bound in (("≥", figure.at_least), ("≤", figure.at_most)):
        if bound is not None:
            said.append(f"{sign} {_number(bound)} {figure.unit}".strip())
    if figure.aim:
        said.append(f"aim {figure.aim}")
    if figure.every_round:
        said.append("every round")
    return ", ".join(said)


def _shown(spread: Spread, unit: str) -> str:
    least, most = _number(spread.least), _number(spread.most)
    return f"{_number(spread.median)} {unit}".strip() + f" ({least}..{most})"


def _number(value: float) -> str:
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
