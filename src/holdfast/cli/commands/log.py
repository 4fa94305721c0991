"""`holdfast log`."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, say, talk, visible, width
from holdfast.cli.parts import colour_of, fit, say_parts
from holdfast.cli.summary import line, summarise
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.storage.port import Reader, Selection, Stored

SHOWN_DEFAULT: Final = 20
WIDE: Final = 100
"""Columns from which on there is room for a whole date."""

_number = click.IntRange(0, INTEGER_MAX - 1)
_amount = click.IntRange(1, INTEGER_MAX - 1)


@make_command(
    example="""
    holdfast log -n 5
    holdfast log --type decision --session s1
    holdfast log --from 100 --to 199 --json
    holdfast log --file src/main.py
    """
)
@click.option("--type", "type_name", metavar="T", help="Only entries of this type.")
@click.option("--session", metavar="S", help="Only entries of this session.")
@click.option("--file", metavar="PATH", help="Only changes of this file of the project.")
@click.option("--from", "first", type=_number, default=0, metavar="SEQ", help="From this number.")
@click.option("--to", "last", type=_number, metavar="SEQ", help="Up to this number, included.")
@click.option("-n", "count", type=_amount, metavar="N", help="The newest N [20; JSON: all].")
@click.option("--peer", metavar="ID", help="Entries of a peer, see `holdfast sync`.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    type_name: str | None,
    session: str | None,
    file: str | None,
    first: int,
    last: int | None,
    count: int | None,
    peer: str | None,
    as_json: bool,
) -> None:
    """List entries in the order they were recorded, the newest last.

    With --json each line is one entry, the exact bytes that are stored.
    """
    with invocation.peer(peer).reader() as whole:
        reader: Reader = whole
        if file is not None:
            from holdfast.cli.restored_file import only_of

            reader, type_name = only_of(whole, invocation.place(), file), "file_change"
        size = reader.head().size
        asked = Selection(
            first, size if last is None else min(last + 1, size), type=type_name, session_id=session
        )
        if as_json:
            for stored in _newest(reader, asked, count):
                print_bytes(stored.body)
            return
        shown = list(_newest(reader, asked, SHOWN_DEFAULT if count is None else count))
        for stored in shown:
            _show(stored)
        _tell_rest(reader, asked, shown, size)


def _newest(reader: Reader, asked: Selection, count: int | None) -> Iterator[Stored]:
    """Yield the newest `count` of what is asked for, in order; all of it when there is no count."""
    assert asked.stop is not None
    if _whole(asked):
        first = asked.first if count is None else max(asked.first, asked.stop - count)
        wanted = msgspec.structs.replace(asked, first=first)
        return _watched(reader.read(wanted), first, asked.stop)
    if count is None:
        return _watched(reader.read(asked), None, asked.stop)
    newest = reader.read(msgspec.structs.replace(asked, newest_first=True))
    kept: deque[Stored] = deque()
    kept.extendleft(islice(newest, count))
    return _watched(kept, None, asked.stop)


def _whole(asked: Selection) -> bool:
    """Tell whether every entry of a range is asked for, so that their numbers have no gaps."""
    return asked.type is asked.session_id is None


def _watched(chosen: Iterable[Stored], first: int | None, stop: int) -> Iterator[Stored]:
    """Pass entries on; say on stderr which are damaged and which are gone.

    `first` is where they must begin, None when numbers may be missing.
    """
    expected = first
    for stored in chosen:
        _tell_gap(expected, stored.seq)
        expected = None if first is None else stored.seq + 1
        if problem := _problem(stored):
            talk(f"Entry {stored.seq} is damaged: {visible(problem)} Run `holdfast verify`.")
        yield stored
    _tell_gap(expected, stop)


def _tell_gap(expected: int | None, found: int) -> None:
    """Say which entries should stand here and do not."""
    if expected is None or found <= expected:
        return
    if found == expected + 1:
        talk(f"Entry {expected} cannot be read; run `holdfast verify`.")
    else:
        talk(f"Entries {expected} to {found - 1} cannot be read; run `holdfast verify`.")


def _problem(stored: Stored) -> str:
    if leaf_hash(stored.body) != stored.leaf:
        return "its bytes are not those that were sealed."
    try:
        entries.read(stored.body)
    except Damaged as problem:
        return problem.what
    return ""


def _show(stored: Stored) -> None:
    """Write an entry on one line, on a terminal no longer than that is wide."""
    try:
        entry = entries.read(stored.body)
    except Damaged:
        say(f"{stored.seq:>6}  ! damaged, {len(stored.body)} bytes", "bold red")
        return
    when = visible(entry.timestamp[:19].replace("T", " "))
    if sys.stdout.isatty() and width() < WIDE:
        when = when[5:16]  # the rest of the line is worth more than the year
    mark = "! damaged  " if leaf_hash(stored.body) != stored.leaf else ""
    head = [
        (f"{stored.seq:>6}  ", "dim"),
        (f"{when}  ", "dim"),
        (f"{visible(entry.type):<16}  ", colour_of(entry.type)),
        (f"{visible(entry.session_id or '-')}  {mark}", "bold red" if mark else "dim"),
    ]
    cut = fit(line(entry), *head)
    say_parts(*head, (summarise(entry) if cut is None else cut, "bold red" if mark else ""))


def _tell_rest(reader: Reader, asked: Selection, shown: list[Stored], size: int) -> None:
    """Say how many were not shown, and at which end."""
    if not shown:
        talk("Nothing was recorded yet." if size == 0 else "No entry fits.")
        return
    earlier = shown[0].seq - asked.first
    if not _whole(asked):
        before = msgspec.structs.replace(asked, stop=shown[0].seq)
        earlier = sum(1 for _ in reader.read(before))
    if earlier:
        word = "entry is" if earlier == 1 else "entries are"
        talk(f"{earlier:,} earlier {word} not shown; -n {earlier + len(shown)} shows all.")
