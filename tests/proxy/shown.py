"""A ledger in memory, a live State Map beside it, and definitions that cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.kernel.hashing import artifact_hash
from holdfast.ledger.ledger import Draft as LedgerDraft
from holdfast.ledger.ledger import Ledger
from holdfast.proxy.moving import Definition, Moves
from holdfast.proxy.recent import Recent
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Draft
from holdfast.testing import open_memory_ledger


class Desk:
    """What was shown of files, one episode after the other."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = open_memory_ledger() if ledger is None else ledger
        self.recent = Recent()
        self.live = LiveMap(self.ledger.artifact, listeners=[self.recent])
        self.live.catch_up(self.ledger.reader)
        self.episodes = 0

    def show(self, path: str, **texts: str) -> str:
        """Let definitions of a file be authoritative; return the version."""
        version, moves = self._moves(path)
        new = [define(symbol, text) for symbol, text in texts.items()]
        moves.propose(new, "shown", sound=True)
        moves.promote(new, "shown", "parity")
        self.append(moves.drafts())
        return version

    def propose(self, path: str, **texts: str) -> None:
        """Let definitions of a file wait."""
        _, moves = self._moves(path)
        moves.propose([define(symbol, text) for symbol, text in texts.items()], "a", sound=True)
        self.append(moves.drafts())

    def bury(self, path: str, *symbols: str) -> None:
        """Let definitions of a file be gone."""
        _, moves = self._moves(path)
        moves.bury(symbols, "gone")
        self.append(moves.drafts())

    def settle(self, path: str, text: str) -> None:
        """Say what the whole of a file is."""
        _, moves = self._moves(path)
        moves.settle(artifact_hash(text.encode()), text, "whole")
        self.append(moves.drafts())

    def record(self, *hydrated: str) -> None:
        """Record the episode itself."""
        self.append([Draft("episode_recorded", episode(f"e{self.episodes}", hydrated=hydrated))])

    def append(self, drafts: Sequence[Draft]) -> None:
        """Append entries and take them in."""
        given = [LedgerDraft(one.type, one.data) for one in drafts]
        self.ledger.append_many(given, at=self.ledger.head().size)
        self.live.catch_up(self.ledger.reader)

    def rebuilt(self) -> LiveMap:
        """Return a State Map made of the ledger alone."""
        live = LiveMap(self.ledger.artifact)
        live.catch_up(self.ledger.reader)
        return live

    def _moves(self, path: str) -> tuple[str, Moves]:
        self.episodes += 1
        version = f"e{self.episodes}/0"
        return version, Moves(self.live, path, version, f"e{self.episodes}")


def define(symbol: str, text: str) -> Definition:
    """Return the definition of a symbol."""
    return Definition(symbol, artifact_hash(text.encode()), len(text), len(text), text)


def episode(name: str, *, hydrated: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """Return the data of an episode."""
    return {
        "episode": name,
        "conversation": "c1",
        "dialect": "chat",
        "model": "m",
        "prompt": "change it",
        "answer": "done",
        "response_hash": "0" * 64,
        "status": 200,
        "ended": "whole",
        "hydrated": list(hydrated),
        **more,
    }
