"""What the live State Map keeps at hand: its items in few bytes, and the texts asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from typing import Final, cast

import msgspec

from holdfast.kernel.limits import PROXY_CACHE_BYTES_MAX
from holdfast.stores.store import Value


class Shown(msgspec.Struct, gc=False):
    """As much of an entity's item as is listed."""

    artifact: str | None
    state: str | None
    seq: int


class KeptItems(MutableMapping[str, Value]):
    """Items that tell when one changes. There may be very many: each is kept as a few bytes, which
    takes a quarter of the room and gives the garbage collector nothing to look through."""

    def __init__(self, changed: Callable[[str, Value], None]) -> None:
        self._known: dict[str, bytes] = {}
        self._tell = changed

    def __getitem__(self, key: str) -> Value:
        return cast("Value", _read(self._known[key]))

    def shown(self, key: str) -> Shown:
        """Read as much of an item as is listed."""
        return _read_shown(self._known[key])

    def __setitem__(self, key: str, value: Value) -> None:
        self._known[key] = _spell(value)
        self._tell(key, value)

    def __delitem__(self, key: str) -> None:
        del self._known[key]
        self._tell(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


_read_shown: Final = msgspec.msgpack.Decoder(Shown).decode
_spell: Final = msgspec.msgpack.Encoder().encode
_read: Final = msgspec.msgpack.Decoder().decode


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
