"""`holdfast status`."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import Final

import click

from holdfast.agents.heartbeat import Heard
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, visible
from holdfast.cli.parts import link, say_parts
from holdfast.cli.team_rows import team_rows
from holdfast.kernel.limits import HEARTBEAT_QUIET_S, KIB, MIB
from holdfast.ledger.sources import system_clock
from holdfast.wiring.pausing import Paused
from holdfast.wiring.status import LastEntry, LastSave, Sizes, Status, age_s, look, spell_age


@make_command(example="holdfast status\nholdfast status --json\nholdfast status --watch")
@click.option("--watch", is_flag=True, help="Show the attention budget and the gate, live.")
@click.option(
    "--for",
    "for_s",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Watch so long [else until it is interrupted].",
)
@json_option
@click.pass_obj
def command(invocation: Invocation, watch: bool, for_s: float | None, as_json: bool) -> None:
    """Say what the ledger holds, how large it is, and when the last entry came.

    Of every agent that has hooks it is said when it was last heard of.

    With --watch: how full the context is, the last checkpoint and what would block a clear, drawn
    again whenever something is recorded. Where there is no terminal it is shown once.
    """
    if watch:
        _watch(invocation, for_s, as_json=as_json)
        return
    if for_s is not None:
        raise click.UsageError("--for goes with --watch.")
    status = look(invocation.place())
    if as_json:
        print_json(status)
        return
    for name, value in _rows(status):
        style = _LOUD.get(name, "")
        said = (visible(value), _style(name, status) or style)
        say_parts((f"{name:<9} ", style or "dim"), said, hang=10)


_LOUD: Final = {"PAUSED": "bold yellow", "QUIET": "bold yellow", "damaged": "bold red"}
"""Rows that somebody should look into."""


def _style(name: str, status: Status) -> str:
    match name:
        case "database":
            return link(Path(status.path).absolute())
        case "entries" | "open":
            return "bold"
        case "head" | "root" | "ledger":
            return "dim"
        case "last":
            return "green" if status.last_entry is not None else ""
        case _:
            return ""


def _watch(invocation: Invocation, for_s: float | None, *, as_json: bool) -> None:
    """Show the gauge: once as JSON or where nothing can be drawn over, else until it ends."""
    from holdfast.cli import gauge
    from holdfast.wiring.gauging import gauges

    with invocation.project(publish=False) as project:
        found = gauges(project)
        if as_json:
            print_json(next(found))
        elif not sys.stdout.isatty():
            for line in gauge.frame(next(found)):
                say(line)
        else:
            with contextlib.suppress(KeyboardInterrupt):
                gauge.watch(
                    (gauge.frame(one) for one in found),
                    clock_s=time.monotonic,
                    pause=time.sleep,
                    for_s=for_s,
                )


def _rows(status: Status) -> list[tuple[str, str]]:
    rows = [
        ("ledger", status.ledger),
        ("database", status.path),
        ("entries", _entries(status)),
        ("last", _last(status.last_entry)),
        ("size", _size(status.bytes)),
        ("head", status.head),
        ("root", status.root),
    ]
    if status.sessions_open:
        rows.append(("open", ", ".join(status.sessions_open)))
        rows += _quiet(status.last_entry)
    if status.save is not None:
        rows.append(("save", _save(status.save)))
    rows += [("agent", _agent(name, one)) for name, one in status.agents.items()]
    rows += [("PAUSED", _paused(one)) for one in status.paused]
    rows += team_rows(status)
    rows += [("damaged", f"{name} among the saves is none") for name in status.saves_damaged]
    return rows


def _quiet(last: LastEntry | None) -> list[tuple[str, str]]:
    """Say so when a session is open and nothing comes: a hook that is dead does not."""
    age = None if last is None or last.timestamp is None else age_s(last.timestamp, system_clock())
    if age is None or age < HEARTBEAT_QUIET_S:
        return []
    return [
        ("QUIET", f"nothing came for {spell_age(age)}; `holdfast doctor` says if hooks are dead")
    ]


def _agent(name: str, heard: Heard) -> str:
    """Say when a hook was last heard of: one that is dead tells nothing by itself."""
    age = "" if heard.last_us is None else spell_age((system_clock() - heard.last_us) / 1_000_000)
    return f"{name}, last heard of {age} ago ({heard.last_event})"


def _paused(one: Paused) -> str:
    whose = "everything" if one.session is None else f"session {one.session}"
    return f"{whose}; {one.unrecorded:,} events were not recorded (`holdfast pause --off`)"


def _save(save: LastSave) -> str:
    """Say which save is the newest; one of a longer ledger is not of this one as it is."""
    if save.since < 0:
        since = f"which has {-save.since:,} entries more than this ledger"
    else:
        since = f"{save.since:,} {'entry' if save.since == 1 else 'entries'} since"
    return f"{save.snapshot_id} ({save.save_type.lower()}), up to entry {save.seq}, {since}"


def _entries(status: Status) -> str:
    if not status.archived:
        return f"{status.entries:,}"
    return f"{status.entries:,}, {status.active:,} active and {status.archived:,} archived"


def _last(last: LastEntry | None) -> str:
    if last is None:
        return "nothing was recorded yet"
    if last.type is None or last.timestamp is None:
        return f"entry {last.seq} is damaged; run `holdfast verify`"
    age = age_s(last.timestamp, system_clock())
    ago = "" if age is None else f", {spell_age(age)} ago"
    return f"{last.type} (entry {last.seq}){ago}, {last.timestamp}"


def _size(sizes: Sizes) -> str:
    parts = [_bytes(sizes.database)]
    parts += [f"{_bytes(sizes.wal)} in the log"] if sizes.wal else []
    parts += [f"{_bytes(sizes.archives)} in archives"] if sizes.archives else []
    return ", ".join(parts)


def _bytes(count: int) -> str:
    if count < MIB:
        return f"{count / KIB:,.0f} KiB"
    return f"{count / MIB:,.1f} MiB"
