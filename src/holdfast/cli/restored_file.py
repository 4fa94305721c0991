"""`holdfast restore --file`: give one file back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE
from holdfast.cli.output import print_bytes, say, talk, visible
from holdfast.kernel.errors import NotFound

if TYPE_CHECKING:
    from holdfast.storage.port import Reader
    from holdfast.wiring.places import Place


def only_of(reader: Reader, place: Place, given: str) -> Reader:
    """Return a reader that shows only the changes of one file."""
    from holdfast.ledger.file_states import OfOneFile
    from holdfast.wiring import file_restoring as restoring

    return OfOneFile(reader, restoring.names_of(restoring.wanted(place, given, 0)))


def restore_file(
    invocation: Invocation,
    given: str,
    at: int | None,
    *,
    out: str | None,
    over: bool,
    as_json: bool,
) -> int:
    """Write a file as it was at an entry; return the exit code."""
    from holdfast.wiring import file_restoring as restoring
    from holdfast.wiring.scan_drafts import spelled

    if out is not None and over:
        raise click.UsageError("Give --out or --over, not both.")
    place = invocation.place()
    with invocation.reader() as reader:
        newest = reader.head().size - 1
        if at is not None and at > newest:
            raise NotFound(f"There is no entry {at}.", meaning="No file was written.")
        file = restoring.wanted(place, given, max(newest, 0) if at is None else at)
        state = restoring.state_of(reader, file)
    assert state.content is not None
    if out == "-":
        sys.stdout.buffer.write(state.content)
        sys.stdout.buffer.flush()
        return DONE
    if over:
        with invocation.recorder("user", None, None) as project:
            written = restoring.write_over(project, file, state)
    else:
        written = restoring.write_beside(place, file, state, out)
    shown = spelled(written)
    if as_json:
        told = {"path": spelled(file.path), "at": file.seq, "seq": state.seq}
        told |= {"sha256": state.sha256, "bytes": state.size, "written": shown}
        print_bytes(msgspec.json.encode(told))
    else:
        said = f"{visible(shown)}: {state.size:,} bytes, as entry {state.seq} has them."
        say(said, "green")
    if state.unread:
        talk(f"{state.unread:,} entries could not be read; one may be about this file.")
    return DONE
