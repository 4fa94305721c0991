"""What stands between the work and a clear: put there by entries, and taken away by entries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.gate import FAILED, FORKS, GHOSTS, PASSED, SEARCHES, count, newest
from holdfast.stores.store import Items
from holdfast.testing import data_for, open_memory_ledger


def items_after(*entries: tuple[str, dict[str, Any]], session_id: str = "s1") -> Items:
    ledger = open_memory_ledger(session_id=session_id)
    for name, changes in entries:
        ledger.append(name, data_for(name, **changes))
    return dict(ledger.fold().state("gate").items)


def names(items: Items, which: str, field: str) -> list[Any]:
    return [item[field] for _, item in newest(items, which)]


@pytest.mark.req("L2")
def test_a_fork_is_open_until_it_is_resolved() -> None:
    opened = ("fork_opened", {"fork": "f1"}), ("fork_opened", {"fork": "f2"})
    assert names(items_after(*opened), FORKS, "fork") == ["f2", "f1"]
    settled = items_after(*opened, ("fork_resolved", {"fork": "f1"}))
    assert names(settled, FORKS, "fork") == ["f2"]


def test_a_fork_that_is_open_is_not_opened_again() -> None:
    items = items_after(
        ("fork_opened", {"fork": "f1", "subject": "one"}),
        ("fork_opened", {"fork": "f1", "subject": "two"}),
    )
    assert names(items, FORKS, "subject") == ["one"]


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    ("status", "blocks"),
    [
        ("unverified", True),
        ("could_not_look", True),
        ("confirmed", False),
        ("present", False),
        ("manual", False),
    ],
)
def test_a_ghost_blocks_until_the_doubt_is_over(status: str, blocks: bool) -> None:
    items = items_after(
        ("ghost_flagged", {"ghost": "sso"}), ("ghost_checked", {"ghost": "sso", "status": status})
    )
    assert count(items, GHOSTS) == int(blocks)
    ghost: Any = items["ghost sso"]
    assert (ghost["status"], ghost["attempts"]) == (status, 1)


def test_a_ghost_that_is_flagged_again_must_be_checked_again() -> None:
    confirmed = ("ghost_checked", {"ghost": "sso", "status": "confirmed"})
    assert count(items_after(confirmed), GHOSTS) == 0
    items = items_after(confirmed, ("ghost_flagged", {"ghost": "sso"}))
    assert names(items, GHOSTS, "status") == ["unverified"]
    assert names(items, GHOSTS, "attempts") == [1]


@pytest.mark.req("L11")
def test_a_pivot_settles_the_newest_search_of_its_session() -> None:
    ledger = open_memory_ledger(session_id="s1")
    ledger.append("search_ran", data_for("search_ran", 1))
    ledger.append("search_ran", data_for("search_ran", 2), session_id="s2")
    ledger.append("pivot_logged", data_for("pivot_logged"))
    items = ledger.fold().state("gate").items
    assert names(items, SEARCHES, "session") == ["s2"]


def test_a_pivot_may_name_its_search() -> None:
    ledger = open_memory_ledger(session_id="s1")
    first = ledger.append("search_ran", data_for("search_ran", 1))
    ledger.append("search_ran", data_for("search_ran", 2))
    ledger.append("pivot_logged", data_for("pivot_logged", search=first.id))
    assert names(ledger.fold().state("gate").items, SEARCHES, "query") == ["part 2"]


def test_a_pivot_with_nothing_to_settle_changes_nothing() -> None:
    assert items_after(("pivot_logged", {})) == {}
    assert items_after(("pivot_logged", {"search": "nobody's"})) == {}


def test_how_the_gate_went_last_is_kept_apart() -> None:
    items = items_after(
        ("gate_ran", {"passed": True}), ("gate_ran", {"passed": False, "trigger": "red"})
    )
    passed: Any = items[PASSED]
    failed: Any = items[FAILED]
    assert (passed["seq"], failed["seq"], failed["trigger"]) == (0, 1, "red")


steps = st.sampled_from(
    [
        ("fork_opened", {"fork": "a"}),
        ("fork_opened", {"fork": "b"}),
        ("fork_resolved", {"fork": "a"}),
        ("fork_resolved", {"fork": "b"}),
        ("ghost_flagged", {"ghost": "a"}),
        ("ghost_checked", {"ghost": "a", "status": "confirmed"}),
        ("ghost_checked", {"ghost": "b", "status": "unverified"}),
        ("search_ran", {}),
        ("pivot_logged", {}),
    ]
)


@given(st.lists(steps, max_size=14))
def test_the_lists_hold_what_a_plain_count_says(chosen: list[tuple[str, dict[str, Any]]]) -> None:
    items = items_after(*chosen)
    forks: list[str] = []
    ghosts: dict[str, bool] = {}
    searches = 0
    for name, data in chosen:
        match name:
            case "fork_opened" if data["fork"] not in forks:
                forks.append(data["fork"])
            case "fork_resolved" if data["fork"] in forks:
                forks.remove(data["fork"])
            case "ghost_flagged":
                ghosts[data["ghost"]] = True
            case "ghost_checked":
                ghosts[data["ghost"]] = data["status"] == "unverified"
            case "search_ran":
                searches += 1
            case "pivot_logged":
                searches = max(0, searches - 1)
            case _:
                pass
    assert names(items, FORKS, "fork") == forks[::-1]
    assert sorted(names(items, GHOSTS, "ghost")) == sorted(key for key, on in ghosts.items() if on)
    assert count(items, SEARCHES) == searches
