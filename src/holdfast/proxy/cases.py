"""One piece under judgment: what it defines, what is there now, and the moves that follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.code.values import Reading, Symbol
from holdfast.kernel.tokens import estimate
from holdfast.kernel.types import Grant
from holdfast.ledger.vault import Verbatim
from holdfast.proxy.moving import Definition, Moves
from holdfast.proxy.splicing import current, digest_of
from holdfast.proxy.values import Draft, Map, Piece, Ruling


class Case:
    """A piece, the State Map before it, and what follows."""

    def __init__(self, known: Map, piece: Piece) -> None:
        self.known = known
        self.piece = piece
        self._source = b"" if piece.text is None else piece.text.encode("utf-8", "replace")
        self._moves = Moves(known, piece.path or "", piece.version, piece.episode)
        self._others: list[Draft] = []
        self._promoted: list[str] = []
        self._proposed: list[str] = []
        self.unlinked = False
        """It is not what it was said to be."""

    @property
    def path(self) -> str:
        """The file it is of."""
        assert self.piece.path is not None
        return self.piece.path

    @property
    def reading(self) -> Reading:
        """What it defines."""
        assert self.piece.reading is not None
        return self.piece.reading

    def definition(self, symbol: Symbol) -> Definition:
        """Return what a symbol stands for, with its text."""
        text = self._source[symbol.start_byte : symbol.end_byte].decode("utf-8", "replace")
        return Definition(symbol.qualified, symbol.digest, symbol.nodes, estimate(text), text)

    def missing(self) -> list[str]:
        """Return what is authoritative in the file and not defined by the piece."""
        defined = {symbol.qualified for symbol in self.reading.symbols}
        return [name for name in self.known.symbols(self.path) if name not in defined]

    def propose(self, symbols: Iterable[Symbol], reason: str, *, sound: bool = False) -> None:
        """Let definitions wait that are not what is authoritative anyway."""
        self.propose_all(
            [self.definition(one) for one in symbols if self._is_news(one.qualified, one.digest)],
            reason,
            sound=sound,
        )

    def propose_all(
        self, definitions: Sequence[Definition], reason: str, *, sound: bool = False
    ) -> None:
        """Let definitions wait."""
        self._moves.propose(definitions, reason, sound=sound)
        self._proposed += [f"{self.path}::{one.symbol}" for one in definitions]

    def propose_as(self, path: str, definition: Definition, reason: str) -> None:
        """Let a text wait for an entity that the piece does not name."""
        moves = Moves(self.known, path, self.piece.version, self.piece.episode)
        moves.propose([definition], reason, sound=False)
        self._others += moves.drafts()
        self._proposed.append(f"{path}::{definition.symbol}")

    def promote(self, symbols: Iterable[Symbol], reason: str, grant: Grant | None) -> None:
        """Make definitions authoritative; those that are so already stay as they are."""
        symbols = list(symbols)
        news = [self.definition(one) for one in symbols if self._is_news(one.qualified, one.digest)]
        self.promote_all(news, reason, grant)
        kept = {symbol.qualified for symbol in symbols} - {one.symbol for one in news}
        self._promoted += [f"{self.path}::{name}" for name in sorted(kept)]

    def promote_all(
        self, definitions: Sequence[Definition], reason: str, grant: Grant | None
    ) -> None:
        """Make definitions authoritative."""
        self._moves.propose(definitions, reason, sound=True)
        self._moves.promote(definitions, reason, grant)
        self._promoted += [f"{self.path}::{one.symbol}" for one in definitions]

    def bury(self, symbols: Iterable[str], reason: str) -> None:
        """Tombstone what is authoritative."""
        self._moves.bury(symbols, reason)

    def doubt(self, symbol: str, reason: str) -> None:
        """Say of an entity that it is no longer so, and that nobody knows how it is."""
        data = {"path": self.path, "symbol": symbol, "reason": reason}
        self._others.append(Draft("disk_truth", data))

    def settle(self, digest: str | None, text: str | None, reason: str) -> None:
        """Say what the whole file is now."""
        self._moves.settle(digest, text, reason)

    def settle_text(self, reason: str) -> None:
        """Say that the piece is the whole file now."""
        text = self.piece.text or ""
        self.settle(digest_of(text), text, reason)

    def ruling(self) -> Ruling:
        """Return what follows."""
        return Ruling(
            (seen(self.piece), *self._moves.drafts(), *self._others),
            promoted=tuple(self._promoted),
            proposed=tuple(self._proposed),
            notice=self._is_notable(),
            version=self.piece.version,
            replaced=tuple(self._moves.replaced),
            settled=tuple(self._moves.settled),
        )

    def _is_notable(self) -> bool:
        """Tell whether the model must be told that what was said last changed nothing."""
        piece = self.piece
        if piece.speaker == "tool":
            return False
        changed = self._promoted or self._moves.replaced or self._moves.settled
        return piece.level != "CONFIRMED" or (
            not changed and (self.unlinked or piece.speaker == "user")
        )

    def _is_news(self, symbol: str, digest: str) -> bool:
        entity = current(self.known, self.path, symbol)
        return entity is None or entity.artifact != digest or entity.stale


def is_whole(piece: Piece, *, per_definition: bool = False) -> str:
    """Say why a text is not all of what it is of; empty when it is.

    Errors and what is left out may be looked at definition by definition.
    """
    reading = piece.reading
    if not piece.complete:
        return "it was not written to its end"
    if piece.symbol is None and not piece.whole:
        return "it is not all of a file"
    if reading is None:
        return "nobody could read it"
    if per_definition:
        return ""
    if reading.errors:
        return "it has errors"
    return "parts of it are left out" if reading.elided else ""


def seen(piece: Piece) -> Draft:
    """Return the entry that says that a piece crossed."""
    path = piece.path if piece.symbol is None else f"{piece.path}::{piece.symbol}"
    data: dict[str, Any] = {
        "version": piece.version,
        "episode": piece.episode,
        "speaker": piece.speaker,
        "form": piece.form,
        "path": path,
        "language": piece.language,
        "level": piece.level,
        "by": piece.by,
        "reason": piece.reason,
        "whole": piece.whole,
        "base": piece.base,
        "near": piece.near,
        "symbols": 0 if piece.reading is None else len(piece.reading.symbols),
        "text": None if piece.text is None else Verbatim(piece.text),
    }
    return Draft("artifact_seen", data)
