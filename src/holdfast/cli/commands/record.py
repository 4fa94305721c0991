"""`holdfast record`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk
from holdfast.kernel import canonical
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.kernel.types import TYPES
from holdfast.ledger.ledger import Receipt


@make_command(
    example="""
    holdfast record error --session s1 --data '{"error_type":"ImportError",
        "message":"no module named x","context":null,"resolution":null,"prevention":null}'
    build-report | holdfast record metric --data - --json
    holdfast record decision --data @decision.json --id retry-7
    """
)
@click.argument("type_name", metavar="TYPE")
@click.option("--data", required=True, metavar="JSON|@FILE|-", help="The entry's data, an object.")
@click.option("--session", metavar="S", help="Session it belongs to [else $HOLDFAST_SESSION].")
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@click.option(
    "--actor-kind",
    type=click.Choice(["agent", "user", "tool"]),
    default="user",
    show_default=True,
    help="Who it comes from.",
)
@click.option("--actor", metavar="NAME", help="Name of who it comes from [else the setting].")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    type_name: str,
    data: str,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Append an entry of TYPE. It is on disk when this returns.

    Types: decision, file_change, checkpoint, error, metric, compression, session_started,
    session_ended. A field that is missing or of the wrong kind is refused by name.
    """
    TYPES.spec(type_name)
    content = _object(_read(data))
    with invocation.writer(actor_kind, actor, session) as ledger:
        receipt = ledger.append(type_name, content, id=entry_id)
    if as_json:
        print_json(_answer(receipt))
    elif not receipt.duplicate:
        secrets = f", {receipt.redactions} secrets replaced" if receipt.redactions else ""
        say(f"Recorded entry {receipt.seq} ({receipt.id}){secrets}.")
    return _judge(receipt)


def _answer(receipt: Receipt) -> dict[str, Any]:
    answer = {
        "seq": receipt.seq,
        "id": receipt.id,
        "hash": receipt.hash,
        "leaf": receipt.leaf,
        "redactions": receipt.redactions,
    }
    marks = {"duplicate": receipt.duplicate, "differs": receipt.differs}
    return answer | {name: True for name, holds in marks.items() if holds}


def _judge(receipt: Receipt) -> int:
    """Say on stderr what did not happen. Other data under a known id is a no."""
    if receipt.differs:
        talk(
            f"NOT recorded: entry {receipt.seq} has the id {receipt.id} already, with other data."
            " That entry stands as it is. Record this one under another id.",
            "bold yellow",
        )
        return NO
    if receipt.duplicate:
        talk(f"Entry {receipt.seq} has this id and the same data already; nothing was added.")
    return DONE


def _object(text: bytes) -> dict[str, Any]:
    value = canonical.decode(text)
    if isinstance(value, dict):
        return value
    raise InvalidInput(
        f"The data is {_KINDS[type(value)]}, not an object.",
        meaning="Nothing was recorded.",
        remedy='Give its fields in braces: {"name": …}.',
    )


_KINDS = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    type(None): "null",
}


def _read(given: str) -> bytes:
    """Return the bytes that --data stands for, never more than may be recorded."""
    if given == "-":
        return _bounded(sys.stdin.buffer, "standard input")
    if not given.startswith("@"):
        return os.fsencode(given)  # as it was typed, so that bytes that are not UTF-8 are seen
    try:
        with Path(given[1:]).expanduser().open("rb") as file:
            return _bounded(file, given[1:])
    except OSError as error:
        raise InvalidInput(
            f"The file {given[1:]} cannot be read: {error.strerror}.",
            meaning="Nothing was recorded.",
            remedy="Name a file that exists, after the @.",
        ) from error


def _bounded(stream: BinaryIO, name: str) -> bytes:
    content = stream.read(INPUT_BYTES_MAX + 1)
    if len(content) <= INPUT_BYTES_MAX:
        return content
    raise InvalidInput(
        f"The data from {name} has more than {INPUT_BYTES_MAX:,} bytes.",
        meaning="Nothing was recorded.",
        remedy="Record it in several entries, or keep it in a file and record its hash.",
    )
