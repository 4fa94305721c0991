"""`holdfast status`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, visible
from holdfast.kernel.limits import KIB, MIB
from holdfast.ledger.sources import system_clock
from holdfast.wiring.status import LastEntry, LastSave, Sizes, Status, age_s, look, spell_age


@make_command(example="holdfast status\nholdfast status --json")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:
    """Say what the ledger holds, how large it is, and when the last entry came."""
    status = look(invocation.place())
    if as_json:
        print_json(status)
        return
    for name, value in _rows(status):
        say(f"{name:<9} {visible(value)}")


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
    if status.save is not None:
        rows.append(("save", _save(status.save)))
    rows += [("damaged", f"{name} among the saves is none") for name in status.saves_damaged]
    return rows


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
