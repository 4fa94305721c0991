"""`holdfast doctor`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, visible
from holdfast.kernel.errors import NotALedger
from holdfast.wiring.checks import Check
from holdfast.wiring.doctor import examine
from holdfast.wiring.places import Place


@make_command(example="holdfast doctor\nholdfast doctor --json")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> int:
    """Look at everything a ledger rests on, and say what is wrong. Nothing is changed."""
    checks = examine(_place(invocation))
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            _tell(check)
    return DONE if all(check.ok for check in checks) else NO


def _place(invocation: Invocation) -> Place | NotALedger:
    try:
        return invocation.place()
    except NotALedger as problem:
        return problem


def _tell(check: Check) -> None:
    mark, style = ("ok  ", "green") if check.ok else ("FAIL", "bold red")
    say(f"{mark}  {check.name:<16} {visible(check.detail)}", "" if check.ok else style)
    if check.remedy:
        say(f"{'':<23}{visible(check.remedy)}")
