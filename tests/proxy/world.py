"""A ledger, its live State Map, and pieces of code that cross."""

from __future__ import annotations

from typing import Any

from holdfast.code import language_of, read_symbols
from holdfast.kernel.entry import Entry
from holdfast.ledger.ledger import Draft as LedgerDraft
from holdfast.proxy.judging import Judging
from holdfast.proxy.splicing import digest_of
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Entity, Piece, Ruling
from holdfast.testing.builders import open_memory_ledger

PATH = "src/a.py"


class World:
    """Judges pieces and records what follows, as the proxy does."""

    def __init__(self, share: float = 0.5) -> None:
        self.ledger = open_memory_ledger()
        self.map = LiveMap(self.ledger.artifact)
        self.judging = Judging(share)
        self.episode = 0

    # What crosses

    def piece(self, text: str | None, path: str | None = PATH, **fields: Any) -> Piece:
        """Return a piece of a new sighting: a whole text of the model's, if nothing else is said.

        A delta is on what the State Map has as the file's text.
        """
        self.episode += 1
        language = None if path is None else language_of(path)
        reading = None if text is None or language is None else read_symbols(text, language)
        given: dict[str, Any] = {
            "version": f"e{self.episode}/1",
            "episode": f"e{self.episode}",
            "speaker": "model",
            "form": "whole",
            "path": path,
            "language": language,
            "text": text,
            "reading": reading,
            "level": "CONFIRMED",
            "by": "tree-sitter",
            "reason": "its definitions were read",
            "whole": "symbol" not in fields,
            "before": self.before(path) if path is not None else None,
        }
        if fields.get("delta"):
            given["base"] = self.map.file(path or "")
        return Piece(**(given | fields))

    def before(self, path: str) -> Any:
        """Return the file's text as the State Map has it, and its definitions."""
        digest, language = self.map.file(path), language_of(path)
        text = None if digest is None else self.map.text(digest)
        return None if text is None or language is None else (read_symbols(text, language), text)

    # What follows

    def tell(self, text: str | None, path: str | None = PATH, **fields: Any) -> Ruling:
        """Let a piece cross."""
        return self.take(self.judging.judge(self.map, self.piece(text, path, **fields)))

    def user(self, text: str | None, path: str | None = PATH, **fields: Any) -> Ruling:
        """Let the user paste something."""
        return self.tell(text, path, speaker="user", form="block", **fields)

    def read(self, text: str | None, path: str | None = PATH, **fields: Any) -> Ruling:
        """Let a tool read a file."""
        return self.tell(text, path, speaker="tool", **fields)

    def change(self, text: str, path: str = PATH, **fields: Any) -> Ruling:
        """Let the model change the file to a text by a delta."""
        return self.tell(text, path, form="replace", delta=True, **fields)

    def take(self, ruling: Ruling) -> Ruling:
        """Record what follows from a ruling."""
        drafts = [LedgerDraft(draft.type, draft.data) for draft in ruling.drafts]
        self.ledger.append_many(drafts, at=self.ledger.head().size)
        self.map.catch_up(self.ledger.reader)
        return ruling

    def episodes(self, count: int) -> None:
        """Let episodes go by."""
        for _ in range(count):
            self.episode += 1
            data = {
                "episode": f"e{self.episode}",
                "conversation": "c",
                "dialect": "chat",
                "model": "m",
                "prompt": "Hello.",
                "response_hash": "ab" * 32,
                "status": 200,
                "ended": "whole",
                "hydrated": [],
            }
            self.ledger.append("episode_recorded", data)
        self.map.catch_up(self.ledger.reader)

    # What is true

    def entity(self, symbol: str, path: str = PATH) -> Entity:
        """Return an entity that there is."""
        found = self.map.entity(f"{path}::{symbol}")
        assert found is not None
        return found

    def text(self, symbol: str, path: str = PATH) -> str | None:
        """Return the authoritative text of an entity; None when it has none."""
        found = self.map.entity(f"{path}::{symbol}")
        if found is None or found.state != "AUTHORITATIVE":
            return None
        return self.map.text(found.artifact or "")

    def state(self, symbol: str, path: str = PATH) -> str | None:
        """Return the state of an entity; PROPOSED when there are only proposals."""
        found = self.map.entity(f"{path}::{symbol}")
        if found is None:
            return None
        return found.state or ("PROPOSED" if found.proposals else None)

    def is_file(self, text: str | None, path: str = PATH) -> bool:
        """Tell whether the State Map has this as the whole text of a file."""
        return self.map.file(path) == (None if text is None else digest_of(text))

    def moves(self) -> list[dict[str, Any]]:
        """Return the data of every move."""
        return [self.ledger.data(entry) for entry in self.entries("artifact_moved")]

    def reasons(self) -> set[str]:
        """Return the reasons of the moves of the newest sighting."""
        newest = f"e{self.episode}/"
        return {one["reason"] for one in self.moves() if one["episode"] + "/" == newest}

    def entries(self, type_name: str) -> list[Entry]:
        """Return the entries of a type."""
        return [entry for entry in self.ledger.read() if entry.type == type_name]


def rebuilt(world: World) -> bytes:
    """Return the State Map as anybody works it out from the ledger."""
    return world.ledger.fold().state("state_map").dump()
