"""The kept items of a store: for readers a lazy mapping, for a fold one that it can change."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any, Final, TypeAlias

import apsw
import msgspec

from holdfast.index.queries import SQL
from holdfast.stores import Value

PAGE_ITEMS: Final = 500
"""Items that are fetched at once, so that no reader holds a snapshot while its caller thinks."""

Look: TypeAlias = Callable[[Callable[[apsw.Connection], list[Any]]], list[Any]]
"""Asks the database something, which may be made anew meanwhile."""

_decode: Final = msgspec.json.Decoder().decode

_encode: Final = msgspec.json.Encoder(order="sorted").encode
"""Sorted is canonical for what stores hold: no floats, and nobody hashes what is kept here."""


class KeptItems(Mapping[str, Value]):
    """The items as they are kept. A lookup is one query, going through all streams them."""

    def __init__(self, look: Look, store: str) -> None:
        self._look = look
        self._store = store

    def __getitem__(self, key: str) -> Value:
        rows = self._rows("item", self._store, key)
        if not rows:
            raise KeyError(key)
        value: Value = _decode(rows[0][0])
        return value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self._rows("item", self._store, key))

    def __len__(self) -> int:
        rows = self._rows("count", self._store)
        return int(rows[0][0]) if rows else 0

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.rows())

    def items(self) -> ItemsView[str, Value]:
        """Return keys and values, without a lookup for each."""
        return _Rows(self)

    def rows(self) -> Iterator[tuple[str, Value]]:
        """Yield keys and values in order of the keys."""
        page = self._rows("items_first", self._store, PAGE_ITEMS)
        while page:
            for key, value in page:
                yield key, _decode(value)
            page = self._rows("items_after", self._store, page[-1][0], PAGE_ITEMS)

    def _rows(self, name: str, *values: object) -> list[Any]:
        def ask(connection: apsw.Connection) -> list[Any]:
            return connection.execute(SQL[name], values).fetchall()

        return self._look(ask)


class _Rows(ItemsView[str, Value]):
    """The pairs of a mapping that can stream them."""

    _mapping: KeptItems

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return self._mapping.rows()


class ChangingItems(KeptItems):
    """The items inside one transaction: what was read or changed is remembered until `flush`."""

    def __init__(self, connection: apsw.Connection, store: str) -> None:
        super().__init__(lambda ask: ask(connection), store)
        self._connection = connection
        self._known: dict[str, Value] = {}
        """Read or changed in this transaction; null for what is not there."""
        self._changed: set[str] = set()
        self._count = super().__len__()

    def __getitem__(self, key: str) -> Value:
        value = self._look_up(key)
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """Return an item, or the default."""
        value = self._look_up(key)
        return default if value is None else value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._look_up(key) is not None

    def __len__(self) -> int:
        return self._count

    def rows(self) -> Iterator[tuple[str, Value]]:
        """Yield keys and values in order of the keys."""
        self.flush()
        return super().rows()

    def put(self, key: str, value: Value) -> None:
        """Change an item; null means that it is gone."""
        self._count += (value is not None) - (self._look_up(key) is not None)
        self._known[key] = value
        self._changed.add(key)

    def flush(self) -> None:
        """Write what changed."""
        gone = [key for key in self._changed if self._known[key] is None]
        kept = [key for key in self._changed if self._known[key] is not None]
        execute = self._connection.executemany
        execute(SQL["drop_item"], ((self._store, key) for key in gone))
        execute(
            SQL["put_item"],
            ((self._store, key, _encode(self._known[key])) for key in kept),
        )
        self._connection.execute(SQL["put_count"], (self._store, self._count))
        self._changed.clear()

    def _look_up(self, key: str) -> Value:
        if key in self._known:
            return self._known[key]
        found: Any = self._connection.execute(SQL["item"], (self._store, key)).get
        value: Value = None if found is None else _decode(found)
        self._known[key] = value
        return value
