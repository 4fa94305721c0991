"""`holdfast metrics`."""

from __future__ import annotations

import time

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.ledger.metrics import BELOW, Measure, Subject, drafts, measure
from holdfast.storage.archives import ArchiveFolder
from holdfast.wiring.looking import open_reader


@make_command(example="holdfast metrics\nholdfast metrics --record --json")
@click.option("--record", is_flag=True, help="Append what was measured as metric entries.")
@json_option
@click.pass_obj
def command(invocation: Invocation, record: bool, as_json: bool) -> int:
    """Measure restore time, integrity, compression, loss, and what clears come to.

    Every entry and every archive of the ledger is read. What there is nothing to measure of yet
    has no value, and neither passes nor fails.
    """
    measures = _measured(invocation)
    recorded = _record(invocation, measures) if record else 0
    if as_json:
        print_json({one.name: _answer(one) for one in measures})
    else:
        for one in measures:
            _tell(one)
    if record:
        talk(f"Recorded {recorded} metric entries.")
    return NO if any(one.passed is False for one in measures) else DONE


def _measured(invocation: Invocation) -> list[Measure]:
    place = invocation.place()
    with invocation.reader() as reader, progress("Reading all entries") as advance:
        subject = Subject(
            fresh=lambda: open_reader(place.database, inspect=True),
            reader=reader,
            check=ArchiveFolder(str(place.archives)).check,
            timer=time.perf_counter,
        )
        return [*measure(subject, progress=advance), *_targets(invocation)]


def _targets(invocation: Invocation) -> list[Measure]:
    """Measure what clearing comes to; a ledger that cannot be opened is told by the others."""
    from holdfast.kernel.errors import HoldfastError
    from holdfast.wiring.targets import TARGETS, could_not_look, targets

    try:
        with invocation.project(publish=False) as project:
            return targets(project)
    except HoldfastError as problem:
        return [could_not_look(name, problem) for name in TARGETS]


def _record(invocation: Invocation, measures: list[Measure]) -> int:
    with invocation.recorder("holdfast", "metrics", None) as project:
        return len(project.ledger.append_many(drafts(measures)))


def _answer(one: Measure) -> dict[str, float | bool | None]:
    return {"value": one.value, "target": one.target, "passed": one.passed}


def _tell(one: Measure) -> None:
    marks = {True: ("ok  ", "green"), False: ("FAIL", "bold red"), None: ("-   ", "")}
    mark, style = marks[one.passed]
    value = "not measured" if one.value is None else f"{one.value:,.6g}"
    bound = "<" if one.name in BELOW else "≥"
    target = f"{bound} {one.target:g}"
    say(f"{mark}  {one.name:<23} {value:>12}  {target:<7} {visible(one.detail)}", style)
