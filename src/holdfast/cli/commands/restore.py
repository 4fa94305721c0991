"""`holdfast restore`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, say, talk, visible
from holdfast.cli.summary import summarise
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.restoring import Missing, Notes, Restoring, Where
from holdfast.ledger.vault import KEY, named_in
from holdfast.storage.port import Reader, Selection, Stored


@make_command(
    example="""
    holdfast restore s1
    holdfast restore s1 --json > s1.jsonl
    holdfast restore --at 1200 --json
    holdfast restore --file src/main.py --at 1200
    """
)
@click.argument("session", required=False)
@click.option(
    "--at",
    type=click.IntRange(0, INTEGER_MAX - 1),
    metavar="SEQ",
    help="Only up to this entry, included; without SESSION, of all sessions.",
)
@click.option("--file", metavar="PATH", help="Give this file back, as it was at --at, or last.")
@click.option("--out", metavar="FILE", help="Write it here; - prints it. [PATH.at-SEQ]")
@click.option("--over", is_flag=True, help="Put it in the place of PATH; that is recorded first.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    session: str | None,
    at: int | None,
    file: str | None,
    out: str | None,
    over: bool,
    as_json: bool,
) -> int:
    """Give a session back, word for word, from the active log, the archives, or both.

    SESSION is an id or the beginning of one. Every entry is proved on the way: its bytes, the one
    before it, the hash of each archive. What cannot be given back is named on stderr, everything
    else still comes, and the exit code is 1. With --json: the exact bytes that were recorded.

    With --file, one file of the project as an agent left it, into a new file beside it.
    """
    if file is not None:
        if session is not None:
            raise click.UsageError("Name a SESSION or a --file, not both.")
        from holdfast.cli.restored_file import restore_file

        return restore_file(invocation, file, at, out=out, over=over, as_json=as_json)
    if out is not None or over:
        raise click.UsageError("--out and --over go with --file.")
    if session is None and at is None:
        raise click.UsageError("Name a SESSION, or an entry with --at.")
    with _opened(invocation) as (reader, where):
        if session is not None:
            session = _resolved(invocation, reader, session)
        from holdfast.storage.archives import ArchiveFolder

        archives = ArchiveFolder(str(invocation.place().archives))
        restoring = Restoring(reader, archives, session, at, where=where)
        if as_json:
            for stored in restoring:
                print_bytes(stored.body)
        else:
            _show_verdict(restoring, _show(restoring, reader, session))
    for problem in restoring.damaged:
        talk(f"{_named(problem)} is not the archive that is listed: {visible(problem.why)}.")
    for problem in restoring.missing:
        talk(f"{_range(problem)} did not come back: {visible(problem.why)}.", "bold red")
    return NO if restoring.missing or restoring.damaged else DONE


@contextmanager
def _opened(invocation: Invocation) -> Iterator[tuple[Reader, Where]]:
    from holdfast.wiring.restoring import index_of

    with invocation.reader() as reader, index_of(invocation.place()) as where:
        yield reader, where


def _resolved(invocation: Invocation, reader: Reader, session: str) -> str:
    """Return the session that is meant; the notes of seals know one whose archive is gone."""
    for _ in reader.read(Selection(session_id=session)):
        return session
    try:
        with invocation.project(publish=False) as project:
            return project.sessions.resolve(session)
    except NotFound:
        if session in Notes(reader, {archive.name for archive in reader.archives()}).sessions():
            return session
        raise


def _show(restoring: Restoring, reader: Reader, session: str | None) -> int:
    """Write a transcript; all sessions together are not held in memory. Return its length."""
    is_erased = ErasedArtifacts(reader)
    found: Iterable[Stored] = restoring
    if session is not None:
        found = list(restoring)
        _show_head(session, found, restoring)
    shown = 0
    for stored in found:
        shown += 1
        entry = entries.read(stored.body)
        say(_line(entry, session))
        for part in named_in(entry.value()) if KEY.encode() in stored.body else ():
            if is_erased(part.sha256) and reader.artifact(part.sha256) is None:
                say(f"{'':>6}  ({part.bytes:,} bytes, {part.sha256[:12]}, were erased)")
    return shown


def _show_head(session: str, found: list[Stored], restoring: Restoring) -> None:
    say(f"session  {visible(session)}")
    if found:
        first, last = entries.read(found[0].body), entries.read(found[-1].body)
        if first.type == "session_started" and (parent := first.value().get("parent")):
            say(f"parent   {visible(str(parent))}")
        say(f"when     {visible(first.timestamp)} to {visible(last.timestamp)}")
    active = sum(stored.seq >= restoring.held for stored in found)
    say(f"entries  {len(found):,}, {active:,} of them active")
    for name in restoring.archives:
        say(f"archive  {visible(name)}")
    say()


def _line(entry: Entry, session: str | None) -> str:
    when = visible(entry.timestamp[:19].replace("T", " "))
    whose = [] if session is not None else [visible(entry.session_id or "-")]
    parts = (f"{entry.seq:>6}", when, f"{visible(entry.type):<11}", *whose, summarise(entry))
    return "  ".join(parts).rstrip()


def _show_verdict(restoring: Restoring, shown: int) -> None:
    came = f"{shown:,} {'entry' if shown == 1 else 'entries'}"
    lost = sum(problem.last - problem.first + 1 for problem in restoring.missing)
    say()
    if lost:
        say(f"NOT whole: {came} came back as recorded, {lost:,} did not.", "bold red")
    elif restoring.damaged:
        say(f"{came}, each as it was recorded; but an archive is damaged.", "bold red")
    else:
        say(f"whole: {came}, each as it was recorded.", "green")


def _named(problem: Missing) -> str:
    return f"{visible(problem.archive or '')} (entries {problem.first} to {problem.last})"


def _range(problem: Missing) -> str:
    where = f" ({visible(problem.archive)})" if problem.archive else ""
    if problem.first == problem.last:
        return f"Entry {problem.first}{where}"
    return f"Entries {problem.first} to {problem.last}{where}"
