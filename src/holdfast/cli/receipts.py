"""The answer of every command that records an entry."""

from __future__ import annotations

from typing import Any

from holdfast.cli.errors import DONE, NO
from holdfast.cli.output import print_json, say, talk
from holdfast.ledger.ledger import Receipt


def give(receipt: Receipt, *, as_json: bool, **also: Any) -> int:
    """Print what became of an entry, and return the exit code; `also` is for scripts alone."""
    if as_json:
        print_json(_answer(receipt) | also)
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
