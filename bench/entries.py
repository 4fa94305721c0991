"""What is written: decisions, file changes and errors as an agent records them.

The same seed gives the same data in every process. An entry is about 600 bytes as stored, of which
its envelope (ids, hashes, time) is about 400. The words are English and paths look like paths, so
that redaction does all of its work on them and finds nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.chain import Head, seal_all
from holdfast.kernel.entry import Actor, Prepared
from holdfast.kernel.hashing import data_hash
from holdfast.ledger.ledger import Draft
from holdfast.ledger.sources import timestamp

Data: TypeAlias = dict[str, Any]

SESSION_ENTRIES: Final = 500
"""Entries before the next session begins."""

START_US: Final = 1_790_000_000_000_000

_TEXT: Final = (
    "the parser keeps a cursor and never copies its input because callers hold large buffers "
    "retry with a longer timeout after the server closed the connection while reading headers "
    "move validation to the edge so that inner code can rely on typed values and stay simple "
    "the index is rebuilt from the ledger when its digest does not match what was recorded "
    "tests ran in random order and one of them needed a clean folder before it could pass"
)
_WORDS: Final = _TEXT.split()
_FOLDERS: Final = ("src/api", "src/parser", "src/storage", "tests/unit", "docs", "tools/release")
_NAMES: Final = ("cursor", "session", "router", "index", "schema", "writer", "budget", "errors")
_ERRORS: Final = ("TimeoutError", "AssertionError", "ImportError", "ValueError", "HTTPStatusError")


def drafts(count: int, *, seed: int = 1, session: str = "bench") -> list[Draft]:
    """Return entries to record; a new session begins every SESSION_ENTRIES."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        kind, make = chance.choices(_KINDS, weights=_WEIGHTS)[0]
        made.append(Draft(kind, make(chance), f"{session}-{seed}-{number // SESSION_ENTRIES}"))
    return made


def bodies(count: int, *, seed: int = 1) -> list[bytes]:
    """Return the bytes of such entries as a ledger stores them."""
    prepared = map(_prepared, range(count), drafts(count, seed=seed))
    return [sealed.body for sealed in seal_all(Head("0" * 32), prepared)]


def entry_id(number: int) -> str:
    """Return a UUIDv7 without chance in it."""
    milliseconds = f"{START_US // 1000 + number:012x}"
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7000-8000-{number:012x}"


def data_of(size_bytes: int, count: int, *, seed: int = 1) -> list[Data]:
    """Return the data of decisions of about this size each."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        data = decision(chance)
        data["reasoning"] += " " + text(chance, 200)
        surplus = len(msgspec.json.encode(data)) - size_bytes
        data["reasoning"] = data["reasoning"][: max(20, len(data["reasoning"]) - surplus)]
        made.append(data)
    return made


def decision(chance: random.Random) -> Data:
    """Return the data of a decision."""
    return {
        "question": text(chance, 5) + "?",
        "choice": text(chance, 5),
        "reasoning": text(chance, 10),
        "alternatives": [text(chance, 3) for _ in range(chance.randint(1, 2))],
        "confidence": round(chance.uniform(0.5, 0.99), 2),
    }


def file_change(chance: random.Random) -> Data:
    """Return the data of a file change."""
    before, lines = chance.randint(0, 40_000), chance.randint(1, 400)
    return {
        "path": f"{chance.choice(_FOLDERS)}/{chance.choice(_NAMES)}_{chance.randint(1, 99)}.py",
        "action": "modify" if before else "create",
        "size_before": before,
        "size_after": before + lines * 30,
        "lines_changed": lines,
        "diff_summary": text(chance, 8),
        "hash_after": chance.randbytes(32).hex(),
    }


def _error(chance: random.Random) -> Data:
    return {
        "error_type": chance.choice(_ERRORS),
        "message": text(chance, 8),
        "context": f"{chance.choice(_FOLDERS)}/{chance.choice(_NAMES)}.py, " + text(chance, 5),
        "resolution": text(chance, 7),
        "prevention": None,
    }


_KINDS: Final[tuple[tuple[str, Callable[[random.Random], Data]], ...]] = (
    ("decision", decision),
    ("file_change", file_change),
    ("error", _error),
)
_WEIGHTS: Final = (3, 5, 2)


def text(chance: random.Random, words: int) -> str:
    """Return so many words."""
    start = chance.randrange(len(_WORDS) - words) if words < len(_WORDS) else 0
    chosen = _WORDS[start : start + words]
    while len(chosen) < words:
        chosen.append(chance.choice(_WORDS))
    return " ".join(chosen)


def _prepared(number: int, draft: Draft) -> Prepared:
    data = canonical.encode(draft.data)
    return Prepared(
        id=entry_id(number),
        type=draft.type,
        version=1,
        session_id=draft.session_id,
        timestamp=timestamp(START_US),
        actor=Actor("user", "script"),
        span=None,
        data=data,
        hash=data_hash(data),
    )
