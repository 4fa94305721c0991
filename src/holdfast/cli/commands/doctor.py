"""`holdfast doctor`."""

from __future__ import annotations

from typing import Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, visible
from holdfast.cli.parts import say_parts
from holdfast.kernel.errors import NotALedger
from holdfast.wiring.checks import Check
from holdfast.wiring.doctor import examine
from holdfast.wiring.places import Place

_COLUMN: Final = 23
"""Where what is told of a check begins."""


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
    detail = (visible(check.detail), "" if check.ok else style)
    say_parts((f"{mark}  ", style), (f"{check.name:<16} ", ""), detail, hang=_COLUMN)
    if check.remedy:
        say_parts((f"{'':<{_COLUMN}}", ""), (visible(check.remedy), "bold"), hang=_COLUMN)
