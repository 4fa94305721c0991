"""The State Map as it will be: what is known, and drafts on top that are not recorded yet.

The fold is the store's own, so that what is judged on drafts is what will be true once they are
entries. Texts of the drafts are at hand before the vault has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, cast

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import ArtifactMoved, DiskTruth, FileSettled, Model
from holdfast.ledger.vault import KEY, Verbatim
from holdfast.proxy.values import Draft, Entity, Map, Proposal
from holdfast.stores.state_map import StateMap, entity_key, entity_name, file_key
from holdfast.stores.store import Value

_STORE: Final = StateMap()
_READ: Final[Mapping[str, type[Model]]] = {
    "artifact_moved": ArtifactMoved,
    "disk_truth": DiskTruth,
    "file_settled": FileSettled,
}
"""What the store reads of a draft; episodes are counted when they are entries."""


class _Place(msgspec.Struct, frozen=True):
    """Stands for the entry that a draft will be: all that the store asks of one."""

    seq: int
    type: str


class Overlay:
    """A State Map with drafts on top."""

    def __init__(self, known: Map) -> None:
        self._items = _Items(known)
        self._known = known
        self._texts: dict[str, str] = {}

    def entity(self, name: str) -> Entity | None:
        """Return what is known of an entity."""
        path, _, symbol = name.partition("::")
        key = entity_key(path, symbol)
        if key not in self._items.changed:
            return self._known.entity(name)
        item = cast("dict[str, Any] | None", self._items.changed[key])
        return None if item is None else _entity(name, item)

    def symbols(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that are authoritative, in the order of their names."""
        item = self._file(path)
        return self._known.symbols(path) if item is None else tuple(item["symbols"])

    def proposed(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that have proposals, in the order of their names."""
        item = self._file(path)
        return self._known.proposed(path) if item is None else tuple(item["proposed"])

    def file(self, path: str) -> str | None:
        """Return the digest of a file's whole text, where it is known."""
        item = self._file(path)
        return self._known.file(path) if item is None else item["digest"]

    def text(self, digest: str) -> str | None:
        """Return a text of the drafts or of the vault; None where it is not kept."""
        found = self._texts.get(digest)
        return self._known.text(digest) if found is None else found

    def apply(self, drafts: Iterable[Draft]) -> None:
        """Put drafts on top."""
        for draft in drafts:
            if (model := _READ.get(draft.type)) is not None:
                place = cast("Entry", _Place(0, draft.type))
                data = msgspec.convert(self._kept(draft.data), model)
                self._items.changed |= _STORE.apply(self._items, place, data)

    def _file(self, path: str) -> dict[str, Any] | None:
        key = file_key(path)
        if key not in self._items.changed:
            return None
        item = cast("dict[str, Any] | None", self._items.changed[key])
        return {"symbols": [], "proposed": [], "digest": None} if item is None else item

    def _kept(self, value: Any) -> Any:
        """Return data as the ledger keeps it: texts by their hashes."""
        match value:
            case Verbatim(text=text):
                digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                self._texts[digest] = text
                return {KEY: digest}
            case dict():
                return {name: self._kept(part) for name, part in value.items()}
            case list():
                return [self._kept(part) for part in value]
            case _:
                return value


class _Items(Mapping[str, Value]):
    """Items as the store asks for them: those that drafts changed, else what is known."""

    def __init__(self, known: Map) -> None:
        self._known = known
        self.changed: dict[str, Value] = {}

    def __getitem__(self, key: str) -> Value:
        if key in self.changed:
            value = self.changed[key]
        elif (name := entity_name(key)) is not None:
            value = _item(self._known.entity(name))
        else:
            value = self._file(key)
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError  # stores ask by key only

    def __len__(self) -> int:
        raise NotImplementedError

    def _file(self, key: str) -> Value:
        path = key.removeprefix(file_key(""))
        if path == key:
            return None  # episodes and tombstones are counted when the entries are there
        known = self._known
        lists: dict[str, Value] = {
            "proposed": list(known.proposed(path)),
            "symbols": list(known.symbols(path)),
        }
        return {"digest": known.file(path), "seq": 0, "version": None, **lists}


def _item(entity: Entity | None) -> Value:
    if entity is None:
        return None
    proposals: list[Value] = [
        {**msgspec.structs.asdict(one), "withheld": False} for one in entity.proposals
    ]
    return {
        "artifact": entity.artifact,
        "buried": 0 if entity.state == "TOMBSTONED" else None,
        "episode": 0,
        "nodes": entity.nodes,
        "proposals": proposals,
        "seq": entity.updated,
        "stale": entity.stale,
        "state": entity.state,
        "tokens": entity.tokens,
        "version": entity.version,
        "withheld": entity.withheld,
    }


def _entity(name: str, item: dict[str, Any]) -> Entity:
    path, _, symbol = name.partition("::")
    proposals = tuple(
        Proposal(one["version"], one["artifact"], one["nodes"], one["tokens"], one["sound"])
        for one in item["proposals"]
    )
    return Entity(
        name=name,
        path=path,
        symbol=symbol,
        artifact=item["artifact"],
        version=item["version"],
        state=item["state"],
        updated=item["seq"],
        nodes=item["nodes"],
        tokens=item["tokens"],
        withheld=item["withheld"],
        stale=item["stale"],
        proposals=proposals,
    )
