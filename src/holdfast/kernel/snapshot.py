"""The save: proof of what was true right after one entry, as digests and pointers, with no clock.

A snapshot *is* its canonical bytes, the hashed body. `bytes_hash` is their SHA-256 and
`snapshot_id` the first 16 hex digits of it; both follow from the body and are never taken on trust.
As text it is one line of canonical JSON: the body with these two added.

Everything in it is frozen, however deep: mappings cannot be changed, sequences are tuples.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import BootFailed, HoldfastError, NewerFormat

SaveType: TypeAlias = Literal["SCENE", "SESSION", "CAMPAIGN"]

FORMAT: Final = 1
"""The version of this format."""

ID_HEX: Final = 16
_DERIVED: Final = ("snapshot_id", "bytes_hash")


class SaveSnapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was true after entry `timestamp_event_id`, as digests and pointers."""

    save_type: SaveType
    timestamp_event_id: int
    """Number of the last entry it reflects; -1 for a ledger without entries."""

    facts_ledger_digest: str
    unlock_state_digest: str
    story_state_digest: str
    working_set_digest: str
    store_digests: Mapping[str, str]
    """The digest of every store, those above among them, by its name."""

    event_log_range: tuple[int, int]
    """First and last entry, both included, of the part of the log that `event_log_hash` is of."""
    event_log_hash: str
    """SHA-256 of that part as JSON Lines: each entry's bytes and a line feed."""
    ledger: str
    tree_size: int
    tree_root: str
    """The RFC 9162 tree over every entry up to here, those before `event_log_range` included."""

    pending_state: Mapping[str, Any] | None
    """What waits for somebody, by its id; null when nothing does."""
    pins_snapshot: Mapping[str, str]
    policy: Mapping[str, Any]
    """The policy of the working set, with its numbers."""
    compaction_ids: tuple[str, ...]
    compaction_hashes: Mapping[str, str]
    """The hash of the output of each of these compactions."""
    contents: Mapping[str, Any]
    """What a session save and a campaign save hold beyond a scene save."""
    v: int = FORMAT

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            msgspec.structs.force_setattr(self, name, freeze(getattr(self, name)))

    @property
    def canonical_bytes(self) -> bytes:
        """The hashed body."""
        return canonical.encode(self.body())

    @property
    def bytes_hash(self) -> str:
        """SHA-256 of the hashed body."""
        return sha256(self.canonical_bytes).hexdigest()

    @property
    def snapshot_id(self) -> str:
        """What it is called."""
        return self.bytes_hash[:ID_HEX]

    def body(self) -> dict[str, Any]:
        """Return the hashed body as a value that may be changed."""
        return {name: thaw(getattr(self, name)) for name in self.__struct_fields__}

    def to_line(self) -> bytes:
        """Return it as it is kept: one line of canonical JSON, without a line feed."""
        return canonical.encode(
            {**self.body(), "bytes_hash": self.bytes_hash, "snapshot_id": self.snapshot_id}
        )


def read(line: bytes) -> SaveSnapshot:
    """Read a snapshot back; one that is not what was saved, to the byte, fails step 1 of a boot."""
    line = line.removesuffix(b"\n")
    try:
        value = msgspec.json.decode(line)
        if not isinstance(value, dict):
            raise msgspec.DecodeError("it is no object")
        if type(value.get("v")) is int and value["v"] > FORMAT:
            raise NewerFormat(
                f"This save has format {value['v']}; this holdfast knows {FORMAT}.",
                meaning="Nothing was changed.",
                remedy="Use the newer holdfast that made it.",
            )
        claimed = {name: value.pop(name, None) for name in _DERIVED}
        snapshot = msgspec.convert(value, SaveSnapshot)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_a_save(f"This is not a save: {error}.", "a save", "something else") from error
    if claimed["bytes_hash"] != snapshot.bytes_hash:
        raise _not_a_save(
            "The save is not what it says it is: its own hash does not fit.",
            str(claimed["bytes_hash"]),
            snapshot.bytes_hash,
        )
    try:
        spelled = snapshot.to_line()
    except HoldfastError as error:
        raise _not_a_save(
            f"This is not a save: {error.what}", "a save", "something else"
        ) from error
    if spelled != line:
        raise _not_a_save(
            "The save is not spelled as it was written.",
            sha256(spelled).hexdigest(),
            sha256(line).hexdigest(),
        )
    return snapshot


def freeze(value: Any) -> Any:
    """Return the value so that no part of it can be changed."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(part) for key, part in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(freeze(part) for part in value)
    return value


def thaw(value: Any) -> Any:
    """Return a copy of a frozen value that can be changed and written."""
    if isinstance(value, Mapping):
        return {key: thaw(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(part) for part in value]
    return value


def _not_a_save(what: str, expected: str, found: str) -> BootFailed:
    return BootFailed(
        what,
        step=1,
        expected=expected,
        found=found,
        remedy="Use another save: `holdfast boot --list` shows them.",
    )
