"""The bytes of what an import found are decided together, and are those of each alone."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.ledger.admission import admit, admit_all
from holdfast.ledger.importing.admitting import QUARANTINED, Found, admit_found
from holdfast.ledger.importing.intake import Intake
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.testing import open_memory_ledger

ACTOR = Actor("tool", "codex")
SECRET = "sk-ant-api03-" + "Zx81" * 20
DATA: tuple[dict[str, Any], ...] = (
    {"event": "plain"},
    {"event": "secret", "payload": f"use {SECRET}"},
    {"event": "long", "payload": "x" * (INLINE_BYTES_MAX + 1)},
    {"event": "number", "payload": 2**70},
    {"event": "reserved", "payload": {"$artifact": "none"}},
    {"event": "grounded", "payload": {"grounds": {"evidence": []}}},
)


def found(number: int, data: dict[str, Any], **more: Any) -> Found:
    """Return a line that became an entry."""
    draft = Draft("hook_fired", {"agent": "codex", **data}, id=f"id-{number}", **more)
    return Found(Line("source", number, b"a line"), draft)


@pytest.mark.parametrize("left_out", range(len(DATA) + 1))
def test_data_is_admitted_in_a_batch_as_it_is_alone(left_out: int) -> None:
    given = [
        ("hook_fired", {"agent": "codex", **data})
        for number, data in enumerate(DATA)
        if number != left_out
    ]
    redactor = Redactor(b"key")
    alone = [admit(type_name, data, redactor) for type_name, data in given]
    assert admit_all(given, redactor) == alone
    assert sum(one.redactions for one in alone) == (left_out != 1)


def test_what_would_be_refused_is_quarantined_and_the_others_stay_as_they_are() -> None:
    batch = [found(number, data) for number, data in enumerate(DATA)]
    bad = [found(10, {"event": ""}), found(11, {"event": "x"}, session_id="\n")]
    redactor = Redactor(b"key")
    ready = admit_found([*batch, *bad], redactor, ACTOR)
    assert ready[:-2] == admit_found(batch, redactor, ACTOR)
    assert [one.draft.type for one in ready[-2:]] == [QUARANTINED, QUARANTINED]
    assert [one.draft.id for one in ready[-2:]] == ["id-10", "id-11"]
    assert all(one.admitted is not None for one in ready)


def test_one_that_is_refused_does_not_make_the_others_wait_for_the_disk_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writes: list[int] = []
    write = Ledger._write

    def counted(self: Ledger, batch: Any, *more: Any, **named: Any) -> Any:
        writes.append(len(batch))
        return write(self, batch, *more, **named)

    monkeypatch.setattr(Ledger, "_write", counted)
    ledger = open_memory_ledger()
    intake = Intake(ledger, ACTOR)
    for one in (found(0, {"event": "x", "imported": {}}), found(1, {"event": ""})):
        intake.take(one)
    intake.flush()
    done = intake.report([])
    assert (done.imported, done.quarantined, writes) == (1, 1, [2])


def test_what_comes_decided_is_recorded_so_beside_what_does_not() -> None:
    ledger = open_memory_ledger()
    given = [found(number, {"event": f"event {number}", "imported": {}}) for number in range(4)]
    decided = admit_found(given, ledger._redactor, ACTOR)
    intake = Intake(ledger, ACTOR)
    for number, one in enumerate(decided):
        draft = msgspec.structs.replace(one.draft, data={})  # it is no longer looked at
        apart = msgspec.structs.replace(one, draft=draft)
        intake.take(apart if number % 2 else given[number])
    intake.flush()
    assert intake.report([]).imported == 4
    recorded = [bytes(entry.data) for entry in ledger.read()]
    assert recorded == [one.admitted.data for one in decided if one.admitted is not None]
