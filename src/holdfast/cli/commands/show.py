"""`holdfast show`."""

from __future__ import annotations

import json
from typing import Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, say, talk, visible
from holdfast.cli.summary import lay_out
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.ledger import vault
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.storage.port import Reader, Selection, Stored


@make_command(example="holdfast show 12\nholdfast show retry-7 --full --json")
@click.argument("key", metavar="SEQ|ID")
@click.option("--full", is_flag=True, help="Put large values back from the vault.")
@json_option
@click.pass_obj
def command(invocation: Invocation, key: str, full: bool, as_json: bool) -> None:
    """Show one entry, by its number or its id.

    With --json: the exact bytes that are stored; with --full as well, an object of the entry and
    its data as it was given. A part that was erased stays a reference that says so.
    """
    with invocation.reader() as reader:
        stored = _find(reader, key)
        if leaf_hash(stored.body) != stored.leaf:
            talk(f"Entry {stored.seq} is not what was sealed. Run `holdfast verify`.", "bold red")
        if as_json and not full:
            print_bytes(stored.body)
            return
        try:
            entry = entries.read(stored.body)
        except Damaged as problem:
            raise _refusal(stored, problem) from problem
        is_erased = ErasedArtifacts(reader)
        data = vault.resolve(entry.value(), reader.artifact, is_erased) if full else entry.value()
        if as_json:
            print_bytes(_both(stored, data))
            return
        for line in _page(entry, stored, data):
            say(line)
        if entry.type in ("decision", "checkpoint"):
            _tell_standing(invocation, reader, entry)


def _tell_standing(invocation: Invocation, reader: Reader, entry: Entry) -> None:
    """Say what later decisions mean for this entry: it stands as it was, but may no longer hold."""
    from holdfast.cli.output import progress
    from holdfast.index.views import Views

    with Views(str(invocation.place().views)) as views:
        with progress("Looking whether it still holds") as advance:
            views.catch_up(reader, progress=advance)
        found: Any = views.items("decisions").get(entry.id)
    if found is None:
        return
    if found["superseded_by"] is not None:
        say("")
        say(visible(f"SUPERSEDED by {found['superseded_by']}"), "bold yellow")
    for cited in found["cites_superseded"]:
        say(visible(f"It rests on {cited}, which no longer holds."), "bold yellow")


def _find(reader: Reader, key: str) -> Stored:
    """Return an entry; what looks like a number is one."""
    if key.isascii() and key.isdigit():
        seq = int(key[:20])
        wanted = Selection(seq, seq + 1) if seq < INTEGER_MAX else None
    else:
        wanted = Selection(id=key)
    for stored in reader.read(wanted) if wanted is not None else ():
        return stored
    size = reader.head().size
    raise NotFound(
        f"There is no entry {key!r}.",
        meaning=f"The ledger holds entries 0 to {size - 1}." if size else "The ledger is empty.",
        remedy="`holdfast log` lists them.",
    )


def _refusal(stored: Stored, problem: Damaged) -> Damaged:
    return Damaged(
        f"Entry {stored.seq} is damaged. {problem.what}",
        meaning=problem.meaning,
        remedy=f"`holdfast show {stored.seq} --json` prints its bytes as they are.",
    )


def _both(stored: Stored, data: Any) -> bytes:
    """Spell the stored entry and its resolved data; json, as it can spell what odd values hold."""
    spelled = json.dumps(data, default=_raw, separators=(",", ":"))
    return b'{"entry":%b,"data":%b}' % (stored.body, spelled.encode())


def _raw(value: object) -> dict[str, str]:
    assert isinstance(value, vault.RawJSON)
    return {"$raw": value.text.decode("utf-8", "backslashreplace")}


def _page(entry: Entry, stored: Stored, data: Any) -> list[str]:
    head = {
        "entry": f"{entry.seq}  {entry.id}",
        "type": f"{entry.type} (version {entry.v})",
        "time": entry.timestamp,
        "session": entry.session_id or "-",
        "actor": f"{entry.actor.name} ({entry.actor.kind})",
        "hash": entry.hash,
        "leaf": stored.leaf.hex(),
        "before": entry.prev,
    }
    lines = [f"{name:<8} {visible(text)}" for name, text in head.items()]
    return [*lines, "", *lay_out(_said(data))]


def _said(value: Any) -> Any:
    """Put words in the place of each part that was erased."""
    match value:
        case {"$artifact": str(sha256), "bytes": int(size), "erased": True}:
            return f"({size:,} bytes, {sha256[:12]}, were erased)"
        case dict():
            return {key: _said(part) for key, part in value.items()}
        case list():
            return [_said(part) for part in value]
        case _:
            return value
