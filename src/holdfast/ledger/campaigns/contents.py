"""What the entries of a campaign name: artifacts, also in others, and sessions; and what follows
from the entries alone: revisions of pins, and the summaries that seals made.

Whoever writes, reads or merely counts a campaign goes through its entries once, with this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.ledger import vault
from holdfast.ledger.erased import NOTE

Load: TypeAlias = Callable[[str], bytes | None]
"""Returns an artifact, None when it is not there."""

_KEY: Final = vault.KEY.encode()
_HASH_HEX: Final = 64


class Contents:
    """Takes entries in order and remembers what they name."""

    def __init__(self, load: Load) -> None:
        self.entries = 0
        """How many came by."""
        self.named: dict[bytes, int] = {}
        """Every artifact, in the order they are first named, and the last entry that names it."""
        self.revisions: list[dict[str, Any]] = []
        """Every `pin_revised`."""
        self.segments: list[dict[str, Any]] = []
        """Every seal, with the ids and hashes of the summaries it made."""
        self._load = load
        self._sessions: set[str] = set()
        self._erased: dict[bytes, int] = {}
        self._walked: dict[bytes, list[tuple[bytes, bool]]] = {}
        """Artifacts that may name others, and which they name."""

    def take(self, entry: Entry, body: bytes) -> None:
        """Take the next entry."""
        if entry.session_id is not None:
            self._sessions.add(entry.session_id)
        if _KEY in body:
            self._name(_references(entry.value()), entry.seq)
        if entry.type == "pin_revised":
            self.revisions.append({"seq": entry.seq, **entry.value()})
        elif entry.type == "compression":
            self._take_seal(entry)
        elif entry.type == NOTE:
            self._erased[_digest(entry.value().get("sha256"))] = entry.seq
        self.entries += 1

    def was_erased(self, digest: bytes) -> bool:
        """Tell whether an artifact was erased after the last entry that names it."""
        return self._erased.get(digest, -1) > self.named.get(digest, -1)

    def manifest(self) -> dict[str, Any]:
        """Return how much came by. Erased artifacts are named, too, so they count."""
        return {
            "entries": self.entries,
            "artifacts": len(self.named),
            "artifacts_digest": digest_of_artifacts(self.named),
            "sessions": len(self._sessions),
        }

    def _name(self, found: list[tuple[bytes, bool]], seq: int) -> None:
        waiting = found[::-1]
        while waiting:
            digest, may_nest = waiting.pop()
            if self.named.get(digest) == seq and (not may_nest or digest in self._walked):
                continue
            self.named[digest] = seq
            if may_nest:
                waiting += self._within(digest)[::-1]

    def _within(self, digest: bytes) -> list[tuple[bytes, bool]]:
        """Return what an artifact names; one that is gone names nothing any more."""
        known = self._walked.get(digest)
        if known is None:
            content = self._load(digest.hex())
            known = [] if content is None or _KEY not in content else _references(_read(content))
            self._walked[digest] = known
        return known

    def _take_seal(self, entry: Entry) -> None:
        data: Any = entry.value()
        if "imported" in data:
            return  # another system's seal
        try:
            summary = vault.resolve(data.get("summary"), self._load)
            sessions = {
                name: {key: str(made[key]) for key in ("compaction_id", "output_hash")}
                for name, made in summary["sessions"].items()
            }
        except (Damaged, AttributeError, KeyError, TypeError):
            sessions = None  # erased, or of another shape: the entry itself has what there is
        self.segments.append(
            {"seq": entry.seq, "first": data.get("first"), "last": data.get("last")}
            | {"sessions": sessions}
        )


def disagreement(contents: Contents, saved: Any) -> str | None:
    """Say which count of a save's manifest is another one; None when all fit.

    A save may tell more than is counted here, and need not tell all of it.
    """
    if not isinstance(saved, Mapping) or "entries" not in saved:
        return "the save has no manifest"
    for name, count in contents.manifest().items():
        if name in saved and saved[name] != count:
            return f"{name}: {saved[name]} in the save, {count} here"
    return None


def digest_of_artifacts(digests: Iterable[bytes]) -> str:
    """Hash the names of artifacts: sorted, in hex, one a line."""
    return sha256(b"".join(b"%b\n" % one.hex().encode() for one in sorted(digests))).hexdigest()


def _references(value: object) -> list[tuple[bytes, bool]]:
    return [(_digest(name), may_nest) for name, may_nest in vault.references(value)]


def _digest(name: object) -> bytes:
    if isinstance(name, str) and len(name) == _HASH_HEX and not name.strip("0123456789abcdef"):
        return bytes.fromhex(name)
    raise Damaged(f"An entry names an artifact {str(name)[:80]!r}; none can be called so.")


def _read(content: bytes) -> object:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged("An artifact that should be JSON is not.") from error
