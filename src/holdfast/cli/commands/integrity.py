"""`holdfast integrity`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.evidence.integrity import IntegrityReport


@make_command(
    example="""
    holdfast integrity
    holdfast integrity --json
    holdfast integrity --pin
    """
)
@click.option(
    "--all", "everything", is_flag=True, help="Verify what others list in the same file, too."
)
@click.option("--pin", is_flag=True, help="Pin the version and the digest of `ck` as they are.")
@json_option
@click.pass_obj
def command(invocation: Invocation, everything: bool, pin: bool, as_json: bool) -> int:
    """Verify the files installed for agents by their checksums, and `ck` by its pins.

    Exit code 1 when something drifted or could not be looked at, whatever the settings say. With
    integrity.enforcement = "strict" no session begins then; "warn", the default, tells; "disabled"
    does not look.
    """
    from holdfast import config
    from holdfast.wiring.integrity import inspect, pin_programs

    place = invocation.place()
    enforcement = config.load(place.settings).settings.integrity.enforcement
    if pin:
        pinned = pin_programs(place)
        talk(visible(f"Pinned: ck {pinned['version']}, {pinned['sha256']}."))
    report = inspect(place, enforcement, everything=everything)
    if as_json:
        print_json(
            {
                "ok": report.ok,
                "enforcement": report.enforcement,
                "installed": report.installed,
                "findings": [msgspec.to_builtins(one) for one in report.findings],
                "unverified": report.unverified,
            }
        )
    else:
        tell(report)
    return DONE if report.ok else NO


def refused(report: IntegrityReport, *, as_json: bool) -> bool:
    """Tell what drifted before work begins; return whether it must not begin."""
    if report.halts:
        talk("The files installed for agents are not what they should be, and", "bold red")
        talk("integrity.enforcement is strict: nothing was recorded.", "bold red")
    elif not report.ok:
        talk("The files installed for agents are not what they should be:", "bold yellow")
    for one in report.faults:
        talk(visible(f"  {one.subject}: {one.detail}. {one.remedy}".rstrip()))
    if report.halts and as_json:
        faults = [msgspec.to_builtins(one) for one in report.faults]
        print_json({"ok": False, "integrity": faults})
    return report.halts


def tell(report: IntegrityReport) -> None:
    """Print what was found, what did not pass with its remedy."""
    good = [one for one in report.findings if one.answer == "ok"]
    if report.installed is None and not report.findings:
        say("Nothing is installed here; there is nothing to verify.")
    for one in report.findings:
        if one.answer == "ok":
            continue
        word = {"note": "note", "drift": "drift", "could_not_look": "could not look"}[one.answer]
        say(visible(f"{word}: {one.subject}: {one.detail}"))
        if one.remedy:
            say(visible(f"  {one.remedy}"))
    if good:
        say(f"{len(good)} as they should be.")
    if report.unverified:
        say(f"{report.unverified:,} listed by others were not verified; --all verifies them.")
    if report.enforcement == "disabled":
        talk("integrity.enforcement is disabled: no session looks at this when it begins.")
