"""The State Map: for every `path::symbol` the one text that is true, and what waits to become so.

    "entity <path::symbol>"   artifact, version, state, nodes, tokens, withheld, stale, proposals;
                              seq, the entry that changed it last; episode, when that was
    "file <path>"             digest of its whole text, or null; version, seq; symbols, those that
                              are authoritative, and proposed, those with proposals; both sorted
    "tombstones <n>"          what was tombstoned when n episodes had been recorded
    EPISODES                  how many were recorded

An entity is AUTHORITATIVE, TOMBSTONED, or null while there are only proposals. A transition that
its past does not allow is damage: it cannot have been appended. Tombstones go after some episodes;
the texts of artifacts are in the vault and stay.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import PROXY_PROPOSALS_MAX, PROXY_TOMBSTONE_EPISODES
from holdfast.kernel.types import ArtifactMoved, DiskTruth, FileSettled, Model, Moved
from holdfast.stores.store import NO_CHANGES, Changes, Items

EPISODES: Final = " episodes"
"""Key of the count; no path begins with a blank here, for every other key has a word before it."""

_EPISODE: Final = "episode_recorded"
ENTITY: Final = "entity "
"""What the key of an entity's item begins with."""
_FILE: Final = "file "
_SEPARATOR: Final = "::"


class StateMap:
    """The fold over what crossed the proxy."""

    name: Final = "state_map"
    version: Final = 1
    items_max: Final = 2_000_000
    takes: Final = frozenset({"artifact_moved", "disk_truth", _EPISODE, "file_settled"})
    reads: Final = frozenset({"artifact_moved", "disk_truth", "file_settled"})
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Move definitions, settle a file, or count an episode."""
        step = _Step(items, entry)
        match data:
            case ArtifactMoved():
                step.move(data)
            case FileSettled():
                step.settle(data)
            case DiskTruth(path=path, symbol=symbol):
                step.doubt(path, symbol if isinstance(symbol, str) else None)
            case _ if entry.type == _EPISODE:
                step.count()
            case _:
                return NO_CHANGES
        return step.changes


def entity_key(path: str, symbol: str) -> str:
    """Return the key of an entity's item."""
    return f"{ENTITY}{path}{_SEPARATOR}{symbol}"


def file_key(path: str) -> str:
    """Return the key of a file's item."""
    return f"{_FILE}{path}"


def entity_name(key: str) -> str | None:
    """Return the `path::symbol` that a key is of; None for the key of something else."""
    return key.removeprefix(ENTITY) if key.startswith(ENTITY) else None


class _Step:
    """What one entry changes."""

    def __init__(self, items: Items, entry: Entry) -> None:
        self._items = items
        self._seq = entry.seq
        count: Any = items.get(EPISODES)
        self._episode = int(count["count"]) if count else 0
        self.changes: dict[str, Any] = {}

    def move(self, data: ArtifactMoved) -> None:
        """Take every definition from one state to the other."""
        file = self._file(data.path)
        symbols, proposed = set(file["symbols"]), set(file["proposed"])
        for moved in data.symbols:
            key = entity_key(data.path, moved.symbol)
            item = self._entity(key)
            match data.before:
                case None:
                    self._propose(item, data, moved)
                case "PROPOSED":
                    self._leave_proposals(item, data, moved)
                case _:
                    self._leave_authority(item, data, moved)
            item |= {"episode": self._episode, "seq": self._seq}
            gone = item["state"] is None and not item["proposals"]
            self.changes[key] = None if gone else item
            if data.before == "AUTHORITATIVE" and data.after == "TOMBSTONED":
                self._bury(key)
            _sort(symbols, moved.symbol, item["state"] == "AUTHORITATIVE")
            _sort(proposed, moved.symbol, bool(item["proposals"]))
        self._put_file(data.path, file | {"proposed": proposed, "symbols": symbols})

    def settle(self, data: FileSettled) -> None:
        """Note the text that a file has as a whole."""
        known = self._file(data.path)
        self._put_file(data.path, known | {"digest": data.digest, "version": data.version})

    def doubt(self, path: str, symbol: str | None) -> None:
        """Mark what is no longer so on the disk; then the whole text is not known, either."""
        file = self._file(path)
        for name in file["symbols"] if symbol is None else [symbol]:
            key = entity_key(path, name)
            known: Any = self._items.get(key)
            if known is not None and known["state"] == "AUTHORITATIVE":
                self.changes[key] = known | {"seq": self._seq, "stale": True}
        if self._items.get(file_key(path)) is not None:
            self._put_file(path, file | {"digest": None})

    def count(self) -> None:
        """Count an episode; tombstones that are old enough are listed no longer."""
        self._episode += 1
        self.changes[EPISODES] = {"count": self._episode}
        old = self._episode - PROXY_TOMBSTONE_EPISODES
        buried: Any = self._items.get(_grave(old))
        if buried is None:
            return
        self.changes[_grave(old)] = None
        for key in buried:
            known: Any = self._items.get(key)
            if known is not None and known["state"] == "TOMBSTONED" and known["buried"] == old:
                self.changes[key] = _without_text(known) if known["proposals"] else None

    def _propose(self, item: dict[str, Any], data: ArtifactMoved, moved: Moved) -> None:
        if any(one["version"] == data.version for one in item["proposals"]):
            raise self._illegal(data, moved, "it was proposed before")
        if item["state"] == "AUTHORITATIVE" and item["version"] == data.version:
            raise self._illegal(data, moved, "it is the authoritative one")
        proposal = {
            "artifact": moved.artifact,
            "nodes": moved.nodes,
            "sound": data.sound,
            "tokens": moved.tokens,
            "version": data.version,
            "withheld": not (isinstance(moved.slice, dict) and "$artifact" in moved.slice),
        }
        item["proposals"] = [proposal, *item["proposals"]][:PROXY_PROPOSALS_MAX]

    def _leave_proposals(self, item: dict[str, Any], data: ArtifactMoved, moved: Moved) -> None:
        proposal = next(
            (
                one
                for one in item["proposals"]
                if (one["version"], one["artifact"]) == (data.version, moved.artifact)
            ),
            None,
        )
        if proposal is None:
            raise self._illegal(data, moved, "there is no such proposal")
        if data.after == "TOMBSTONED":
            item["proposals"] = [one for one in item["proposals"] if one is not proposal]
            return
        if item["state"] == "AUTHORITATIVE":
            raise self._illegal(data, moved, "another one is authoritative")
        text = {name: value for name, value in proposal.items() if name != "sound"}
        item |= text | {"buried": None, "proposals": [], "stale": False, "state": "AUTHORITATIVE"}

    def _leave_authority(self, item: dict[str, Any], data: ArtifactMoved, moved: Moved) -> None:
        current = (item["state"], item["version"], item["artifact"])
        if current != ("AUTHORITATIVE", data.version, moved.artifact):
            raise self._illegal(data, moved, "it is not the authoritative one")
        if data.after == "TOMBSTONED":
            item |= {"buried": self._episode, "stale": False, "state": "TOMBSTONED"}
        else:
            item |= _without_text(item)

    def _bury(self, key: str) -> None:
        grave = _grave(self._episode)
        known: Any = self.changes.get(grave) or self._items.get(grave) or []
        self.changes[grave] = [*(one for one in known if one != key), key]

    def _put_file(self, path: str, file: dict[str, Any]) -> None:
        names = {which: sorted(file[which]) for which in ("proposed", "symbols")}
        kept = any(names.values()) or file["digest"] is not None
        self.changes[file_key(path)] = file | names | {"seq": self._seq} if kept else None

    def _file(self, path: str) -> dict[str, Any]:
        known: Any = self._items.get(file_key(path))
        return known or {"digest": None, "proposed": [], "symbols": [], "version": None}

    def _entity(self, key: str) -> dict[str, Any]:
        """Return an item that may be changed."""
        known: Any = self.changes.get(key) or self._items.get(key)
        return dict(known) if known else {"proposals": []} | _NO_TEXT

    def _illegal(self, data: ArtifactMoved, moved: Moved, why: str) -> Damaged:
        return Damaged(
            f"Entry {self._seq} moves {data.path}::{moved.symbol} of {data.version} from "
            f"{data.before or 'nothing'} to {data.after}, but {why}.",
            meaning="What is true now cannot be worked out past this entry.",
            remedy="Run `holdfast verify`; restore the ledger from a backup if it fails.",
        )


_NO_TEXT: Final[dict[str, Any]] = {
    "artifact": None,
    "buried": None,
    "nodes": 0,
    "stale": False,
    "state": None,
    "tokens": 0,
    "version": None,
    "withheld": False,
}


def _sort(names: set[str], name: str, is_one: bool) -> None:
    if is_one:
        names.add(name)
    else:
        names.discard(name)


def _without_text(item: dict[str, Any]) -> dict[str, Any]:
    return item | _NO_TEXT


def _grave(episode: int) -> str:
    return f"tombstones {episode}"
