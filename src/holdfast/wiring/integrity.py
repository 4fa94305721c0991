"""Integrity of a project's installed files, before work begins and before a clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.errors import Damaged, InvalidInput

if TYPE_CHECKING:
    from holdfast.evidence.installing import Installation
    from holdfast.evidence.integrity import IntegrityReport
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project


def installation_of(place: Place) -> Installation:
    """Return the installed files of the project that a ledger belongs to."""
    from holdfast.evidence.installing import Installation

    if place.project is None:
        raise InvalidInput(
            f"{place.database} stands alone: it belongs to no project.",
            meaning="Nothing was installed, and nothing was looked at.",
            remedy="Make a ledger in the project's folder with `holdfast init`.",
        )
    return Installation(place.project, place.folder, place.overrides)


def inspect(place: Place, enforcement: str, *, everything: bool = False) -> IntegrityReport:
    """Verify what is installed, whatever the settings say should follow from it."""
    from holdfast.evidence.integrity import IntegrityReport, verify_installed

    if place.project is None:
        return IntegrityReport(enforcement, None, ())
    return verify_installed(
        installation_of(place), place.overrides, enforcement=enforcement, everything=everything
    )


def pin_programs(place: Place) -> dict[str, str]:
    """Remember the version and the digest of `ck` as they are now."""
    import msgspec

    from holdfast.evidence.pinned import pins_of

    installation = installation_of(place)
    pins = pins_of(installation.root)
    installation.remember(msgspec.structs.replace(installation.local(), ck=pins))
    return pins


def check_integrity(project: Project) -> IntegrityReport:
    """Verify as the settings say; nothing is looked at when they say `disabled`."""
    from holdfast.evidence.integrity import IntegrityReport

    enforcement = project.settings.integrity.enforcement
    if enforcement == "disabled":
        return IntegrityReport(enforcement, None, ())
    return inspect(project.place, enforcement)


def require_integrity(project: Project) -> IntegrityReport:
    """Refuse to go on when the settings are strict and something drifted or could not be read."""
    report = check_integrity(project)
    if report.halts:
        raise halted(report)
    return report


def halted(report: IntegrityReport) -> Damaged:
    """Return the refusal of work on files that drifted."""
    named = "; ".join(f"{one.subject}: {one.detail}" for one in report.faults[:3])
    more = len(report.faults) - 3
    first = report.faults[0]
    return Damaged(
        f"The files installed for agents are not what they should be: {named}"
        + (f"; and {more} more." if more > 0 else "."),
        meaning="integrity.enforcement is strict, so work does not begin. Nothing was recorded.",
        remedy=f"`holdfast integrity` lists everything. {first.remedy}",
    )
