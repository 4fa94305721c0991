"""What the proxy's doctor looks at on this machine. It reports, and never fixes.

The same state gives the same words: what changes by itself, such as the exact room on the disk, is
not told.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from typing import Final

from holdfast.code.languages import LANGUAGES
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import MIB
from holdfast.proxy.desk import DeskState
from holdfast.proxy.diagnostics import Finding
from holdfast.proxy.writing import WriterState
from holdfast.storage.sqlite.connection import FORMAT
from holdfast.storage.sqlite.inspection import inspect
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import Place

_VERIFY: Final = "Run `holdfast verify`, then restore a backup beside it."


class ProxyChecks:
    """All checks but that of the upstreams, which only the proxy can make."""

    def __init__(
        self, place: Place, writer: Callable[[], WriterState], desk: Callable[[], DeskState]
    ) -> None:
        self._place = place
        self._writer = writer
        self._desk = desk

    def __call__(self) -> list[Finding]:
        """Look at everything."""
        return [*self._database(), self._room(), _grammars(), *self._waiting(), self._added()]

    def _database(self) -> Iterator[Finding]:
        try:
            found = inspect(str(self._place.database))
            with closing(open_reader(self._place.database, inspect=True)) as reader:
                faults = list(reader.audit().structure())
        except HoldfastError as problem:
            yield Finding("SQLite integrity", False, str(problem), _VERIFY)
            return
        told = [f"{fault.kind}: {fault.detail}" for fault in faults]
        told += [found.newest_fault] if found.newest_fault else []
        yield _finding(
            "SQLite integrity",
            not told,
            "; ".join(told[:3]) or "its pages and guards are as they should be",
            _VERIFY,
        )
        yield _finding(
            "WAL mode",
            found.journal_mode == "wal",
            f"journal_mode is {found.journal_mode}",
            "Close every program that has it open, and start the proxy again.",
        )
        yield _finding(
            "migrations",
            found.format == FORMAT,
            f"format {found.format} of {FORMAT}",
            "The next entry brings it up to date.",
        )

    def _room(self) -> Finding:
        # All that a ledger's doctor looks at comes with it; the proxy keeps none of it at hand.
        from holdfast.wiring.doctor import FREE_BYTES_MIN

        least = f"{FREE_BYTES_MIN // MIB} MiB"
        try:
            free = shutil.disk_usage(self._place.folder).free
        except OSError as error:
            return Finding("disk space", False, f"it cannot be told: {error.strerror}")
        ok = free >= FREE_BYTES_MIN
        told = f"at least {least} are free" if ok else f"less than {least} are free"
        return _finding("disk space", ok, told, "Make room: on a full disk nothing is recorded.")

    def _waiting(self) -> Iterator[Finding]:
        state = self._writer()
        yield _finding(
            "ledger",
            state.problem is None,
            state.problem or "it can be written",
            f"Exchanges wait until it can be written again: {state.queued} do now.",
        )
        yield _finding(
            "recorded",
            not state.lost,
            f"{state.lost} requests or answers passed by unrecorded"
            + (f"; the last problem was: {state.last_error}" if state.last_error else ""),
            "They cannot be had back. Make sure that the ledger can be written.",
        )

    def _added(self) -> Finding:
        state = self._desk()
        told = (
            f"{state.unread} requests could not be read, {state.no_place} had no place for what "
            f"belonged behind them, {state.unsettled} went up before all was settled, "
            f"{state.long} were too long to be looked at first, in {state.words_cut} the words "
            "were too long to be searched in their middle"
        )
        return Finding("requests", True, told)


def _grammars() -> Finding:
    packages = sorted({language.package for language in LANGUAGES.values()})
    missing = [name for name in ("tree_sitter", *packages) if find_spec(name) is None]
    there = len(packages) - len([name for name in missing if name != "tree_sitter"])
    told = f"{there} of {len(packages)} grammars are installed"
    return _finding(
        "Tree-sitter grammars",
        not missing,
        f"{told}; missing: {', '.join(missing)}" if missing else told,
        "Install holdfast with its extra `code`.",
    )


def _finding(name: str, ok: bool, detail: str, remedy: str) -> Finding:
    return Finding(name, ok, detail, "" if ok else remedy)
