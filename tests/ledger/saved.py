"""Ledgers with a story in them, their saves, and saves that somebody tampered with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.merkle import root_of
from holdfast.kernel.snapshot import SaveSnapshot, SaveType, thaw
from holdfast.ledger.base import Base
from holdfast.ledger.history import fold_at
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.saving import take_save
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch
from holdfast.stores.facts import fact_id
from holdfast.testing.builders import LEDGER, data_for, open_memory_ledger
from holdfast.views.pins import environment_pins
from holdfast.views.working_set import WORKING_SET_POLICY, Policy

PINS = environment_pins()

VAULT = {"name": "the vault", "doors": 2}
SECRET = {"name": "the king", "is": "a doppelganger"}

STORY: tuple[tuple[str, dict[str, Any], str | None], ...] = (
    ("pending_opened", data_for("pending_opened", 0), None),
    ("session_started", {"title": "evening one"}, "s1"),
    ("story_set", data_for("story_set", 1), "s1"),
    ("scene_started", data_for("scene_started", 1), "s1"),
    ("fact_recorded", {"kind": "place", "payload": VAULT}, "s1"),
    ("fact_recorded", {"kind": "person", "payload": SECRET, "visibility": "HIDDEN"}, "s1"),
    ("unlock_granted", {"handle": fact_id("place", VAULT), "scope": "CAMPAIGN"}, "s1"),
    ("unlock_granted", {"handle": "handout-1", "scope": "SESSION"}, "s1"),
    ("unlock_granted", {"handle": "handout-2", "scope": "SCENE"}, "s1"),
    ("decision", data_for("decision", 1), "s1"),
    ("work_opened", data_for("work_opened", 1), "s1"),
    ("tool_called", data_for("tool_called", 1), "s1"),
    ("command_ran", data_for("command_ran", 1), "s2"),
    (
        "pending_opened",
        {
            "pending": "consent",
            "kind": "PENDING_CONSENT",
            "prompt": "May the curse be told?",
            "steps": ["ask", "hear", "repeat"],
            "details": {"odds": 0.25, "of": 0},
        },
        "s1",
    ),
    ("pending_step_taken", {"pending": "consent", "step": "ask"}, "s1"),
    ("decision", data_for("decision", 2), "s1"),
    ("rolled_back", {"to": 14, "reason": "the plan was wrong"}, "s1"),
    ("scene_ended", data_for("scene_ended", 1), "s1"),
    ("file_change", data_for("file_change", 1), "s2"),
)
"""Something of every store; sessions s1 and s2, of which s2 was never started."""


def told(count: int = len(STORY)) -> Ledger:
    """Return a ledger in memory that holds the beginning of the story."""
    ledger = open_memory_ledger()
    tell(ledger, count)
    return ledger


def tell(ledger: Ledger, count: int = len(STORY)) -> None:
    for type_name, data, session_id in STORY[:count]:
        ledger.append(type_name, data, session_id=session_id)


def saved(
    ledger: Ledger,
    save_type: SaveType = "SCENE",
    *,
    size: int | None = None,
    policy: Policy = WORKING_SET_POLICY,
) -> SaveSnapshot:
    """Take a save of the ledger as it is, or as it was after `size` entries."""
    fold = fold_at(ledger.reader, ledger.head().size if size is None else size)
    return take_save(ledger.reader, fold, save_type, pins=PINS, policy=policy)


def based(ledger: Ledger, size: int) -> Base:
    """Return what a boot may begin with after `size` entries."""
    return Base(saved(ledger, size=size), fold_at(ledger.reader, size).items())


def lines_of(ledger: Ledger) -> list[bytes]:
    return [stored.body for stored in ledger.lines()]


def altered(save: SaveSnapshot, **changes: Any) -> SaveSnapshot:
    """Return a save that says something else, with a hash that fits."""
    return SaveSnapshot(**{**save.body(), **changes})


def replaced(mapping: Any, **changes: Any) -> dict[str, Any]:
    """Return a copy of a frozen mapping with parts put, or with None taken out."""
    copy: dict[str, Any] = {**thaw(mapping), **changes}
    return {key: value for key, value in copy.items() if value is not None}


def over(save: SaveSnapshot, lines: Sequence[bytes]) -> SaveSnapshot:
    """Return the save as if it had been made of these lines: everything but the stores fits."""
    return altered(
        save,
        timestamp_event_id=len(lines) - 1,
        event_log_range=(0, len(lines) - 1),
        event_log_hash=sha256(b"".join(line + b"\n" for line in lines)).hexdigest(),
        tree_size=len(lines),
        tree_root=root_of([leaf_hash(line) for line in lines]).hex(),
    )


def ledger_with(ledger: Ledger, last: Prepared) -> Ledger:
    """Return a copy of a ledger with an entry at its end that no ledger would take."""
    engine = MemoryEngine(LEDGER)
    for sealed in [*_sealed(ledger), None]:
        head = engine.head()
        one = chain.seal(head, last) if sealed is None else sealed
        engine.append(Batch([one]), expected_head=head)
    return open_memory_ledger(engine)


def _sealed(ledger: Ledger) -> Iterator[Sealed]:
    for stored in ledger.lines():
        entry = entries.read(stored.body)
        yield Sealed(stored.seq, entry.id, entry.type, entry.session_id, stored.leaf, stored.body)
