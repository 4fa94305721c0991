"""What crosses the proxy: episodes, the code seen in them, and how the State Map moved."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from holdfast.kernel.limits import (
    PROXY_MOVED_MAX,
    PROXY_MOVED_NAMES_BYTES_MAX,
    PROXY_PATH_CHARS_MAX,
    PROXY_SYMBOL_CHARS_MAX,
)
from holdfast.kernel.types.model import Count, Model, Name, Names, Text, Told

Level: TypeAlias = Literal["CONFIRMED", "INFERRED", "UNRESOLVED"]
ArtifactState: TypeAlias = Literal["PROPOSED", "AUTHORITATIVE", "SUPERSEDED", "TOMBSTONED"]
Grant: TypeAlias = Literal["parity", "audit", "verification", "write-head"]
AuditStatus: TypeAlias = Literal["completed", "partial", "discussion"]
Wiped: TypeAlias = Literal["cleared", "compacted", "rewound"]
Voice: TypeAlias = Literal["user", "model", "tool"]
"""Who showed some code: the user's own words, the model, or a tool (or client) that read it."""

LEGAL: Final = frozenset[tuple[ArtifactState | None, ArtifactState]](
    {
        (None, "PROPOSED"),
        ("PROPOSED", "AUTHORITATIVE"),
        ("PROPOSED", "TOMBSTONED"),
        ("AUTHORITATIVE", "SUPERSEDED"),
        ("AUTHORITATIVE", "TOMBSTONED"),
    }
)
"""Every transition there is."""

Digest: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]

FilePath: TypeAlias = Annotated[
    str, Meta(max_length=PROXY_PATH_CHARS_MAX, pattern=r"(?s)^(?!.*::)(?!.*:\Z).+\Z")
]
"""A path that can stand before `::` in the name of an entity."""

Defined: TypeAlias = Annotated[str, Meta(min_length=1, max_length=PROXY_SYMBOL_CHARS_MAX)]
"""The qualified name of a definition."""


class EpisodeRecorded(Model, frozen=True, kw_only=True):
    """One request of a client, and the answer as far as it came."""

    episode: Name
    conversation: Name
    dialect: Name
    model: Text
    prompt: Text
    """What the user said last; not what is around it."""
    answer: Text | None = None
    """What the model said, without its thinking."""
    calls: Count = 0
    """Tools that it called."""
    response_hash: Digest
    """Of the answer's bytes as they came."""
    status: Count
    """Of HTTP; 0 when there was none."""
    ended: Literal["whole", "cut", "gone", "failed"]
    """Cut: the upstream ended too early. Gone: the client went away. Failed: no answer."""
    hydrated: Names
    """Entities that were put before the model."""
    notice: bool = False
    """The model was told that its output before changed nothing."""
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    """As the upstream counts them."""
    unread: Count = 0
    """Events of the answer that could not be read."""


class ArtifactSeen(Model, frozen=True, kw_only=True):
    """Some code crossed the proxy."""

    version: Name
    """What this sighting is called from now on; the same text seen twice is two."""
    episode: Name
    speaker: Voice
    form: Name
    """As `code.edits` calls it: whole, block, replace, search, patch, ..."""
    path: Text | None = None
    language: Name | None = None
    level: Level
    by: Literal["tree-sitter", "patterns", "similarity", "none"]
    reason: Told
    whole: bool = False
    """It is all of a file: given so, or by a delta on a whole file."""
    base: Digest | None = None
    """The text that a delta was applied to."""
    near: Text | None = None
    """The entity that it resembles."""
    symbols: Count = 0
    text: Any = None
    """Kept in the vault as it is; or its hash and size, when a secret stands in it."""


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """A definition that changed its state."""

    symbol: Defined
    artifact: Digest
    nodes: Count = 0
    tokens: Count = 0
    slice: Any = None
    """Its text, kept in the vault as it is; given when it is proposed."""


class ArtifactMoved(Model, frozen=True, kw_only=True):
    """Definitions of one sighting went from one state to another, for one reason."""

    version: Name
    episode: Name
    path: FilePath
    before: ArtifactState | None
    after: ArtifactState
    reason: Told
    grant: Grant | None = None
    """What gave it authority."""
    sound: bool = False
    """Of a proposal: all that is missing is authority."""
    symbols: list[Moved]

    def __post_init__(self) -> None:
        if (self.before, self.after) not in LEGAL:
            raise ValueError(f"no artifact goes from {self.before} to {self.after}")
        names = {moved.symbol for moved in self.symbols}
        if not 0 < len(self.symbols) <= PROXY_MOVED_MAX or len(names) < len(self.symbols):
            raise ValueError(f"1 to {PROXY_MOVED_MAX} definitions move at once, each one once")
        size = sum(len(name.encode("utf-8", "replace")) for name in names)
        if size > PROXY_MOVED_NAMES_BYTES_MAX:
            raise ValueError(f"their names are longer than {PROXY_MOVED_NAMES_BYTES_MAX} bytes")


class FileSettled(Model, frozen=True, kw_only=True):
    """The text of a whole file that later changes are applied to."""

    path: FilePath
    version: Name
    episode: Name
    digest: Digest | None
    """Null when it is not known, or gone."""
    reason: Told
    text: Any = None


class DeskChanged(Model, frozen=True, kw_only=True):
    """The history that a client sends shrank or changed."""

    conversation: Name
    change: Wiped
    kept: Count
    """Turns of the history before that are still there."""
    lost: Count


class AuditDone(Model, frozen=True, kw_only=True):
    """What the model said when it was asked whether its work is done."""

    episode: Name
    conversation: Name
    path: Text
    symbol: Text
    status: AuditStatus
    late: bool
    """The conversation had gone on: it can no longer raise anything."""
    model: Text


class DiskTruth(Model, frozen=True, kw_only=True):
    """Somebody who can see the disk says that what the State Map holds is not what is there."""

    path: FilePath
    symbol: Defined | None = None
    """Null for the whole file."""
    reason: Told
