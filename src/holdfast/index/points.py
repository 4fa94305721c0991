"""Points: after how many entries the items of every store can be had, as they were there.

There is one at every multiple of FOLD_POINT_ENTRIES, one after every rollback and one wherever
somebody asked for it, and where the stores have come to counts as one. An item that changed since a
point it stood at left its row in `past`; so a point costs what changed after it, not what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from holdfast.index.items import decode
from holdfast.index.queries import SQL
from holdfast.kernel.hashing import digest_of
from holdfast.stores import Value


def digests(connection: apsw.Connection, stores: Iterable[str]) -> dict[str, str]:
    """Return the digest of each store's items."""

    def hashes(store: str) -> list[bytes]:
        rows: Any = connection.execute(SQL["hashes"], (store,))
        return [item for (item,) in rows]

    return {store: digest_of(hashes(store)) for store in stores}


def nearest(connection: apsw.Connection, size: int, folded: int) -> int:
    """Return the last point that is not after so many entries; 0 is one, where nothing was."""
    if size >= folded:
        return folded
    found: Any = connection.execute(SQL["point"], (size,)).get
    return 0 if found is None else int(found)


def load(
    connection: apsw.Connection, point: int, stores: Iterable[str]
) -> dict[str, dict[str, Value]]:
    """Return the items of each store at a point."""
    found = spelled(connection, point, stores)
    return {
        store: {key: decode(value) for key, value in items.items()}
        for store, items in found.items()
    }


def spelled(
    connection: apsw.Connection, point: int, stores: Iterable[str]
) -> dict[str, dict[str, bytes]]:
    """Return the items of each store at a point as they are written, for somebody to prove."""
    items: dict[str, dict[str, bytes]] = {store: {} for store in stores}
    rows: Any = connection.execute(SQL["items_at"], (point,))
    try:
        for store, key, value in rows:
            items[store][key] = value
    except KeyError as error:
        raise apsw.CorruptError(f"there is no store {error}") from error
    return items
