"""Verifying a ledger in any condition: one that cannot be opened has a fault, not an error."""

from __future__ import annotations

from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.ledger.verify import CheckArchive, Progress, Report, no_progress, verify
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Fault
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import Place
from holdfast.wiring.salvage import Salvager
from holdfast.wiring.workers import checks_side_by_side


def verify_place(
    place: Place,
    *,
    expected: tuple[int, str] | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Prove the ledger at a place, with every core when it is long."""
    try:
        reader = open_reader(place.database)
        try:
            checks = checks_side_by_side(place.database)
            return verify(
                reader,
                expected=expected,
                checks=checks,
                check_archive=archive_check(place),
                progress=progress,
            )
        finally:
            reader.close()
    except Damaged as problem:
        return _verify_damaged(place, problem, expected)


def archive_check(place: Place) -> CheckArchive:
    """Return what compares the archive files of a place with how they are listed."""
    return ArchiveFolder(str(place.archives)).check


def _verify_damaged(place: Place, problem: Damaged, expected: tuple[int, str] | None) -> Report:
    """Look as far as possible into a ledger that cannot be read, or not be written, as a whole."""
    try:
        salvager = Salvager(place.database)
        try:
            report = verify(salvager, expected=expected, check_archive=archive_check(place))
        finally:
            salvager.close()
    except HoldfastError:
        return _unreadable(problem)
    return _unreadable(problem) if report.ok else report


def _unreadable(problem: Damaged) -> Report:
    fault = Fault(None, "database", problem.what)
    return Report(ok=False, entries=0, head="", root="", faults=[fault])
