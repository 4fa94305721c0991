"""What the live State Map keeps at hand: its items in few bytes, and the texts asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import suppress
from sys import intern
from typing import Any, Final, TypeAlias, cast

import msgspec

from holdfast.kernel.limits import PROXY_CACHE_BYTES_MAX
from holdfast.stores.state_map import ENTITY, entity_name
from holdfast.stores.store import Value

Changed: TypeAlias = Callable[[str, str | None, str | None], None]


class Shown(msgspec.Struct, gc=False):
    """As much of an entity's item as is listed."""

    artifact: str | None
    state: str | None
    seq: int


class KeptItems(MutableMapping[str, Value]):
    """Items that tell when one changes. There may be very many: each is kept as a few bytes, which
    takes a tenth of the room and gives the garbage collector nothing to look through."""

    def __init__(self, changed: Changed = lambda *_: None) -> None:
        """`changed` is told the name of an entity, its state before and its state now."""
        self._entities: dict[str, bytes] = {}
        """By their names, which are shared with whoever else keeps them."""
        self._others: dict[str, bytes] = {}
        self._tell = changed

    def copy(self) -> KeptItems:
        """Return the same items, apart from what becomes of these; nobody is told of them."""
        copied = KeptItems()
        copied._entities, copied._others = self._entities.copy(), self._others.copy()
        return copied

    def entities(self) -> Iterable[str]:
        """Return the names of all entities; MUST NOT be used while items change."""
        return self._entities.keys()

    def shown(self, entity: str) -> Shown:
        """Read as much of an entity's item as is listed."""
        item = self._entities[entity]
        if not _is_packed(item):
            return _read_shown(item)
        packed = _read_packed(item)
        return Shown(_hex(packed.artifact), packed.state, packed.seq)

    def __getitem__(self, key: str) -> Value:
        name = entity_name(key)
        if name is None:
            return cast("Value", _read(self._others[key]))
        item = self._entities[name]
        return _unpacked(item) if _is_packed(item) else cast("Value", _read(item))

    def __setitem__(self, key: str, value: Value) -> None:
        name = entity_name(key)
        if name is None:
            self._others[key] = _spell(value)
            return
        name, before = intern(name), self._state(name)
        self._entities[name] = _packed(value)
        self._tell(name, before, self._state(name))

    def __delitem__(self, key: str) -> None:
        name = entity_name(key)
        if name is None:
            del self._others[key]
            return
        before = self._state(name)
        del self._entities[name]
        self._tell(name, before, None)

    def __iter__(self) -> Iterator[str]:
        for name in self._entities:
            yield ENTITY + name
        yield from self._others

    def __len__(self) -> int:
        return len(self._entities) + len(self._others)

    def _state(self, entity: str) -> str | None:
        return self.shown(entity).state if entity in self._entities else None


class _Packed(msgspec.Struct, array_like=True, gc=False):
    """An entity's item: its fields without their names, and its digest as bytes."""

    artifact: Any
    buried: int | None
    episode: int
    nodes: int
    proposals: list[Any]
    seq: int
    stale: bool
    state: str | None
    tokens: int
    version: str | None
    withheld: bool


_read_shown: Final = msgspec.msgpack.Decoder(Shown).decode
_read_packed: Final = msgspec.msgpack.Decoder(_Packed).decode
_spell: Final = msgspec.msgpack.Encoder().encode
_read: Final = msgspec.msgpack.Decoder().decode
_FIELDS: Final = frozenset(_Packed.__struct_fields__)
_FIRST: Final = _spell([None] * len(_FIELDS))[0]
"""How a packed item begins; one that has other fields is a map and begins otherwise."""


def _is_packed(item: bytes) -> bool:
    return item[0] == _FIRST


def _packed(value: Value) -> bytes:
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        return _spell(value)
    packed = _spell(_Packed(**(value | {"artifact": _short(value["artifact"])})))
    return bytes(memoryview(packed))  # what the encoder returns stands in more room than it needs


def _unpacked(item: bytes) -> Value:
    packed = _read_packed(item)
    return msgspec.structs.asdict(packed) | {"artifact": _hex(packed.artifact)}


def _short(digest: Any) -> Any:
    """Return the bytes of a digest; anything else stays as it is."""
    if isinstance(digest, str):
        with suppress(ValueError):
            short = bytes.fromhex(digest)
            return short if short.hex() == digest else digest
    return digest


def _hex(digest: bytes | str | None) -> str | None:
    return digest.hex() if isinstance(digest, bytes) else digest


class KeptTexts:
    """The texts that were asked for last, up to a bound."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, digest: str) -> str | None:
        """Return a text that is kept."""
        with self._lock:
            found = self._texts.get(digest)
            if found is None:
                return None
            self._texts.move_to_end(digest)
            return found[0]

    def put(self, digest: str, text: str, size_bytes: int) -> None:
        """Keep a text; those that were longest not asked for make room."""
        if size_bytes > PROXY_CACHE_BYTES_MAX:
            return
        with self._lock:
            if digest not in self._texts:
                self._texts[digest] = (text, size_bytes)
                self._bytes += size_bytes
            while self._bytes > PROXY_CACHE_BYTES_MAX:
                self._bytes -= self._texts.popitem(last=False)[1][1]
