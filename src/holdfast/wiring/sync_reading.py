"""What a peer answers, read: its head, a proof, pages of entries; and how it may be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.merkle import PROOF_HASHES_MAX
from holdfast.ledger.peers.source import TreeHead, unproved
from holdfast.wire.hosts import is_loopback


class _Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    proof: list[str]
    """Hashes in hex."""


def read_head(answer: bytes | None) -> TreeHead:
    """Read what a peer says that it holds."""
    try:
        return msgspec.json.decode(answer or b"", type=TreeHead)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unproved("What it says of itself cannot be read.") from error


def read_proof(answer: bytes | None) -> list[bytes]:
    """Read a proof of consistency."""
    try:
        given = msgspec.json.decode(answer or b"", type=_Proof).proof[: PROOF_HASHES_MAX + 1]
        return [bytes.fromhex(one) for one in given]
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise unproved("Its proof cannot be read.") from error


def read_pages(ask: Callable[[str], bytes | None], first: int, stop: int) -> Iterator[bytes]:
    """Ask for entries, page by page, until there are no more."""
    while first < stop:
        lines = (ask(f"entries?first={first}&stop={stop}") or b"").split(b"\n")
        if lines.pop():
            raise unproved(f"What it gives behind entry {first} is torn.")
        if not lines:
            return
        yield from lines
        first += len(lines)


def check_address(address: str, example: str, *, path: str = "") -> tuple[str, int]:
    """Return host and port of an address of this machine, or refuse."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = host is not None and parts.path.rstrip("/") == path and parts.scheme == "http"
    odd = host is None or bool(parts.query or parts.fragment or parts.username)
    if host is None or port is None or not plain or odd or not is_loopback(host):
        raise InvalidInput(
            f"{address[:200]!r} is not an address of this machine.",
            meaning="Nothing was asked, and nothing of ours changed.",
            remedy=f"Give http://127.0.0.1:PORT{path} as `{example}` prints it; to reach "
            "another machine, forward a port of it to one of this.",
        )
    return host, port


def check_token(token: str) -> str:
    """Return a token that a header can carry, or refuse; it is not shown."""
    if token.isascii() and token.isprintable() and token.strip():
        return token
    raise InvalidInput(
        "The token is empty, or has characters that no header can carry.",
        meaning="Nothing was asked, and nothing of ours changed.",
        remedy="Give it as it stands in the peer's file sync.token: `--token @FILE`.",
    )
