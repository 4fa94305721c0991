"""The entries that move definitions of one sighting through their states, in an order that holds.

First all are proposed, then what was current gives way, then the new ones take its place, then what
is no longer defined is tombstoned, and at the end stands what the whole file is now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from holdfast.kernel.limits import PROXY_MOVED_MAX, PROXY_MOVED_NAMES_BYTES_MAX
from holdfast.kernel.types import ArtifactState, Grant
from holdfast.ledger.vault import Verbatim
from holdfast.proxy.values import Draft, Map, Replaced


class Definition(msgspec.Struct, frozen=True):
    """The text of an entity, as some sighting has it."""

    symbol: str
    artifact: str
    nodes: int
    tokens: int
    text: str | None = None
    """Given when it is proposed; None where it is not kept."""


class Moves:
    """Gathers the moves of one sighting in one file."""

    def __init__(self, known: Map, path: str, version: str, episode: str) -> None:
        self._known = known
        self._path = path
        self._version = version
        self._episode = episode
        self._proposed: list[Draft] = []
        self._yielded: list[Draft] = []
        self._raised: list[Draft] = []
        self._buried: list[Draft] = []
        self._settled: list[Draft] = []
        self.replaced: list[Replaced] = []
        self.settled: list[tuple[str, str | None]] = []

    def drafts(self) -> tuple[Draft, ...]:
        """Return the entries in their order."""
        return (
            *self._proposed,
            *self._yielded,
            *self._raised,
            *self._buried,
            *self._settled,
        )

    def propose(self, definitions: Sequence[Definition], reason: str, *, sound: bool) -> None:
        """Let definitions wait for authority."""
        moved = [
            _moved(one) | {"slice": None if one.text is None else Verbatim(one.text)}
            for one in definitions
        ]
        self._proposed += self._drafts(moved, (None, "PROPOSED"), reason, sound=sound)

    def promote(self, definitions: Sequence[Definition], reason: str, grant: Grant | None) -> None:
        """Let proposed definitions be the authoritative ones; what was so before gives way."""
        self._yield([one.symbol for one in definitions], "SUPERSEDED", reason, self._yielded)
        moved = [_moved(one) for one in definitions]
        self._raised += self._drafts(moved, ("PROPOSED", "AUTHORITATIVE"), reason, grant=grant)

    def bury(self, symbols: Iterable[str], reason: str) -> None:
        """Tombstone what is authoritative."""
        self._yield(symbols, "TOMBSTONED", reason, self._buried)

    def drop(self, definitions: Sequence[Definition], reason: str) -> None:
        """Tombstone proposals."""
        moved = [_moved(one) for one in definitions]
        self._buried += self._drafts(moved, ("PROPOSED", "TOMBSTONED"), reason)

    def settle(self, digest: str | None, text: str | None, reason: str) -> None:
        """Say what the whole file is now, if that is something else than before."""
        before = self._known.file(self._path)
        if before == digest:
            return
        self.settled.append((self._path, before))
        data = {
            "path": self._path,
            "version": self._version,
            "episode": self._episode,
            "digest": digest,
            "reason": reason,
            "text": None if text is None else Verbatim(text),
        }
        self._settled.append(Draft("file_settled", data))

    def _yield(
        self, symbols: Iterable[str], after: ArtifactState, reason: str, into: list[Draft]
    ) -> None:
        """Take authority away from what has it, sighting by sighting."""
        by_version: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for symbol in symbols:
            current = self._known.entity(f"{self._path}::{symbol}")
            if current is None or current.state != "AUTHORITATIVE":
                self.replaced.append(Replaced(self._path, symbol, None))
                continue
            artifact, version = current.artifact or "", current.version or ""
            self.replaced.append(
                Replaced(self._path, symbol, artifact, current.nodes, current.tokens)
            )
            by_version[version].append({"symbol": symbol, "artifact": artifact})
        for version, moved in by_version.items():
            into += self._drafts(moved, ("AUTHORITATIVE", after), reason, version=version)

    def _drafts(
        self,
        moved: Sequence[dict[str, Any]],
        states: tuple[ArtifactState | None, ArtifactState],
        reason: str,
        *,
        version: str | None = None,
        grant: Grant | None = None,
        sound: bool = False,
    ) -> Iterator[Draft]:
        for some in _portions(moved):
            data = {
                "version": version or self._version,
                "episode": self._episode,
                "path": self._path,
                "before": states[0],
                "after": states[1],
                "reason": reason,
                "grant": grant,
                "sound": sound,
                "symbols": some,
            }
            yield Draft("artifact_moved", data)


def _moved(one: Definition) -> dict[str, Any]:
    return {
        "symbol": one.symbol,
        "artifact": one.artifact,
        "nodes": one.nodes,
        "tokens": one.tokens,
    }


def _portions(moved: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield as many at a time as one entry holds."""
    portion: list[dict[str, Any]] = []
    size = 0
    for one in moved:
        length = len(one["symbol"].encode())
        full = len(portion) == PROXY_MOVED_MAX or size + length > PROXY_MOVED_NAMES_BYTES_MAX
        if portion and full:
            yield portion
            portion, size = [], 0
        portion.append(one)
        size += length
    if portion:
        yield portion
