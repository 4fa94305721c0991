"""The last episodes."""

from __future__ import annotations

import pytest

from holdfast.kernel.limits import PROXY_RECENT_ENTITIES_MAX, PROXY_RECENT_MAX
from holdfast.proxy.recent import Recent
from holdfast.proxy.state import LiveMap
from tests.proxy.shown import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_the_newest_comes_first_with_what_became_of_its_entities(desk: Desk) -> None:
    desk.show("a.py", f="1", g="1")
    desk.record()
    desk.show("a.py", f="2")
    desk.bury("a.py", "g")
    newest = [(name, episode.states) for name, episode in desk.recent.newest(10)]
    assert newest == [
        ("e3", {"a.py::g": "TOMBSTONED"}),
        ("e2", {"a.py::f": "AUTHORITATIVE"}),
        ("e1", {"a.py::f": "AUTHORITATIVE", "a.py::g": "AUTHORITATIVE"}),
    ]
    assert [name for name, _ in desk.recent.newest(1)] == ["e3"]


def test_a_proposal_is_one(desk: Desk) -> None:
    desk.propose("a.py", f="1")
    assert desk.recent.newest(1)[0][1].states == {"a.py::f": "PROPOSED"}


def test_what_was_only_put_before_the_model_is_listed_too(desk: Desk) -> None:
    desk.propose("a.py", f="1")
    desk.record("a.py::f", "a.py::g")
    assert desk.recent.newest(1)[0][1].states == {
        "a.py::f": "PROPOSED",
        "a.py::g": "AUTHORITATIVE",
    }


def test_after_a_restart_they_are_the_same(desk: Desk) -> None:
    for number in range(PROXY_RECENT_MAX + 5):
        desk.show(f"{number}.py", f="1")
        desk.record()
    again = Recent()
    LiveMap(desk.ledger.artifact, listeners=[again]).catch_up(desk.ledger.reader)
    assert again.newest(1000) == desk.recent.newest(1000)
    assert len(again.newest(1000)) == PROXY_RECENT_MAX


def test_more_entities_than_are_listed_are_counted(desk: Desk) -> None:
    desk.show("a.py", **{f"f{number}": "1" for number in range(PROXY_RECENT_ENTITIES_MAX + 3)})
    episode = desk.recent.newest(1)[0][1]
    assert len(episode.states) == PROXY_RECENT_ENTITIES_MAX
    assert episode.left_out == 3
