"""Items in the canonical JSON they are kept in, each read when it is first asked for.

Of very many items that a fold starts from, it looks at few: the others need not be read at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Final

import msgspec

from holdfast.stores.store import Value

_read: Final = msgspec.json.Decoder().decode


class SpelledItems(MutableMapping[str, Value]):
    """Items that can be changed; what is given stays as it is."""

    def __init__(self, spelled: Mapping[str, bytes]) -> None:
        self._spelled = dict(spelled)
        self._known: dict[str, Value] = {}
        """Those that were asked for or put, which count instead."""

    def __getitem__(self, key: str) -> Value:
        if key not in self._known:
            self._known[key] = _read(self._spelled.pop(key))
        return self._known[key]

    def __setitem__(self, key: str, value: Value) -> None:
        self._spelled.pop(key, None)
        self._known[key] = value

    def __delitem__(self, key: str) -> None:
        if self._spelled.pop(key, None) is None:
            del self._known[key]

    def __contains__(self, key: object) -> bool:
        return key in self._known or key in self._spelled

    def __iter__(self) -> Iterator[str]:
        return iter([*self._spelled, *self._known])

    def __len__(self) -> int:
        return len(self._spelled) + len(self._known)
