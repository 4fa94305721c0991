"""Looking at what a power cut left: is everything there that was promised, and nothing else?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.verify import verify
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Selection
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.prove.material import (
    LEDGER_ID,
    archives_of,
    engine_at,
    ledger_on,
    sealer_of,
)
from holdfast.testing.prove.scenario import DATABASE, NO_LEDGER, Scenario

BreachKind: TypeAlias = Literal["lost", "torn", "corrupt", "duplicated", "stuck"]

AFTERWARDS: Final = Draft(
    "decision",
    {"question": "q", "choice": "go on", "reasoning": "r", "alternatives": []},
    id="afterwards",
)


class Breach(msgspec.Struct, frozen=True):
    """A promise that did not hold."""

    kind: BreachKind
    detail: str


class Broken(Exception):
    """Ends a check at the first breach."""

    def __init__(self, kind: BreachKind, detail: str) -> None:
        super().__init__(detail)
        self.breach = Breach(kind, detail)


def check(folder: str, scenario: Scenario, steps: int, *, thorough: bool = True) -> Breach | None:
    """Check a folder that was cut off when `steps` steps were acknowledged.

    `thorough` also appends a further entry, as is done wherever the retry had nothing to append,
    and verifies what came of it.
    """
    try:
        _check_contents(folder, scenario, steps)
        if scenario.bodies:
            _check_ledger(folder, scenario, steps, thorough=thorough)
    except Broken as broken:
        return broken.breach
    return None


def _check_contents(folder: str, scenario: Scenario, steps: int) -> None:
    for name, contents in scenario.contents.items():
        found = _read_or_none(os.path.join(folder, name))  # noqa: PTH118
        if found not in contents[steps : steps + 2]:
            kind: BreachKind = "lost" if found in contents else "torn"
            raise Broken(kind, f"{name} is neither as it was nor as it was to be")


def _check_ledger(folder: str, scenario: Scenario, steps: int, *, thorough: bool) -> None:
    path = os.path.join(folder, DATABASE)  # noqa: PTH118
    if scenario.ends[steps] == NO_LEDGER:
        _make_again(path)
    with _corrupt_when_refused("it does not open"):
        engine = engine_at(path)
    try:
        ledger = ledger_on(engine)
        with _corrupt_when_refused("it cannot be read"):
            size = _check_entries(engine, scenario, steps)
            _check_proofs(engine, path, size)
        retried = _check_retry(ledger, scenario, steps, size)
        if steps in scenario.seals:
            _check_sealed_again(engine, path, scenario, steps)
        if thorough or not retried:
            _check_afterwards(ledger)
        if thorough:
            _check_proofs(engine, path, ledger.head().size)
    finally:
        engine.close()


def _make_again(path: str) -> None:
    """Do what `init` does: make a ledger unless there is one."""
    with _corrupt_when_refused("it cannot be made again"):
        if not (os.path.exists(path) and is_ledger(path)):  # noqa: PTH110
            create(path, LEDGER_ID)


def _check_entries(engine: SqliteEngine, scenario: Scenario, steps: int) -> int:
    """Check that the entries are those of the acknowledged steps, and perhaps of the next."""
    found = [stored.body for stored in engine.read()]
    size = len(found)
    acknowledged = max(scenario.ends[steps], 0)
    if found[:acknowledged] != scenario.bodies[:acknowledged]:
        raise Broken("lost", f"{acknowledged} entries were acknowledged, {size} are there")
    if found != scenario.bodies[:size]:
        raise Broken("corrupt", "there are entries that nobody appended")
    if size not in {max(end, 0) for end in scenario.ends[steps : steps + 2]}:
        raise Broken("torn", f"{size} entries are there: part of a batch")
    if engine.head().size != size:
        raise Broken("corrupt", f"the head says {engine.head().size} entries, {size} are there")
    return size


def _check_proofs(engine: SqliteEngine, path: str, size: int) -> None:
    with _corrupt_when_refused("it cannot be verified"):
        report = verify(engine, check_archive=ArchiveFolder(archives_of(path)).check)
    if not report.ok or report.entries != size:
        raise Broken("corrupt", f"verify: {report.faults[:3]}")


def _check_sealed_again(engine: SqliteEngine, path: str, scenario: Scenario, steps: int) -> None:
    """Check that a seal that was cut off can be repeated, and that all entries are there then."""
    with _stuck_when_refused():
        sealer_of(ledger_on(engine), path, scenario.seals[steps]).seal()
    found = [stored.body for stored in engine.read()]
    if found != scenario.bodies[: scenario.ends[steps + 1]]:
        raise Broken("corrupt", f"after a repeated seal {len(found)} entries are there, or others")
    _check_proofs(engine, path, len(found))


def _check_retry(ledger: Ledger, scenario: Scenario, steps: int, size: int) -> bool:
    """Check that the step that was cut off can be repeated, and then is there once.

    Return whether that appended anything.
    """
    if steps >= len(scenario.batches) or steps in scenario.seals:
        return False
    end = scenario.ends[steps + 1]
    with _stuck_when_refused():
        ledger.append_many(scenario.batches[steps])
    found = [stored.body for stored in ledger.lines(Selection(first=size))]
    if found != scenario.bodies[size:end]:
        raise Broken("duplicated", f"after a retry there are {size + len(found)} entries")
    return size < end


def _check_afterwards(ledger: Ledger) -> None:
    size = ledger.head().size
    with _stuck_when_refused():
        receipt = ledger.append_many([AFTERWARDS])[0]
    if receipt.seq != size or ledger.get(AFTERWARDS.id or "").seq != size:
        raise Broken("stuck", "the next entry is not where it belongs")


@contextmanager
def _corrupt_when_refused(what: str) -> Iterator[None]:
    try:
        yield
    except Broken:
        raise
    except Exception as error:
        raise Broken("corrupt", f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def _stuck_when_refused() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise Broken("stuck", f"it cannot be written: {type(error).__name__}: {error}") from error


def _read_or_none(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:
        return None
