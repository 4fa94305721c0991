"""Saving, booting, resuming, compacting cannot write an entry: they have nothing to do it with."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.ledger.base import Base
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.history import diff, fold_at
from holdfast.ledger.resuming import resume
from holdfast.ledger.saving import take_save
from holdfast.storage.memory import MemoryEngine
from holdfast.testing.builders import LEDGER, open_memory_ledger
from holdfast.views.compactions import CompactionRegistry
from tests.ledger.saved import PINS, STORY, tell

pytestmark = pytest.mark.req("O8")

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"

ONLY_LOOKING = (
    "ledger.base",
    "ledger.booting",
    "ledger.boundary",
    "ledger.event_log",
    "ledger.history",
    "ledger.log_proof",
    "ledger.pin_check",
    "ledger.replay",
    "ledger.resuming",
    "ledger.saving",
    *(f"views.{path.stem}" for path in sorted((PACKAGE / "views").glob("[!_]*.py"))),
)

WRITING_MODULES = ("holdfast.ledger.ledger", "holdfast.storage.sqlite", "holdfast.storage.memory")
WRITING_NAMES = ("Appender", "Engine", "Batch", "Erased")


@pytest.mark.parametrize("module", ONLY_LOOKING)
def test_no_import_leads_to_anything_that_writes(module: str) -> None:
    reached = closure(f"holdfast.{module}")
    assert f"holdfast.{module}" in reached
    assert [name for name in reached if name.startswith(WRITING_MODULES)] == []
    assert {
        (name, imported)
        for name in reached
        for imported in names_in(name)
        if imported in WRITING_NAMES
    } == set()


def test_the_search_finds_what_writes() -> None:
    """The other way round: it is not blind."""
    assert "holdfast.ledger.ledger" in closure("holdfast.ledger.sealing")
    assert "holdfast.storage.sqlite.engine" in closure("holdfast.wiring.looking")
    assert {"Batch", "Engine"} <= set(names_in("holdfast.ledger.ledger"))


def test_nothing_that_writes_is_loaded_with_them() -> None:
    code = (
        f"import sys\nfor name in {ONLY_LOOKING!r}: __import__('holdfast.' + name)\n"
        f"print([name for name in sys.modules if name.startswith({WRITING_MODULES!r})])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


class Spy(MemoryEngine):
    """An engine that is full of entries and does not take another."""

    watching = False

    def queue(self) -> Any:
        return self._refuse("queue", super().queue)

    def append(self, batch: Any, *, expected_head: Head) -> None:
        self._refuse("append", lambda: super(Spy, self).append(batch, expected_head=expected_head))

    def drop(self, leaving: Any, note: Any, *, expected_head: Head) -> None:
        self._refuse("drop", lambda: None)

    def _refuse(self, verb: str, act: Any) -> Any:
        if self.watching:
            raise AssertionError(f"somebody called {verb}")
        return act()


class Material:
    """What compactions are made from."""

    def __init__(self, reader: Any, booted: Any) -> None:
        self._reader, self._booted = reader, booted

    def inputs(self, handles: Sequence[str]) -> dict[str, Any]:
        read = [entries.read(stored.body) for stored in self._reader.read()]
        found: dict[str, Any] = {entry.id: entry for entry in read}
        found |= {f"store:{name}": items for name, items in self._booted.fold.items().items()}
        found["working_set"] = self._booted.working_set
        return {handle: found[handle] for handle in handles if handle in found}


def test_nothing_is_written_whatever_is_saved_booted_resumed_or_rebuilt() -> None:
    engine = Spy(LEDGER)
    tell(open_memory_ledger(engine))
    before = [(stored.seq, stored.body, stored.leaf) for stored in engine.read()]
    engine.watching = True
    middle = fold_at(engine, 8)
    base = Base(take_save(engine, middle, "SESSION", pins=PINS), middle.items())
    save = take_save(engine, fold_at(engine, len(STORY)), "CAMPAIGN", pins=PINS)
    for start in (None, base):
        booted = cold_boot(save, engine, pins=PINS, base=start)
        resume(booted)
        assert diff(middle, booted.fold).stores
        registry = CompactionRegistry(Material(engine, booted))
        for compaction in booted.compactions:
            registry.add(compaction)
        assert registry.verify() == ()
        assert len(registry.invalidate(["store:decisions", "working_set"])) == 2
        registry.rebuild()
    assert [(stored.seq, stored.body, stored.leaf) for stored in engine.read()] == before


def test_the_spy_refuses() -> None:
    engine = Spy(LEDGER)
    ledger = open_memory_ledger(engine)
    engine.watching = True
    with pytest.raises(AssertionError, match="queue"):
        tell(ledger, 1)


def closure(module: str) -> set[str]:
    """Return every module of ours that an import of this one leads to, type checking included."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or path_of(name) is None:
            continue
        found.add(name)
        waiting += imports_of(name)
    return found


def path_of(module: str) -> Path | None:
    base = PACKAGE.parent.joinpath(*module.split("."))
    return next(
        (path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()), None
    )


def imports_of(module: str) -> Iterator[str]:
    yield from (module.rsplit(".", 1)[0],) if "." in module else ()
    for node in walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def names_in(module: str) -> Iterator[str]:
    for node in walk(module):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def walk(module: str) -> Iterator[ast.AST]:
    path = path_of(module)
    if path is None or module == "holdfast":  # its names are loaded when somebody asks for them
        return iter(())
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))
