"""Looking closely for secrets in what a hook was told, without loading the ledger."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from holdfast.ledger.redaction import Redactor

if TYPE_CHECKING:
    from holdfast.agents.terms import Terms

KEY_BYTES = 32


def redactor(folder: str, terms: Terms) -> Redactor | None:
    """Return what finds the secrets of a ledger's entries, None when it has no key yet."""
    try:
        with open(f"{folder}/ledger.key", "rb") as file:  # noqa: PTH123 - pathlib costs 8 ms
            key = file.read(KEY_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(key) != KEY_BYTES:
        return None
    return Redactor(key, secret_names=terms.names, entropy=terms.entropy)


def spelled(value: Any, redactor: Redactor) -> bytes:
    """Return a payload's JSON without its secrets."""
    return dumps(redactor.clean(value)[0]).encode()
