"""Forks: found by id or its beginning, opened once, settled once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.index.views import Views
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.limits import FORK_IDS_MAX, NAME_CHARS_MAX
from holdfast.ledger.forks import CodeConflict, Fork, Forks, fork_id
from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import open_memory_ledger
from holdfast.views.contradictions import Statement


def fork(name: str, **fields: str) -> Fork:
    return Fork(
        fork=name,
        subject="store",
        statement="Keep it in SQLite",
        against="Keep it in Redis",
        reason="they differ",
        higher="Code on disk outranks what a model says now.",
        **fields,
    )


class Desk:
    """A ledger with forks in it."""

    def __init__(self) -> None:
        self.ledger: Ledger = open_memory_ledger()
        self.views = Views(":memory:")
        self.forks = Forks(self.ledger, self.views)

    def open(self, *names: str) -> None:
        self.ledger.append_many([fork(name).draft() for name in names])

    def open_as(self, entry: str, opened: Fork) -> None:
        """Open a fork by an entry that is not called like it."""
        draft = opened.draft()
        self.ledger.append(draft.type, draft.data, id=entry)
        self.views.fold_up(self.ledger.reader)

    def settle(self, name: str) -> None:
        self.views.fold_up(self.ledger.reader)
        self.ledger.append_many([self.forks.resolution(name, "compatible", "both may stand")])
        self.views.fold_up(self.ledger.reader)

    def squat(self, *names: str) -> None:
        """Record something else under an id that a fork, or its ruling, would have."""
        for name in names:
            self.ledger.append("session_started", {"fork": name}, id=name)
        self.views.fold_up(self.ledger.reader)


@pytest.fixture
def desk() -> Iterator[Desk]:
    opened = Desk()
    yield opened
    opened.views.close()


def test_open_forks_are_listed_the_newest_first(desk: Desk) -> None:
    desk.open("fork-a", "fork-b")
    assert [known.fork.fork for known in desk.forks.open()] == ["fork-b", "fork-a"]
    assert [known.fork.fork for known in desk.forks.open(1)] == ["fork-b"]
    assert desk.forks.count() == 2


@pytest.mark.req("L2")
def test_a_settled_fork_is_kept_with_its_ruling(desk: Desk) -> None:
    desk.open("fork-a")
    desk.settle("fork-a")
    known = desk.forks.get("fork-a")
    assert (known.is_open, known.ruling, known.because) == (False, "compatible", "both may stand")
    assert desk.forks.open() == []


def test_a_fork_is_named_by_its_id_or_the_beginning_of_an_open_one(desk: Desk) -> None:
    desk.open("fork-ab1", "fork-ab2", "fork-c")
    assert desk.forks.get("fork-ab1").fork.fork == "fork-ab1"
    assert desk.forks.get("c").fork.fork == "fork-c"
    assert desk.forks.get("fork-c").fork.fork == "fork-c"
    with pytest.raises(InvalidInput, match="Several open forks begin with 'ab'"):
        desk.forks.get("ab")
    for key in ("x", "", " ", "fork-"):
        with pytest.raises((NotFound, InvalidInput)):
            desk.forks.get(key)


def test_an_entry_that_is_no_fork_is_none(desk: Desk) -> None:
    desk.ledger.append("session_started", {}, id="s")
    with pytest.raises(NotFound, match="There is no fork 's'"):
        desk.forks.get("s")


def test_a_fork_that_was_ruled_on_opens_anew_under_another_id(desk: Desk) -> None:
    desk.open("fork-a")
    desk.views.fold_up(desk.ledger.reader)
    assert desk.forks.anew(fork("fork-a")).fork == "fork-a"
    desk.settle("fork-a")
    desk.views.fold_up(desk.ledger.reader)
    assert desk.forks.anew(fork("fork-a")).fork == "fork-a-2"


def test_ids_follow_from_both_sides_and_nothing_else() -> None:
    assert fork_id("a", "b") == fork_id("a", "b")
    assert len({fork_id("a", "b"), fork_id("b", "a"), fork_id("ab"), fork_id("a\\nb")}) == 4


@pytest.mark.req("L1")
def test_against_the_code_the_code_is_the_higher_truth() -> None:
    found = CodeConflict("${PROJECT_ROOT}/a.py:3", "x = 2", "`x = 1` [${PROJECT_ROOT}/a.py:3]")
    opened = found.fork("d", Statement(choice="x is two", subject="x", source="user"))
    assert opened.against_decision is None
    assert opened.against == "`x = 1` [${PROJECT_ROOT}/a.py:3]"
    assert opened.higher == "Code on disk outranks what the user decided."


@pytest.mark.req("L2")
@pytest.mark.lesson("N2")
def test_an_id_that_something_else_took_hides_no_fork(desk: Desk) -> None:
    desk.squat("fork-a", "fork-a-2")
    assert not desk.forks.was_opened(fork("fork-a"))
    [opened] = desk.forks.open_all([fork("fork-a")])
    assert opened.fork == "fork-a-3"
    assert [known.fork for known in desk.forks.open()] == [opened]
    assert desk.forks.was_opened(fork("fork-a"))
    assert desk.forks.open_all([fork("fork-a")]) == [opened]
    assert desk.forks.count() == 1


@pytest.mark.req("L2")
def test_however_many_ids_were_taken_the_fork_is_open(desk: Desk) -> None:
    desk.squat("fork-a", *(f"fork-a-{number}" for number in range(2, FORK_IDS_MAX + 2)))
    [opened] = desk.forks.open_all([fork("fork-a")])
    assert [known.fork for known in desk.forks.open()] == [opened]


def test_an_id_that_is_taken_between_the_look_and_the_writing_hides_no_fork(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_many = desk.ledger.append_many

    def slowly(drafts: Any, **given: Any) -> Any:
        monkeypatch.undo()
        desk.squat("fork-a")
        return append_many(drafts, **given)

    monkeypatch.setattr(desk.ledger, "append_many", slowly)
    [opened] = desk.forks.open_all([fork("fork-a")])
    assert opened.fork == "fork-a-2"
    assert [known.fork for known in desk.forks.open()] == [opened]


@pytest.mark.req("L2")
def test_an_open_fork_of_the_same_name_between_others_hides_none(desk: Desk) -> None:
    theirs = fork("fork-a", decision="x", against_decision="y")
    desk.open_as("another-id", theirs)
    [opened] = desk.forks.open_all([fork("fork-a", decision="p", against_decision="q")])
    assert opened.fork == "fork-a-2"
    assert desk.forks.count() == 2


@pytest.mark.req("L2")
def test_a_fork_whose_rulings_id_is_taken_is_shown_and_settled(desk: Desk) -> None:
    desk.open("fork-a")
    desk.squat("fork-a-resolved")
    known = desk.forks.get("fork-a")
    assert (known.is_open, known.ruling, known.resolved) == (True, None, None)
    desk.settle("fork-a")
    known = desk.forks.get("fork-a")
    assert (known.is_open, known.ruling, known.resolved) == (False, "compatible", 2)


@pytest.mark.req("L2")
def test_a_fork_whose_entry_has_another_id_is_listed_found_and_settled(desk: Desk) -> None:
    desk.open("fork-b")
    desk.open_as("some-entry", fork("odd"))
    assert [known.fork.fork for known in desk.forks.open()] == ["odd", "fork-b"]
    for key in ("odd", "od", "some-entry"):
        assert desk.forks.get(key).fork.fork == "odd"
    desk.settle("odd")
    for key in ("odd", "some-entry"):
        known = desk.forks.get(key)
        assert (known.fork.fork, known.is_open, known.ruling) == ("odd", False, "compatible")
    assert [known.fork.fork for known in desk.forks.open()] == ["fork-b"]


def test_a_fork_with_the_longest_name_can_be_settled(desk: Desk) -> None:
    name = "f" * NAME_CHARS_MAX
    desk.open_as("some-entry", fork(name))
    desk.settle(name)
    assert desk.forks.get(name).ruling == "compatible"


@pytest.mark.lesson("N15")
def test_one_fork_that_cannot_be_read_hides_no_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open("fork-a", "fork-b")
    data = desk.ledger.data

    def damaged(entry: Any) -> Any:
        if entry.seq == 1:
            raise Damaged("An artifact is not there.")
        return data(entry)

    monkeypatch.setattr(desk.ledger, "data", damaged)
    first, second = desk.forks.open()
    assert (first.fork.fork, first.fork.statement) == ("fork-b", "Keep it in SQLite")
    assert first.problem == "An artifact is not there."
    assert (second.fork.fork, second.problem) == ("fork-a", None)
