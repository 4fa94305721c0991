"""Every assertion of a boot can fail, and says which step, what was expected, what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from holdfast.kernel import canonical
from holdfast.kernel.entry import Prepared
from holdfast.kernel.errors import BootFailed, Damaged, NewerFormat
from holdfast.kernel.hashing import data_hash
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger import replay
from holdfast.ledger.base import Base
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.ledger import Ledger
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import EVERYTHING
from holdfast.stores import STORES, facts
from holdfast.testing.builders import open_memory_ledger, prepared
from tests.ledger.saved import (
    PINS,
    STORY,
    altered,
    based,
    ledger_with,
    lines_of,
    over,
    replaced,
    saved,
    tell,
    told,
)

OTHER = "f" * 64

pytestmark = pytest.mark.req("O3")


def failure(save: SaveSnapshot | bytes, log: Any, **options: Any) -> BootFailed:
    with pytest.raises(BootFailed) as failed:
        cold_boot(save, log, **{"pins": PINS, **options})
    error = failed.value
    assert error.meaning == "Nothing was changed."
    assert error.expected != error.found
    assert error.remedy
    return error


# 1: the save


@pytest.mark.lesson("O5")
def test_the_hash_of_the_save_itself_is_checked() -> None:
    ledger = told()
    line = saved(ledger).to_line()
    assert failure(line.replace(b'"SCENE"', b'"CAMPAIGN"'), ledger).step == 1


@pytest.mark.parametrize("given", [b"", b"[]", b"{}", b"\xff", b'{"v":1}', "text", None, 3])
def test_what_is_no_save_fails_at_step_1(given: Any) -> None:
    assert failure(given, told()).step == 1


@pytest.mark.parametrize("value", [2**53, 0.1, float("inf"), b"\x00"])
def test_a_save_that_holds_what_no_save_can_fails_at_step_1(value: Any) -> None:
    ledger = told()
    bent = altered(saved(ledger), contents={"more": value})
    assert failure(bent, ledger).step == (11 if value == 0.1 else 1)


def test_a_save_of_a_newer_format_is_no_failure_but_another_error() -> None:
    ledger = told()
    line = saved(ledger).to_line().replace(b'"v":1', b'"v":2')
    with pytest.raises(NewerFormat, match="format 2"):
        cold_boot(line, ledger, pins=PINS)


# 3 and 4: the log


def test_a_save_of_another_ledger_fails_at_step_3() -> None:
    other = open_memory_ledger(MemoryEngine("f" * 32))
    tell(other)
    error = failure(saved(told()), other)
    assert (error.step, error.expected, error.found) == (3, told().id, "f" * 32)


@pytest.mark.parametrize("missing", [0, 7, len(STORY) - 1])
def test_a_missing_entry_is_named(missing: int) -> None:
    ledger = told()

    class Hole:
        head, node = ledger.reader.head, ledger.reader.node

        def read(self, selection: Any = EVERYTHING) -> Any:
            return (one for one in ledger.reader.read(selection) if one.seq != missing)

    error = failure(saved(ledger), Hole())
    assert (error.step, error.expected) == (3, f"entry {missing}")
    assert f"Entry {missing} is missing" in error.what


@pytest.mark.parametrize("kept", [0, 5, len(STORY) - 1])
def test_a_log_that_ends_too_soon_lacks_the_entry_after_its_end(kept: int) -> None:
    ledger = told()
    error = failure(saved(ledger), lines_of(ledger)[:kept])
    assert (error.step, error.expected) == (3, f"entry {kept}")


def test_a_log_that_cannot_be_read_fails_at_step_3() -> None:
    ledger = told()

    class Torn:
        head, node = ledger.reader.head, ledger.reader.node

        def read(self, selection: Any = EVERYTHING) -> Any:
            raise Damaged("The archive is gone.")

    error = failure(saved(ledger), Torn())
    assert (error.step, error.expected) == (3, "entry 0")
    assert "The archive is gone." in error.what


def test_a_line_that_is_gone_from_the_middle_is_found() -> None:
    ledger = told()
    ledger.append("tool_called", {"tool": "Read", "params": {}})
    lines = lines_of(ledger)
    error = failure(saved(ledger, size=len(STORY)), [*lines[:7], *lines[8:]])
    assert error.step == 4
    assert "entry 7: the entry stored as 7 says it is 8" in error.what


@pytest.mark.parametrize(
    ("old", "new"), [(b"Way 1", b"Way 7"), (b'"agent"', b'"user"'), (b"T", b"t"), (b"{", b"")]
)
def test_an_altered_entry_is_found_and_named(old: bytes, new: bytes) -> None:
    ledger = told()
    lines = lines_of(ledger)
    lines[9] = lines[9].replace(old, new, 1)
    error = failure(saved(ledger), lines)
    assert error.step == 4
    assert "entry 9:" in error.what or "entry 10:" in error.what


def test_the_hash_of_the_part_of_the_log_is_compared() -> None:
    ledger = told()
    save = saved(ledger)
    error = failure(altered(save, event_log_hash=OTHER), ledger)
    assert (error.step, error.expected, error.found) == (4, OTHER, save.event_log_hash)


def test_the_root_of_the_tree_is_compared() -> None:
    ledger = told()
    save = saved(ledger)
    error = failure(altered(save, tree_root=OTHER), ledger)
    assert (error.step, error.expected, error.found) == (4, OTHER, save.tree_root)


@pytest.mark.parametrize(
    "changes",
    [
        {"event_log_range": (0, 3)},
        {"event_log_range": (30, len(STORY) - 1)},
        {"event_log_range": (-1, len(STORY) - 1)},
        {"timestamp_event_id": 3},
        {"tree_size": 3},
    ],
)
def test_a_range_that_does_not_fit_the_save_fails_at_step_3(changes: dict[str, Any]) -> None:
    ledger = told()
    assert failure(altered(saved(ledger), **changes), ledger).step == 3


# 5: the stores


@pytest.mark.parametrize(
    ("pin", "digest", "named"),
    [
        ("1", OTHER, "'dreams' is not known here"),
        (None, OTHER, "'dreams' is not known here"),
        ("1", None, "'dreams' is not known here"),
    ],
)
def test_an_unknown_store_fails_at_step_5(pin: str, digest: str, named: str) -> None:
    ledger = told()
    save = saved(ledger)
    bent = altered(
        save,
        store_digests=replaced(save.store_digests, dreams=digest),
        pins_snapshot=replaced(save.pins_snapshot, **{"store.dreams": pin}),
    )
    error = failure(bent, ledger, pins=bent.pins_snapshot)
    assert error.step == 5
    assert named in error.what


def test_a_store_that_is_missing_from_the_save_fails_at_step_5() -> None:
    ledger = told()
    save = saved(ledger)
    bent = altered(save, store_digests=replaced(save.store_digests, sessions=None))
    error = failure(bent, ledger)
    assert error.step == 5
    assert "no digest of the store 'sessions'" in error.what


def test_a_store_without_a_version_fails_at_step_5() -> None:
    ledger = told()
    save = saved(ledger)
    bent = altered(save, pins_snapshot=replaced(save.pins_snapshot, **{"store.sessions": None}))
    assert failure(bent, ledger, pins=bent.pins_snapshot).step == 5


def test_a_version_of_a_store_that_nobody_has_fails_at_step_5() -> None:
    ledger = told()
    save = saved(ledger)
    bent = altered(save, pins_snapshot=replaced(save.pins_snapshot, **{"store.facts": "9"}))
    error = failure(bent, ledger, pins=bent.pins_snapshot)
    assert (error.step, error.expected, error.found) == (5, "9", "1")


def test_a_former_version_of_a_store_still_boots(monkeypatch: pytest.MonkeyPatch) -> None:
    """The save was made with facts 1; this code has facts 2, and kept 1."""
    ledger = told()
    ledger.append(
        "pin_revised",
        {"pin": "store.facts", "before": "1", "after": "2", "reason": "facts carry more"},
    )
    save = saved(ledger, size=len(STORY))

    class Newer:
        version = 2

        def __getattr__(self, name: str) -> Any:
            return getattr(facts.Facts(), name)

    stores = tuple(Newer() if one.name == "facts" else one for one in STORES)
    monkeypatch.setattr(replay, "STORES", stores)
    pins = {**PINS, "store.facts": "2"}
    error = failure(save, ledger, pins=pins)
    assert (error.step, error.expected, error.found) == (5, "1", "2")
    monkeypatch.setattr(replay, "FORMER", (facts.Facts(),))
    booted = cold_boot(save, ledger, pins=pins)
    assert booted.fold.state("facts").store.version == 1


# 6: the replay


@pytest.mark.lesson("O3")
def test_a_type_that_nobody_knows_fails_at_step_6() -> None:
    strange = msgspec.structs.replace(prepared("decision", 70), type="prophecy")
    bad = ledger_with(told(), strange)
    error = failure(over(saved(told()), lines_of(bad)), bad)
    assert error.step == 6
    assert f"Entry {len(STORY)} cannot be replayed" in error.what
    assert "'prophecy'" in error.found


def test_a_newer_version_of_a_type_is_no_failure_but_another_error() -> None:
    newer = msgspec.structs.replace(prepared("decision", 70), version=2)
    bad = ledger_with(told(), newer)
    with pytest.raises(NewerFormat, match="version 2"):
        cold_boot(over(saved(told()), lines_of(bad)), bad, pins=PINS)


def test_data_that_its_type_does_not_have_fails_at_step_6() -> None:
    data = canonical.encode({"choice": 7})
    wrong = msgspec.structs.replace(prepared("decision", 70), data=data, hash=data_hash(data))
    bad = ledger_with(told(), wrong)
    error = failure(over(saved(told()), lines_of(bad)), bad)
    assert error.step == 6
    assert f"Entry {len(STORY)}" in error.what


@pytest.mark.parametrize(("old", "new"), [(b'"seq":3', b'"seq":4'), (b'"0123', b'"9999')])
def test_an_entry_that_says_it_is_another_fails_at_step_6(old: bytes, new: bytes) -> None:
    """Also when the save was made over it: an entry has its number and its ledger in it."""
    lines = lines_of(told(4))
    lines[3] = lines[3].replace(old, new)
    error = failure(over(saved(told(4)), lines), lines)
    assert error.step == 6
    assert "The entry at 3 is entry" in error.what


@pytest.mark.parametrize(
    "last",
    [
        msgspec.structs.replace(prepared("decision", 70), type="prophecy"),
        msgspec.structs.replace(prepared("decision", 70), version=2),
    ],
    ids=["unknown type", "newer version"],
)
def test_of_an_altered_log_it_is_said_first_that_it_was_altered(last: Prepared) -> None:
    bad = ledger_with(told(), last)
    save = altered(over(saved(told()), lines_of(bad)), tree_root=OTHER)
    assert failure(save, bad).step == 4


# 8 to 12: what came of it


@pytest.mark.parametrize(
    "field", ["facts_ledger_digest", "unlock_state_digest", "story_state_digest"]
)
def test_the_digests_that_the_save_names_first_are_compared(field: str) -> None:
    ledger = told()
    save = saved(ledger)
    error = failure(altered(save, **{field: OTHER}), ledger)
    assert (error.step, error.expected, error.found) == (8, OTHER, getattr(save, field))


@pytest.mark.req("O4")
@pytest.mark.parametrize("store", [store.name for store in STORES])
def test_the_digest_of_every_store_is_compared(store: str) -> None:
    ledger = told()
    save = saved(ledger)
    bent = altered(save, store_digests=replaced(save.store_digests, **{store: OTHER}))
    error = failure(bent, ledger)
    assert (error.step, error.expected) == (8, OTHER)
    assert error.found == save.store_digests[store]
    assert f"store {store} " in error.what


@pytest.mark.parametrize(
    "policy",
    [
        {"id": "working-set/99"},
        {"surprise": 1},
        {"tokens": 3},
        {"decisions": None},
        {"decisions": "many"},
    ],
)
def test_a_policy_that_nobody_knows_fails_at_step_9(policy: dict[str, Any]) -> None:
    ledger = told()
    save = saved(ledger)
    assert failure(altered(save, policy=replaced(save.policy, **policy)), ledger).step == 9


@pytest.mark.req("O11")
def test_the_digest_of_the_working_set_is_compared() -> None:
    ledger = told()
    save = saved(ledger)
    error = failure(altered(save, working_set_digest=OTHER), ledger)
    assert (error.step, error.expected, error.found) == (10, OTHER, save.working_set_digest)


def test_another_budget_than_the_one_it_was_compiled_with_fails_at_step_10() -> None:
    ledger = told()
    save = saved(ledger)
    assert failure(altered(save, policy=replaced(save.policy, tokens=9000)), ledger).step == 10


@pytest.mark.req("O7")
@pytest.mark.parametrize(
    "bend",
    [
        lambda _: None,
        lambda pending: replaced(pending, consent=None),
        lambda pending: replaced(pending, another=pending["consent"]),
        lambda pending: replaced(pending, consent=replaced(pending["consent"], steps=[])),
    ],
    ids=["nothing", "one less", "one more", "no steps"],
)
def test_what_is_pending_is_compared(bend: Callable[[Any], Any]) -> None:
    ledger = told()
    save = saved(ledger)
    error = failure(altered(save, pending_state=bend(save.pending_state)), ledger)
    assert error.step == 11


@pytest.mark.req("O1")
@pytest.mark.parametrize("part", ["sessions", "unlocks", "manifest", "more"])
def test_what_else_a_save_holds_is_compared(part: str) -> None:
    ledger = told()
    save = saved(ledger, "CAMPAIGN")
    bent = altered(save, contents=replaced(save.contents, **{part: {"s9": {}}}))
    error = failure(bent, ledger)
    assert error.step == 11
    assert part in error.what


@pytest.mark.req("O5")
@pytest.mark.lesson("O5")
def test_compaction_ids_are_checked() -> None:
    ledger = told()
    save = saved(ledger)
    ids = save.compaction_ids
    for bent in (ids[:-1], (*ids, "0" * 16), ids[::-1], ()):
        assert failure(altered(save, compaction_ids=bent), ledger).step == 12


@pytest.mark.req("O5")
def test_compactions_are_made_anew_and_compared() -> None:
    ledger = told()
    save = saved(ledger)
    for one in save.compaction_ids:
        hashes = replaced(save.compaction_hashes, **{one: OTHER})
        error = failure(altered(save, compaction_hashes=hashes), ledger)
        assert (error.step, error.expected) == (12, OTHER)
        assert one in error.what
    assert failure(altered(save, compaction_hashes={}), ledger).step == 12


# A base


def test_items_that_are_not_those_of_the_base_fail_at_step_5() -> None:
    ledger = told()
    base = based(ledger, 10)
    items = {**base.items, "facts": {}}
    error = failure(saved(ledger), ledger, base=Base(base.snapshot, items))
    assert error.step == 5
    assert "the store facts" in error.what
    assert error.expected == base.snapshot.facts_ledger_digest


def test_items_that_are_none_fail_at_step_5() -> None:
    ledger = told()
    base = based(ledger, 10)
    odd: Any = {"x": 0.5}
    assert failure(saved(ledger), ledger, base=Base(base.snapshot, {"facts": odd})).step == 5


def test_a_base_of_another_ledger_fails_at_step_3() -> None:
    other = open_memory_ledger(MemoryEngine("f" * 32))
    tell(other)
    ledger = told()
    assert failure(saved(ledger), ledger, base=based(other, 4)).step == 3


def test_a_base_after_the_save_fails_at_step_3() -> None:
    ledger = told()
    assert failure(saved(ledger, size=4), ledger, base=based(ledger, 5)).step == 3


def test_a_base_made_of_another_log_fails_at_step_4() -> None:
    ledger = told()
    base = based(ledger, 10)
    bent = altered(base.snapshot, tree_root=OTHER)
    error = failure(saved(ledger), ledger, base=Base(bent, base.items))
    assert (error.step, error.expected) == (4, OTHER)


def test_a_base_with_another_version_of_a_store_fails_at_step_5() -> None:
    ledger = told()
    base = based(ledger, 10)
    pins = replaced(base.snapshot.pins_snapshot, **{"store.facts": "2"})
    bent = altered(base.snapshot, pins_snapshot=pins)
    assert failure(saved(ledger), ledger, base=Base(bent, base.items)).step == 5


def test_with_a_base_an_altered_entry_after_it_is_found() -> None:
    ledger = told()
    base, lines = based(ledger, 10), lines_of(ledger)
    lines[12] = lines[12].replace(b"make", b"rake")
    assert failure(saved(ledger), lines, base=base).step == 4


def test_a_wrong_past_is_found_by_the_digests() -> None:
    """A rollback to before the base: what is said to have been then cannot be anything else."""
    ledger: Ledger = told()
    ledger.append("rolled_back", {"to": 5, "reason": "far back"})
    base = based(ledger, 10)
    wrong = Base(base.snapshot, base.items, lambda _seq: base.items)
    assert failure(saved(ledger), ledger, base=wrong).step == 8
