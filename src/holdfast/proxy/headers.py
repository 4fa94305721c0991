"""Headers as they cross: all are kept, in order and repeated ones too, but those of one connection.

Keys and tokens pass; they are not stored and not logged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from holdfast.kernel.limits import PROXY_CONVERSATION_CHARS_MAX
from holdfast.proxy.decoding import READABLE

Raw: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Headers as they came."""

_HOP_BY_HOP: Final = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_CONNECTION: Final = frozenset({b"connection"})
_NOT_UP: Final = _HOP_BY_HOP | {b"host", b"content-length", b"expect"}
"""The client of the upstream sets its own of these."""

_CONVERSATIONS: Final = (
    "x-claude-code-session-id",
    "session_id",
    "session-id",
    "conversation_id",
    "x-session-id",
)
"""Headers in which clients name the conversation."""

_AGENTS: Final = ("x-claude-code-agent-id", "x-openai-subagent")
"""Headers in which clients name who works for the conversation, in a history of its own."""

_KEYS: Final = (
    "authorization",
    "x-api-key",
    "api-key",
    "anthropic-version",
    "anthropic-beta",
    "openai-organization",
    "openai-project",
)
"""What an upstream needs to be asked again on behalf of the same client."""


class Headers(dict[str, str]):
    """Headers by their names in small letters; of repeated ones the first, but all of what is said
    of the connection."""

    def __init__(self, raw: Raw) -> None:
        super().__init__()
        self.raw = raw
        for name, value in raw:
            self.setdefault(_text(name).lower(), _text(value).rstrip(" \t"))
        if len(self) < len(raw) and "connection" in self:
            self["connection"] = ", ".join(self.all_of(_CONNECTION))

    def all_of(self, names: frozenset[bytes]) -> list[str]:
        """Return the values of all headers that have one of some names, spelled small."""
        return [_text(value) for name, value in self.raw if name.lower() in names]

    def unreadable(self) -> str | None:
        """Return the name of a header whose bytes are no UTF-8, if there is one."""
        for name, value in self.raw:
            if not value.isascii() and any("\udc80" <= char <= "\udcff" for char in _text(value)):
                return _text(name)
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def upward(
    raw: Raw, connection: str | None, *, read: bool = False, drop: Iterable[bytes] = ()
) -> list[tuple[bytes, bytes]]:
    """Return the headers that go to the upstream. `connection` is the header of that name.

    `read`: a copy of the answer will be read, so only codings that can be read are asked for.
    """
    left_out = _left_out(connection, _NOT_UP)
    left_out = left_out.union(drop) if drop else left_out
    headers: list[tuple[bytes, bytes]] = []
    for name, value in raw:
        low = name.lower()
        if low in left_out:
            continue
        if read and low == b"accept-encoding":
            value = readable(_text(value)).encode("utf-8", "surrogateescape")
        headers.append((name, value))
    return headers


def downward(raw: Raw, connection: str | None) -> list[tuple[bytes, bytes]]:
    """Return the headers that go to the client; the framing is not among them."""
    left_out = _left_out(connection, _HOP_BY_HOP)
    return [header for header in raw if header[0].lower() not in left_out]


def _left_out(connection: str | None, always: frozenset[bytes]) -> frozenset[bytes]:
    """Add what the connection's own header names, which cannot be how a body is framed."""
    if connection is None or connection in ("keep-alive", "close", "Keep-Alive"):
        return always
    named = connection.encode("utf-8", "surrogateescape").lower().split(b",")
    return always.union({name.strip() for name in named} - {b"content-length"})


@lru_cache(maxsize=64)
def readable(asked: str) -> str:
    """Return of the codings that a client accepts those that can be read, in its own words."""
    kept = [
        part.strip()
        for part in asked.split(",")
        if part.partition(";")[0].strip().lower() in READABLE
    ]
    return ", ".join(kept) or "identity"


def conversation_of(given: Mapping[str, str]) -> str | None:
    """Return what the headers call the conversation, if they do."""
    value = next(_names(given, _CONVERSATIONS), None)
    agent = next(_names(given, _AGENTS), None)
    return value if value is None or agent is None else f"{value}/{agent}"


def is_delegated(given: Mapping[str, str]) -> bool:
    """Tell whether a model gave the task, so that no user speaks in the request."""
    return any(given.get(name) for name in _AGENTS)


def _names(given: Mapping[str, str], headers: Iterable[str]) -> Iterator[str]:
    for name in headers:
        value = given.get(name)
        if value and len(value) <= PROXY_CONVERSATION_CHARS_MAX and value.isprintable():
            yield value


def key_of(given: Mapping[str, str]) -> dict[str, str]:
    """Return the client's own credentials, for the audit of the same turn."""
    return {name: value for name in _KEYS if (value := given.get(name)) is not None}
