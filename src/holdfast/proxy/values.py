"""What the parts of the proxy hand to each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, Protocol, TypeAlias

import msgspec

from holdfast.code.values import Reading
from holdfast.kernel.types import AuditStatus, Grant, Level, Voice
from holdfast.ledger.drafts import Draft as Draft
from holdfast.wire.answer import Answer
from holdfast.wire.conversations import Seen
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request

By: TypeAlias = Literal["tree-sitter", "patterns", "similarity", "none"]
Ended: TypeAlias = Literal["whole", "cut", "gone", "failed"]


class Placed(msgspec.Struct, frozen=True):
    """A request, read, and placed in its conversation."""

    request: Request | None
    """None when it cannot be read."""
    seen: Seen


class Asked(msgspec.Struct, frozen=True):
    """A request, as the client sent it."""

    episode: str
    dialect: Dialect
    body: bytes
    """Empty once it is placed and nobody needs its bytes any longer."""
    client: str | None = None
    """What the headers call the conversation, if they do."""
    plain: bool = False
    """It is known that nothing in it changes what is true, so that nobody waits for it."""
    delegated: bool = False
    """A model gave the task: what has the user's role in it is no user's."""
    placed: Placed | None = None
    """Where it was placed, when its bytes are gone."""


class Prepared(msgspec.Struct, frozen=True):
    """A request, as it goes up, and what was put behind it."""

    asked: Asked
    body: bytes
    conversation: str
    """Empty where it was not worked out, because there was nothing to add; `Desk.place` does."""
    hydrated: tuple[str, ...] = ()
    notice: bool = False
    added: str = ""
    """The text that was put behind the client's; empty when nothing was."""


class Answered(msgspec.Struct, frozen=True):
    """What came back for a request, as far as it came."""

    prepared: Prepared
    status: int
    content: bytes
    """The bytes as they went to the client, up to a bound."""
    content_hash: str
    """SHA-256 of all of them."""
    encoding: str
    """`Content-Encoding` of them; empty for none."""
    streamed: bool
    ended: Ended
    upstream: str
    """Name of the upstream that answered, for the audit."""
    key: dict[str, str] = {}
    """The client's own credentials, for the audit of the same turn. Never stored, never shown."""
    heard: Answer | None = None
    """What the content says, where it was read already; read only."""
    plain: bool = False
    """It is known that nothing in it changes what is true, so that nobody waits for it."""


class Audited(msgspec.Struct, frozen=True):
    """What the model said of its own work when it was asked."""

    episode: str
    conversation: str
    model: str
    late: bool
    """A newer request of the conversation had come."""
    found: tuple[tuple[str, AuditStatus], ...]
    """By entity."""


Job: TypeAlias = Asked | Answered | Audited
"""What the writer's thread settles, in the order it came."""


def is_plain(job: Job) -> bool:
    """Tell whether nobody has to wait for a job."""
    match job:
        case Asked(plain=plain) | Answered(plain=plain):
            return plain
        case Audited():
            return False


class Unsure(msgspec.Struct, frozen=True, kw_only=True):
    """An answer whose proposals wait for authority: what an audit is about."""

    answered: Answered
    conversation: str
    model: str
    prompt: str
    """What the user said last."""
    answer: str
    """What the model said and did."""
    entities: tuple[str, ...]
    """That have a sound proposal of this episode."""


class Entity(msgspec.Struct, frozen=True):
    """What the State Map holds of a `path::symbol`."""

    name: str
    path: str
    symbol: str
    artifact: str | None
    """SHA-256 of its text; None while there are only proposals."""
    version: str | None
    state: Literal["AUTHORITATIVE", "TOMBSTONED"] | None
    updated: int
    """The entry that last changed it."""
    nodes: int
    tokens: int
    withheld: bool
    """Its text holds a secret, so that it is not kept, nor put before a model."""
    stale: bool
    """Somebody who sees the disk said that it is no longer so."""
    proposals: tuple[Proposal, ...] = ()


class Proposal(msgspec.Struct, frozen=True):
    """A text of an entity that waits for authority."""

    version: str
    artifact: str
    nodes: int
    tokens: int
    sound: bool
    """All that is missing is authority."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Some code that crossed, resolved as far as it can be."""

    version: str
    episode: str
    speaker: Voice
    form: str
    path: str | None
    language: str | None
    text: str | None
    """The block, or the file as the delta leaves it; None for a deleted file, or when it is not
    known."""
    reading: Reading | None
    """Of the text."""
    level: Level
    by: By
    reason: str
    whole: bool = False
    """It is all of a file: given so, or by a delta on a whole file."""
    delta: bool = False
    base: str | None = None
    """SHA-256 of the whole text that the delta was applied to."""
    before: tuple[Reading, str] | None = None
    """The file's text as the State Map has it, and what it defines; for telling renames."""
    complete: bool = True
    """The form was closed."""
    deletes: bool = False
    """The file goes away, and the form says so."""
    saw_base: bool = True
    """The model had seen what its delta changes."""
    near: str | None = None
    """The entity that it resembles."""
    symbol: str | None = None
    """Of a snippet spelled `path::symbol`: that symbol. `path` is the file's alone, and in the
    reading the definition has this qualified name, however it stood in the snippet."""


class Replaced(msgspec.Struct, frozen=True):
    """What an entity was before a ruling, so that the ruling can be taken back."""

    path: str
    symbol: str
    artifact: str | None
    """None for an entity that there was not."""
    nodes: int = 0
    tokens: int = 0


class Ruling(msgspec.Struct, frozen=True):
    """What follows from a piece: entries, in their order."""

    drafts: tuple[Draft, ...]
    promoted: tuple[str, ...] = ()
    """Entities that this made, or keeps, authoritative."""
    proposed: tuple[str, ...] = ()
    notice: bool = False
    """The next request of the conversation is told that this changed nothing."""
    version: str | None = None
    """The sighting that it is about."""
    replaced: tuple[Replaced, ...] = ()
    settled: tuple[tuple[str, str | None], ...] = ()
    """Files whose whole text became another one, and the digest of the one before."""


class Map(Protocol):
    """The State Map, to be looked at."""

    def entity(self, name: str) -> Entity | None:
        """Return what is known of an entity."""

    def symbols(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that are authoritative, in the order of their names."""

    def proposed(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that have proposals, in the order of their names."""

    def file(self, path: str) -> str | None:
        """Return the digest of a file's whole text, where it is known."""

    def text(self, digest: str) -> str | None:
        """Return a text of the vault; None where it is not kept."""


class Judge(Protocol):
    """Rules on pieces; see `judging`."""

    def judge(self, known: Map, piece: Piece) -> Ruling:
        """Say what follows from a piece."""

    def grant(
        self,
        known: Map,
        entity: str,
        episode: str,
        grant: Grant,
        *,
        made_in: Collection[str] | None = None,
    ) -> Ruling:
        """Give the newest sound proposal of an entity its authority; by an audit, only one of
        that episode, else only one of the episodes that are named."""

    def lower(self, known: Map, entity: str, episode: str, reason: str) -> Ruling:
        """Take away the sound proposals of an entity that an episode made."""

    def undo(self, known: Map, done: Ruling, *, version: str, episode: str) -> Ruling:
        """Take back what a ruling made authoritative, as a sighting of its own: the client did not
        carry it out. What moved on since stays."""

    def rebuild(
        self, known: Map, path: str, made: tuple[str, Reading], *, version: str, episode: str
    ) -> Ruling:
        """Make a text all of a file: one without the changes that the client did not carry out."""

    def doubt(
        self,
        known: Map,
        path: str,
        symbols: Iterable[str],
        reason: str,
        *,
        version: str,
        episode: str,
    ) -> Ruling:
        """Say that nobody knows how a file is now, nor some definitions in it."""
