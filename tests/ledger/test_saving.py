"""A save follows from ledger, kind of save, pins and policy, and from nothing else."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel import snapshot as snapshots
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import EMPTY_ROOT, leaf_hash
from holdfast.kernel.merkle import root_of
from holdfast.ledger import saving
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.history import fold_at
from holdfast.ledger.saving import take_save
from holdfast.storage.port import EVERYTHING
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.working_set import Policy
from tests.ledger.saved import PINS, STORY, lines_of, saved, tell, told
from tests.ledger.sealed import Box


@pytest.mark.req("O1", "O2", "O9")
@pytest.mark.parametrize("kind", ["SCENE", "SESSION", "CAMPAIGN"])
def test_saving_twice_with_nothing_between_gives_the_same_bytes(kind: Any) -> None:
    """SL-G1, its second test."""
    ledger = told()
    assert saved(ledger, kind).to_line() == saved(ledger, kind).to_line()


@pytest.mark.req("O2")
def test_saves_differ_where_ledger_kind_pins_or_policy_do() -> None:
    ledger = told()
    fold = ledger.fold()
    saves = [
        saved(ledger),
        saved(ledger, size=len(STORY) - 1),
        saved(ledger, "SESSION"),
        saved(ledger, policy=Policy(tokens=4000)),
        take_save(ledger.reader, fold, "SCENE", pins={**PINS, "tokens": "another"}),
    ]
    assert len({save.snapshot_id for save in saves}) == len(saves)


@pytest.mark.req("O2")
def test_a_save_is_digests_and_pointers() -> None:
    ledger = told()
    save, lines = saved(ledger), lines_of(ledger)
    assert save.store_digests == ledger.fold().digests()
    assert (
        save.facts_ledger_digest,
        save.unlock_state_digest,
        save.story_state_digest,
    ) == tuple(save.store_digests[name] for name in ("facts", "unlocks", "story"))
    assert save.event_log_range == (0, len(lines) - 1)
    assert save.event_log_hash == sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert save.tree_root == root_of([leaf_hash(line) for line in lines]).hex()
    assert (save.ledger, save.tree_size) == (ledger.id, len(lines))
    assert save.pins_snapshot == PINS
    assert len(save.compaction_ids) == len(save.compaction_hashes) == 3


@pytest.mark.req("O1")
def test_each_kind_of_save_holds_all_of_the_one_before() -> None:
    ledger = told()
    scene, session, campaign = (
        snapshots.thaw(saved(ledger, kind).contents) for kind in ("SCENE", "SESSION", "CAMPAIGN")
    )
    assert scene == {}
    assert session == {
        "sessions": {
            "s1": {
                "ended": None,
                "entries": 16,
                "first": 1,
                "last": 17,
                "reason": None,
                "title": "evening one",
            },
            "s2": {
                "ended": None,
                "entries": 2,
                "first": 12,
                "last": 18,
                "reason": None,
                "title": None,
            },
        },
        "unlocks": {"s1": ["handout-1"]},
    }
    assert campaign == {
        **session,
        "manifest": {
            "campaign": "campaign 1",
            "entries": len(STORY),
            "pins_revised": [],
            "world": "the coast",
        },
    }


@pytest.mark.req("O1")
def test_a_session_save_tells_of_the_session_that_has_just_ended() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {"title": "one"})
    ledger.append("session_ended", {"reason": "done"})
    told_of = snapshots.thaw(saved(ledger, "SESSION").contents)["sessions"]
    assert (told_of["s"]["reason"], told_of["s"]["ended"]) == ("done", 1)


@pytest.mark.req("O1")
def test_a_campaign_save_names_the_pins_that_were_revised_up_to_it() -> None:
    ledger = told(3)
    ledger.append("pin_revised", data_for("pin_revised", 1))
    size = ledger.head().size
    ledger.append("pin_revised", data_for("pin_revised", 2))
    assert snapshots.thaw(saved(ledger, "CAMPAIGN", size=size).contents)["manifest"][
        "pins_revised"
    ] == [{"after": "2", "before": "1", "pin": "store.facts", "seq": 3}]


@pytest.mark.lesson("O5")
def test_entry_0_is_a_boundary_like_any_other() -> None:
    """Zero is a value: number 0, a pending roll that entry 0 opened, a range of one entry."""
    ledger = told(1)
    save = saved(ledger)
    assert (save.timestamp_event_id, save.event_log_range, save.tree_size) == (0, (0, 0), 1)
    assert save.pending_state is not None
    assert save.pending_state["pending-0"]["seq"] == 0
    assert cold_boot(save, ledger, pins=PINS).pending["pending-0"]["seq"] == 0


@pytest.mark.req("O2")
def test_a_ledger_without_entries_has_a_save() -> None:
    ledger = open_memory_ledger()
    save = saved(ledger)
    assert (save.timestamp_event_id, save.event_log_range, save.tree_size) == (-1, (0, -1), 0)
    assert save.event_log_hash == sha256(b"").hexdigest()
    assert save.tree_root == EMPTY_ROOT.hex()
    assert save.pending_state is None
    assert cold_boot(save, ledger, pins=PINS).digests == save.store_digests


@pytest.mark.parametrize(
    ("size", "first"), [(0, 0), (1, 0), (4, 0), (5, 4), (8, 4), (9, 8), (19, 16)]
)
@pytest.mark.lesson("O2")
def test_the_range_is_the_segment_that_the_save_ends_in(
    size: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SAVE_SEGMENT_ENTRIES", 4)
    ledger = told()
    save = saved(ledger, size=size)
    lines = lines_of(ledger)[first:size]
    assert save.event_log_range == (first, size - 1)
    assert save.event_log_hash == sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert cold_boot(save, ledger, pins=PINS).digests == save.store_digests


def test_where_the_entries_lie_makes_no_difference(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        tell(box.ledger)
        size = box.ledger.head().size
        before = saved(box.ledger, "CAMPAIGN", size=size)
        box.sealer().seal()
        assert box.ledger.reader.archives() != ()
        assert saved(box.ledger, "CAMPAIGN", size=size).to_line() == before.to_line()


def test_of_a_log_with_a_hole_no_save_is_taken() -> None:
    ledger = told()
    fold = fold_at(ledger.reader, len(STORY))

    class Hole:
        head, node = ledger.reader.head, ledger.reader.node

        def read(self, selection: Any = EVERYTHING) -> Any:
            return (one for one in ledger.reader.read(selection) if one.seq != 7)

    with pytest.raises(Damaged, match="Entry 7 is missing") as failed:
        take_save(Hole(), fold, "SCENE", pins=PINS)
    assert failed.value.meaning == "Nothing was saved."


def test_an_unknown_kind_of_save_is_refused() -> None:
    ledger = told(1)
    kind: Any = "scene"
    with pytest.raises(InvalidInput, match="no kind of save called 'scene'"):
        take_save(ledger.reader, ledger.fold(), kind, pins=PINS)
