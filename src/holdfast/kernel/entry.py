"""The entry: what happened, as bytes that never change.

An entry is written once as canonical JSON and from then on *is* those bytes: hashes are taken over
them as stored, and reading slices them. `Prepared` has every byte decided except its place in the
chain, `Sealed` is the finished entry, `Entry` a sealed one read back. Redaction and the vault come
before all this, in `holdfast.ledger`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, get_args

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.limits import NAME_CHARS_MAX

ActorKind = Literal["agent", "user", "tool", "proxy", "holdfast"]
ACTOR_KINDS: tuple[str, ...] = get_args(ActorKind)


class Actor(msgspec.Struct, frozen=True, gc=False):
    """Who an entry comes from, known by the channel it came by, never by its text."""

    kind: ActorKind
    name: str


class Span(msgspec.Struct, frozen=True, gc=False):
    """Lineage across sessions: this piece of work, the one it came from, the first of all."""

    id: str
    parent: str | None
    root: str


class Prepared(msgspec.Struct, frozen=True, gc=False):
    """An entry ready to be sealed: only `prev` and `seq` are open."""

    id: str
    type: str
    version: int
    session_id: str | None
    timestamp: str
    actor: Actor
    span: Span | None
    data: bytes
    hash: str


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """A finished entry: its place, its leaf hash and its bytes."""

    seq: int
    id: str
    type: str
    session_id: str | None
    leaf: bytes
    body: bytes


class Outline(msgspec.Struct, frozen=True, gc=False):
    """What an entry says besides its data: enough to count it, and much quicker to read."""

    actor: Actor
    ledger: str
    seq: int
    session_id: str | None
    span: Span | None
    type: str
    v: int


class Entry(Outline, frozen=True, forbid_unknown_fields=True, gc=False):
    """A sealed entry read back. `data` is the exact slice of the stored bytes."""

    data: msgspec.Raw
    hash: str
    id: str
    prev: str
    timestamp: str

    def value(self) -> dict[str, canonical.JSON]:
        """Return `data` as stored: large values still stand as vault references."""
        try:
            stored: dict[str, canonical.JSON] = msgspec.json.decode(self.data)
        except _UNREADABLE as error:
            raise _damaged(error) from error
        return stored


_decoder = msgspec.json.Decoder(Entry)
_outliner = msgspec.json.Decoder(Outline)


def read(body: bytes) -> Entry:
    """Read stored bytes back into an entry, or say that they are damaged."""
    try:
        return _decoder.decode(body)
    except _UNREADABLE as error:
        raise _damaged(error) from error


def outline_all(bodies: Iterable[bytes]) -> list[Outline]:
    """Read the outlines of several entries; which one is damaged is not told."""
    decode = _outliner.decode
    try:
        return [decode(body) for body in bodies]
    except _UNREADABLE as error:
        raise _damaged(error) from error


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _damaged(error: Exception) -> Damaged:
    return Damaged(
        f"These bytes are not an entry: {error}.",
        meaning="They are kept as they are and shown by nothing that needs a whole entry.",
        remedy="Run `holdfast verify` to see which entries are affected.",
    )


class _Spelled(msgspec.Struct, frozen=True, gc=False):
    """An entry as it is written: its fields stand in RFC 8785 order."""

    actor: Actor
    data: msgspec.Raw
    hash: str
    id: str
    ledger: str
    prev: str
    seq: int
    session_id: str | None
    span: Span | None
    timestamp: str
    type: str
    v: int


_spell = msgspec.json.Encoder().encode


def encode(entry: Prepared, *, ledger: str, prev: str, seq: int) -> bytes:
    """Write the one canonical spelling of an entry; its names are such as `check_name` lets in."""
    return _spell(
        _Spelled(
            entry.actor,
            msgspec.Raw(entry.data),
            entry.hash,
            entry.id,
            ledger,
            prev,
            seq,
            entry.session_id,
            entry.span,
            entry.timestamp,
            entry.type,
            entry.version,
        )
    )


@lru_cache(maxsize=64)
def check_name(what: str, value: str) -> str:
    """Refuse a name that could not be shown on one line or found again."""
    if value and len(value) <= NAME_CHARS_MAX and value.isprintable() and value == value.strip():
        return value
    raise InvalidInput(
        f"{what} {value[:40]!r} cannot be used.",
        meaning="Nothing was recorded.",
        remedy=f"Use 1 to {NAME_CHARS_MAX} printable characters without spaces at the ends.",
    )


def check_span(span: Span) -> Span:
    """Refuse a span whose names could not be found again."""
    for name in (span.id, span.root) if span.parent is None else (span.id, span.parent, span.root):
        check_name("The span's name", name)
    return span


def check_actor(actor: Actor) -> Actor:
    """Refuse an actor whose kind is not one of the known channels."""
    if actor.kind in ACTOR_KINDS:
        check_name("The actor's name", actor.name)
        return actor
    raise InvalidInput(
        f"The actor kind {actor.kind!r} is not known.",
        meaning="Nothing was recorded.",
        remedy=f"Use one of {', '.join(ACTOR_KINDS)}.",
    )
