"""The State Map: one authoritative text for each entity, proposals, tombstones, files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import data_hash
from holdfast.kernel.limits import PROXY_PROPOSALS_MAX, PROXY_TOMBSTONE_EPISODES
from holdfast.kernel.types import LEGAL
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.vault import Verbatim
from holdfast.stores.state_map import EPISODES, entity_key, entity_name, file_key
from holdfast.testing.builders import data_for, open_memory_ledger

PATH = "a.py"


def items_of(ledger: Ledger) -> dict[str, Any]:
    return dict(ledger.fold().state("state_map").items)


def entity(ledger: Ledger, symbol: str = "f") -> Any:
    return items_of(ledger).get(entity_key(PATH, symbol))


def move(
    ledger: Ledger,
    before: str | None,
    after: str,
    version: int,
    *symbols: str,
    sound: bool = False,
) -> None:
    names = symbols or ("f",)
    data = data_for(
        "artifact_moved",
        version=f"e{version}/1",
        path=PATH,
        before=before,
        after=after,
        sound=sound,
        symbols=[
            {
                "symbol": name,
                "artifact": data_hash(b"%d %s" % (version, name.encode())),
                "nodes": version,
                "tokens": 2 * version,
                "slice": Verbatim(f"{version} {name}") if before is None else None,
            }
            for name in names
        ],
    )
    ledger.append("artifact_moved", data, at=ledger.head().size)


def raise_up(ledger: Ledger, version: int, *symbols: str) -> None:
    move(ledger, None, "PROPOSED", version, *symbols)
    move(ledger, "PROPOSED", "AUTHORITATIVE", version, *symbols)


def bury(ledger: Ledger, version: int, *symbols: str) -> None:
    move(ledger, "AUTHORITATIVE", "TOMBSTONED", version, *symbols)


def episodes(ledger: Ledger, count: int) -> None:
    for n in range(count):
        ledger.append("episode_recorded", data_for("episode_recorded", n))


def settle(ledger: Ledger, digest: str | None) -> None:
    ledger.append("file_settled", data_for("file_settled", path=PATH, digest=digest))


@pytest.mark.req("T4")
def test_an_authoritative_entity_has_one_artifact_and_its_file_lists_it() -> None:
    ledger = open_memory_ledger()
    raise_up(ledger, 1)
    assert entity(ledger) == {
        "artifact": data_hash(b"1 f"),
        "buried": None,
        "episode": 0,
        "nodes": 1,
        "proposals": [],
        "seq": 1,
        "stale": False,
        "state": "AUTHORITATIVE",
        "tokens": 2,
        "version": "e1/1",
        "withheld": False,
    }
    assert items_of(ledger)[file_key(PATH)] == {
        "digest": None,
        "proposed": [],
        "seq": 1,
        "symbols": ["f"],
        "version": None,
    }


@pytest.mark.req("T4", "T6")
def test_a_new_text_takes_the_place_of_the_old_one_and_clears_all_proposals() -> None:
    ledger = open_memory_ledger()
    raise_up(ledger, 1)
    move(ledger, None, "PROPOSED", 2, sound=True)
    move(ledger, None, "PROPOSED", 3)
    assert [one["version"] for one in entity(ledger)["proposals"]] == ["e3/1", "e2/1"]
    assert [one["sound"] for one in entity(ledger)["proposals"]] == [False, True]
    move(ledger, "AUTHORITATIVE", "SUPERSEDED", 1)
    move(ledger, "PROPOSED", "AUTHORITATIVE", 2)
    assert (entity(ledger)["version"], entity(ledger)["proposals"]) == ("e2/1", [])


def test_only_the_newest_proposals_can_still_be_raised() -> None:
    ledger = open_memory_ledger()
    for version in range(PROXY_PROPOSALS_MAX + 1):
        move(ledger, None, "PROPOSED", version)
    assert len(entity(ledger)["proposals"]) == PROXY_PROPOSALS_MAX
    move(ledger, "PROPOSED", "AUTHORITATIVE", 0)
    with pytest.raises(Damaged, match="there is no such proposal"):
        ledger.fold()


def test_a_proposal_that_is_taken_away_leaves_nothing_behind() -> None:
    ledger = open_memory_ledger()
    move(ledger, None, "PROPOSED", 1)
    assert items_of(ledger)[file_key(PATH)]["proposed"] == ["f"]
    move(ledger, "PROPOSED", "TOMBSTONED", 1)
    assert items_of(ledger) == {}


@pytest.mark.req("T12")
def test_a_tombstone_is_listed_for_some_episodes_and_its_text_stays_for_ever() -> None:
    ledger = open_memory_ledger()
    episodes(ledger, 3)
    raise_up(ledger, 1)
    bury(ledger, 1)
    episodes(ledger, PROXY_TOMBSTONE_EPISODES - 1)
    assert entity(ledger)["state"] == "TOMBSTONED"
    assert entity(ledger)["artifact"] == data_hash(b"1 f")
    assert file_key(PATH) not in items_of(ledger)
    episodes(ledger, 1)
    assert set(items_of(ledger)) == {EPISODES}
    assert ledger.artifact(data_hash(b"1 f")) == b"1 f"


@pytest.mark.req("T12")
def test_what_came_back_to_life_outlives_its_tombstone() -> None:
    ledger = open_memory_ledger()
    raise_up(ledger, 1)
    bury(ledger, 1)
    episodes(ledger, 5)
    raise_up(ledger, 2)
    episodes(ledger, PROXY_TOMBSTONE_EPISODES)
    assert entity(ledger)["state"] == "AUTHORITATIVE"
    bury(ledger, 2)
    episodes(ledger, PROXY_TOMBSTONE_EPISODES - 1)
    assert entity(ledger)["state"] == "TOMBSTONED"


def test_what_is_proposed_for_a_tombstone_outlives_it() -> None:
    ledger = open_memory_ledger()
    raise_up(ledger, 1)
    bury(ledger, 1)
    move(ledger, None, "PROPOSED", 2)
    episodes(ledger, PROXY_TOMBSTONE_EPISODES)
    found = entity(ledger)
    assert (found["state"], found["artifact"]) == (None, None)
    assert [one["version"] for one in found["proposals"]] == ["e2/1"]


def test_a_file_has_the_text_it_was_settled_on_until_it_is_doubted() -> None:
    ledger = open_memory_ledger()
    settle(ledger, "ab" * 32)
    raise_up(ledger, 1, "f", "g")
    assert items_of(ledger)[file_key(PATH)]["digest"] == "ab" * 32
    ledger.append("disk_truth", {"path": PATH, "symbol": "g", "reason": "it changed"})
    assert items_of(ledger)[file_key(PATH)]["digest"] is None
    assert (entity(ledger, "f")["stale"], entity(ledger, "g")["stale"]) == (False, True)
    ledger.append("disk_truth", {"path": PATH, "reason": "it changed"})
    assert entity(ledger, "f")["stale"]


def test_doubt_about_what_nobody_knows_changes_nothing() -> None:
    ledger = open_memory_ledger()
    ledger.append("disk_truth", {"path": PATH, "symbol": "g", "reason": "it changed"})
    ledger.append("disk_truth", {"path": PATH, "reason": "it changed"})
    assert items_of(ledger) == {}


def test_a_file_that_is_settled_on_nothing_and_defines_nothing_is_forgotten() -> None:
    ledger = open_memory_ledger()
    settle(ledger, "ab" * 32)
    settle(ledger, None)
    assert items_of(ledger) == {}


def test_a_text_that_is_not_in_the_vault_is_withheld() -> None:
    ledger = open_memory_ledger()
    ledger.append("artifact_moved", data_for("artifact_moved"), at=0)
    [item] = [item for key, item in items_of(ledger).items() if entity_name(key) is not None]
    assert [one["withheld"] for one in item["proposals"]] == [True]


def test_names_of_entities_and_their_keys() -> None:
    assert entity_name(entity_key("a.py", "C.f")) == "a.py::C.f"
    assert entity_name(file_key("a.py")) is None
    assert entity_name(EPISODES) is None


def test_a_rollback_does_not_move_the_state_map() -> None:
    ledger = open_memory_ledger()
    raise_up(ledger, 1)
    ledger.append("rolled_back", {"to": 0, "reason": "again"})
    assert entity(ledger)["state"] == "AUTHORITATIVE"


# Against a model that knows no items: only states


class Naive:
    """What is true, in the plainest words."""

    def __init__(self) -> None:
        self.current: dict[str, int] = {}
        self.waiting: dict[str, list[int]] = {}
        self.dead: dict[str, int] = {}
        self.count = 0

    def allows(self, name: str, before: str | None, after: str, version: int) -> bool:
        if (before, after) not in LEGAL:
            return False
        if before is None:
            return version not in self.waiting.get(name, []) and self.current.get(name) != version
        if before == "PROPOSED":
            known = version in self.waiting.get(name, [])
            return known and (after == "TOMBSTONED" or name not in self.current)
        return self.current.get(name) == version

    def take(self, name: str, before: str | None, after: str, version: int) -> None:
        if before is None:
            waiting = [version, *self.waiting.get(name, [])]
            self.waiting[name] = waiting[:PROXY_PROPOSALS_MAX]
        elif after == "AUTHORITATIVE":
            self.current[name] = version
            self.waiting.pop(name)
            self.dead.pop(name, None)
        elif before == "PROPOSED":
            self.waiting[name].remove(version)
        else:
            del self.current[name]
            if after == "TOMBSTONED":
                self.dead[name] = self.count

    def pass_by(self) -> None:
        self.count += 1
        old = self.count - PROXY_TOMBSTONE_EPISODES
        self.dead = {name: when for name, when in self.dead.items() if when > old}


STATES = (None, "PROPOSED", "AUTHORITATIVE", "SUPERSEDED", "TOMBSTONED")
STEPS = st.lists(
    st.tuples(st.sampled_from("fgh"), st.sampled_from(sorted(LEGAL, key=str)), st.integers(0, 5))
    | st.integers(1, 4),
    max_size=60,
)


@pytest.mark.req("T4", "T6")
@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_the_fold_is_what_a_plain_model_says(steps: list[Any]) -> None:
    """Only legal steps are taken; what is illegal to the model is damage to the fold."""
    ledger, naive = open_memory_ledger(), Naive()
    refused = 0
    for step in steps:
        if isinstance(step, int):
            episodes(ledger, step)
            for _ in range(step):
                naive.pass_by()
            continue
        name, (before, after), version = step
        if naive.allows(name, before, after, version):
            move(ledger, before, after, version, name)
            naive.take(name, before, after, version)
        elif refused < 3:
            refused += 1
            assert_damaged(ledger, before, after, version, name)
    items = items_of(ledger)
    found = {name: items.get(entity_key(PATH, name)) for name in "fgh"}
    assert naive.current == {
        name: int(item["version"][1:-2])
        for name, item in found.items()
        if item is not None and item["state"] == "AUTHORITATIVE"
    }
    assert {name: waiting for name, waiting in naive.waiting.items() if waiting} == {
        name: [int(one["version"][1:-2]) for one in item["proposals"]]
        for name, item in found.items()
        if item is not None and item["proposals"]
    }
    assert set(naive.dead) == {
        name for name, item in found.items() if item is not None and item["state"] == "TOMBSTONED"
    }
    file = items.get(file_key(PATH)) or {"symbols": [], "proposed": []}
    assert sorted(naive.current) == file["symbols"]
    assert sorted(name for name, some in naive.waiting.items() if some) == file["proposed"]
    assert ledger.verify().ok


def assert_damaged(ledger: Ledger, before: Any, after: str, version: int, name: str) -> None:
    """Put an illegal step into a copy of a ledger: nobody can work out what is true then."""
    copy = open_memory_ledger()
    for entry in ledger.read():
        copy.append(entry.type, ledger.data(entry), at=copy.head().size)
    move(copy, before, after, version, name)
    with pytest.raises(Damaged):
        copy.fold()
    assert not copy.verify().ok
