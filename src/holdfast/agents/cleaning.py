"""Looking closely for secrets in what a hook was told, without loading the ledger."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from holdfast.agents.attaching import is_config, is_for_secrets
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


def holds_secret(redactor: Redactor, path: str, content: bytes) -> bool:
    """Tell whether a file is not to be kept: a secret is in it, or its name says so."""
    if is_for_secrets(path) or redactor.finds_secret(content) is not None:
        return True
    return is_config(path) and redactor.finds_assigned(content) is not None


def spelled(value: Any, redactor: Redactor) -> bytes:
    """Return a payload's JSON without its secrets."""
    return dumps(redactor.clean(value)[0]).encode()
