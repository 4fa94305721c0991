"""The kept items of a store: for readers a lazy mapping, for a fold one that it can change."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any, Final, TypeAlias

import apsw
import msgspec

from holdfast.index.queries import SQL
from holdfast.kernel import canonical
from holdfast.kernel.hashing import item_hash
from holdfast.stores import Changes, Value

PAGE_ITEMS: Final = 500
"""Items that are fetched at once, so that no reader holds a snapshot while its caller thinks."""

Look: TypeAlias = Callable[[Callable[[apsw.Connection], list[Any]]], list[Any]]
"""Asks the database something, which may be made anew meanwhile."""

_decoder: Final = msgspec.json.Decoder()


class KeptItems(Mapping[str, Value]):
    """The items as they are kept. A lookup is one query, going through all streams them."""

    def __init__(self, look: Look, store: str) -> None:
        self._look = look
        self._store = store

    def __getitem__(self, key: str) -> Value:
        def ask(connection: apsw.Connection) -> list[Value]:
            rows: Any = connection.execute(SQL["item"], (self._store, key))
            return [decode(value) for (value,) in rows]

        found = self._look(ask)
        if not found:
            raise KeyError(key)
        value: Value = found[0]
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
        page = self._page("items_first", self._store, PAGE_ITEMS)
        while page:
            yield from page
            page = self._page("items_after", self._store, page[-1][0], PAGE_ITEMS)

    def _page(self, name: str, *values: object) -> list[tuple[str, Value]]:
        def ask(connection: apsw.Connection) -> list[tuple[str, Value]]:
            rows: Any = connection.execute(SQL[name], values)
            return [(key, decode(value)) for key, value in rows]

        return self._look(ask)

    def _rows(self, name: str, *values: object) -> list[Any]:
        def ask(connection: apsw.Connection) -> list[Any]:
            return connection.execute(SQL[name], values).fetchall()

        return self._look(ask)


class _Rows(ItemsView[str, Value]):
    """The pairs of a mapping that can stream them."""

    _mapping: KeptItems

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return self._mapping.rows()


class Changing(Mapping[str, Value]):
    """Items of which some are known to be other than they are kept."""

    def __init__(self, known: dict[str, Value]) -> None:
        self._known = known
        """Null for what is not there."""

    def __getitem__(self, key: str) -> Value:
        value: Value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """Return an item, or the default."""
        value = self._known[key] if key in self._known else self._look_up(key)
        return default if value is None else value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        known = self._known
        others = (key for key in self._below() if key not in known)
        return iter([*others, *(key for key, value in known.items() if value is not None)])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _look_up(self, key: str) -> Value:
        raise NotImplementedError

    def _below(self) -> Mapping[str, Value]:
        raise NotImplementedError


class ChangingItems(Changing):
    """The items inside one transaction: what was read or changed is remembered until `flush`."""

    def __init__(self, connection: apsw.Connection, store: str) -> None:
        super().__init__({})
        self._connection = connection
        self._store = store
        self._kept = KeptItems(lambda ask: ask(connection), store)
        self._since: dict[str, int] = {}
        """Since when what was read is so."""
        self._changed: set[str] = set()
        self._count = self._counted = len(self._kept)

    def __len__(self) -> int:
        return self._count

    def put(self, key: str, value: Value) -> None:
        """Change an item; null means that it is gone."""
        self._count += (value is not None) - (self.get(key) is not None)
        self._known[key] = value
        self._changed.add(key)

    def flush(self, size: int, point: int) -> None:
        """Write what changed until `size` entries were taken in, the newest point being `point`.

        What an item was is kept if it was so at a point.
        """
        if not self._changed:
            return
        store, known, since = self._store, self._known, self._since
        changed = sorted(self._changed)  # in the order of the table
        many = self._connection.executemany
        many(
            SQL["put_past"],
            [(store, key, size) for key in changed if since.get(key, size) <= point],
        )
        many(SQL["drop_item"], [(store, key) for key in changed if known[key] is None])
        many(
            SQL["put_item"],
            [_row(store, key, size, value) for key in changed if (value := known[key]) is not None],
        )
        if self._count != self._counted:
            self._connection.execute(SQL["put_count"], (store, self._count))
            self._counted = self._count
        for key in changed:
            since[key] = size
        self._changed.clear()

    def changed_since(self, point: int) -> dict[str, Value]:
        """Return what items that changed after a point were there; nothing may be unwritten."""
        rows: Any = self._connection.execute(SQL["changed_since"], (self._store, point))
        then: dict[str, Value] = {}
        for key, value in rows:
            if value is not None:
                then[key] = decode(value)
            else:
                then.setdefault(key, None)
        return then

    def _look_up(self, key: str) -> Value:
        found: Any = self._connection.execute(SQL["item_since"], (self._store, key)).get
        if found is None:
            self._known[key] = None
            return None
        value = self._known[key] = decode(found[0])
        self._since[key] = found[1]
        return value

    def _below(self) -> Mapping[str, Value]:
        return self._kept


class Replayed(Changing):
    """The items as they were at a point, brought forward in memory and nowhere else."""

    def __init__(self, now: ChangingItems, then: dict[str, Value]) -> None:
        super().__init__(then)
        self._now = now

    def take(self, changes: Changes) -> None:
        """Change items; null means that one is gone."""
        self._known |= changes

    def differences(self) -> dict[str, Value]:
        """Return what would have to change now for it to be so again."""
        return {
            key: value
            for key, value in self._known.items()
            if canonical.encode(value) != canonical.encode(self._now.get(key))
        }

    def _look_up(self, key: str) -> Value:
        value: Value = self._now.get(key)
        return value

    def _below(self) -> Mapping[str, Value]:
        return self._now


def decode(value: bytes) -> Value:
    """Read an item as it is kept; what is none is a damaged file."""
    try:
        found: Value = _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise apsw.CorruptError(f"a kept item cannot be read: {error}") from error
    return found


def _row(store: str, key: str, size: int, value: Value) -> tuple[str, str, int, bytes, bytes]:
    encoded = canonical.encode(value)
    return store, key, size, item_hash(key, encoded), encoded
