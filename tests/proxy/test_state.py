"""The live State Map: the same as anybody would work out from the ledger."""

from __future__ import annotations

import pytest

from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import artifact_hash
from holdfast.kernel.limits import PROXY_CACHE_BYTES_MAX, PROXY_TOMBSTONE_EPISODES
from holdfast.proxy.names import Names
from holdfast.proxy.state import LiveMap
from holdfast.stores.state_map import StateMap
from holdfast.testing import data_for
from tests.proxy.shown import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_what_was_shown_last_is_what_is_true(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1", g="def g(): 1")
    version = desk.show("a.py", f="def f(): 2")
    found = desk.live.entity("a.py::f")
    assert found is not None
    assert (found.path, found.symbol) == ("a.py", "f")
    assert (found.state, found.version) == ("AUTHORITATIVE", version)
    assert found.artifact == artifact_hash(b"def f(): 2")
    assert desk.live.text(str(found.artifact)) == "def f(): 2"
    assert desk.live.symbols("a.py") == ("f", "g")
    assert len(desk.live) == 2


def test_what_is_not_known_is_none(desk: Desk) -> None:
    assert desk.live.entity("a.py::f") is None
    assert desk.live.symbols("a.py") == ()
    assert desk.live.file("a.py") is None
    assert desk.live.text("0" * 64) is None
    assert desk.live.standing()[2] == []


def test_the_whole_text_of_a_file_is_known_by_its_digest(desk: Desk) -> None:
    desk.settle("a.py", "def f(): 1\n")
    digest = desk.live.file("a.py")
    assert digest == artifact_hash(b"def f(): 1\n")
    assert desk.live.text(digest) == "def f(): 1\n"


def test_an_artifact_that_is_no_text_is_not_shown(desk: Desk) -> None:
    live = LiveMap(lambda _: b"\xff\xfe")
    assert live.text("0" * 64) is None


def test_proposals_stand_in_an_entity_and_are_not_listed(desk: Desk) -> None:
    desk.propose("a.py", f="def f(): 1")
    found = desk.live.entity("a.py::f")
    assert found is not None
    assert found.state is None
    assert [one.artifact for one in found.proposals] == [artifact_hash(b"def f(): 1")]
    assert desk.live.standing()[2] == []
    assert len(desk.live) == 0


@pytest.mark.req("T4")
def test_rebuilt_from_the_ledger_it_is_the_same_byte_for_byte(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1", g="def g(): 1")
    desk.record()
    desk.propose("a.py", g="def g(): 2")
    desk.bury("a.py", "f")
    desk.settle("a.py", "def g(): 1\n")
    desk.record()
    rebuilt = desk.rebuilt()
    assert rebuilt.dump() == desk.live.dump()
    assert rebuilt.standing() == desk.live.standing()
    assert rebuilt.digest() == desk.ledger.fold().state("state_map").digest()
    assert desk.live.dump() == desk.ledger.fold().state("state_map").dump()


def test_what_others_append_is_taken_in(desk: Desk) -> None:
    other = Desk(desk.ledger)
    desk.show("a.py", f="def f(): 1")
    assert other.live.entity("a.py::f") is None
    assert other.live.catch_up(desk.ledger.reader) > 0
    assert other.live.dump() == desk.live.dump()
    assert other.live.catch_up(desk.ledger.reader) == 0


def test_entries_of_other_kinds_only_count(desk: Desk) -> None:
    desk.ledger.append("decision", data_for("decision"))
    desk.live.catch_up(desk.ledger.reader)
    assert desk.live.size == 1
    assert desk.live.standing()[0] == 0


def test_a_gap_in_the_entries_is_damage(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1")
    later = list(desk.ledger.read())[1:]
    with pytest.raises(Damaged, match="Entry 0 is missing"):
        LiveMap(desk.ledger.artifact).apply(later)


def test_who_watches_is_told_what_came_and_went(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1")
    names = Names()
    desk.live.watch(names)
    assert names.find("look at f") == ["a.py::f"]
    desk.show("a.py", g="def g(): 1")
    desk.propose("a.py", h="def h(): 1")
    assert names.find("f, g and h") == ["a.py::f", "a.py::g"]
    desk.bury("a.py", "f")
    assert names.find("f, g and h") == ["a.py::g"]
    desk.show("a.py", f="def f(): 3")
    assert names.find("f, g and h") == ["a.py::f", "a.py::g"]


@pytest.mark.req("T12")
def test_a_tombstone_is_listed_for_some_episodes_and_its_text_stays(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1")
    desk.bury("a.py", "f")
    for _ in range(PROXY_TOMBSTONE_EPISODES - 1):
        desk.record()
    assert [one.state for one in desk.live.standing()[2]] == ["TOMBSTONED"]
    desk.record()
    assert desk.live.standing()[2] == []
    assert desk.live.text(artifact_hash(b"def f(): 1")) == "def f(): 1"


def test_times_are_those_of_the_entries(desk: Desk) -> None:
    desk.show("a.py", f="def f(): 1")
    desk.record()
    [moved] = [one for one in desk.ledger.read() if b"PROPOSED" in bytes(one.data)][-1:]
    [listed] = desk.live.standing()[2]
    assert listed.updated == moved.timestamp


def test_texts_are_asked_for_once_and_kept_up_to_a_bound() -> None:
    texts = {str(i): b"x" * (PROXY_CACHE_BYTES_MAX // 2) for i in range(3)}
    asked: list[str] = []

    def load(digest: str) -> bytes:
        asked.append(digest)
        return texts[digest]

    live = LiveMap(load)
    for digest in ("0", "0", "1", "0", "2", "0", "1"):
        live.text(digest)
    # The third did not fit: the one that was longest not asked for had to go.
    assert asked == ["0", "1", "2", "1"]


def test_a_text_that_is_larger_than_all_is_not_kept() -> None:
    asked: list[str] = []

    def load(digest: str) -> bytes:
        asked.append(digest)
        return b"x" * (PROXY_CACHE_BYTES_MAX + 1)

    live = LiveMap(load)
    live.text("0")
    live.text("0")
    assert asked == ["0", "0"]


def test_more_items_than_there_may_be_are_damage(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StateMap, "items_max", 3)  # two entities, and their file
    desk.show("a.py", f="def f(): 1", g="def g(): 1")
    with pytest.raises(Damaged, match="holds more than 3 items"):
        desk.show("a.py", h="def h(): 1")
