"""Search: what comes first when the words alone do not tell, and what is shown once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.index.matching import Matcher, Scope
from holdfast.index.views import Views
from holdfast.ledger.ledger import Ledger
from holdfast.recall.search import Found, Query, search
from holdfast.testing.builders import data_for, open_memory_ledger


class Project:
    """A ledger and its views."""

    def __init__(self, views: Views) -> None:
        self.views = views
        self.ledger: Ledger = open_memory_ledger()

    def add(self, kind: str, session: str | None = "s", /, **changes: Any) -> int:
        data = data_for(kind, 1, **changes) if kind in BUILT else changes
        return self.ledger.append(kind, data, session_id=session).seq

    def found(self, text: str, **fields: Any) -> Found:
        self.views.catch_up(self.ledger.reader)
        return search(self.views, self.ledger.reader, Query(text, **fields))

    def ask(self, text: str, **fields: Any) -> list[int]:
        return [hit.seq for hit in self.found(text, **fields).hits]


BUILT = ("checkpoint", "decision", "file_change", "metric")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Views(str(tmp_path / "views.db")) as views:
        yield Project(views)


# What only repeats


@pytest.fixture
def echoed(project: Project) -> Project:
    """An entry that holds one word, and a checkpoint that holds it often, and another word."""
    project.add("agent_said", text="a long look at how the kestrel builds, and at what it eats")
    project.add("checkpoint", quick_resume="kestrel kestrel owl", next_action="kestrel")
    return project


def test_what_repeats_others_comes_after_what_it_repeats(echoed: Project) -> None:
    assert echoed.ask("kestrel") == [0, 1]
    assert echoed.ask("kestrel eats") == [0, 1]


def test_what_repeats_others_is_found_when_it_alone_fits(echoed: Project) -> None:
    assert echoed.ask("owl") == [1]


def test_who_asks_for_a_type_gets_it_by_its_words(echoed: Project) -> None:
    types = ("agent_said", "checkpoint")
    assert echoed.ask("kestrel", types=types) == [1, 0]
    assert echoed.ask("kestrel checkpoint")[0] == 1


# What is asked for by its kind


@pytest.mark.req("P12")
def test_a_kind_that_is_named_comes_first(project: Project) -> None:
    decision = project.add("decision", question="kestrel or owl", choice="both, by turns of a day")
    project.add("agent_said", text="kestrel kestrel")
    project.add("prompt_given", text="kestrel kestrel, if it can be done by the end of the week")
    assert project.ask("kestrel")[0] != decision
    assert project.ask("what did we decide on the kestrel?")[0] == decision


def test_a_word_that_is_named_does_not_outweigh_one_that_is_missing(project: Project) -> None:
    both = project.add("agent_said", text="the kestrel in the barn")
    project.add("decision", question="which way in?", choice="the barn")
    assert project.ask("what was decided on the kestrel in the barn?")[0] == both


# What is said more than once


def test_the_same_text_of_a_session_is_shown_once_and_counted(project: Project) -> None:
    for session in ("a", "a", "b", "a"):
        project.add("agent_said", session, text="kestrel")
    found = project.found("kestrel")
    assert [hit.seq for hit in found.hits] == [3, 2]
    assert (found.more, found.alike) == (2, 2)


def test_what_is_passed_over_makes_room(project: Project) -> None:
    other = project.add("agent_said", text="kestrel, and a long text about many other things")
    for _ in range(12):
        project.add("agent_said", text="kestrel")
    assert project.ask("kestrel", limit=2) == [12, other]


@pytest.mark.parametrize(
    ("kind", "one", "two"),
    [
        ("agent_said", {"text": "kestrel one"}, {"text": "kestrel two"}),
        ("tool_called", {"tool": "kestrel", "ok": True}, {"tool": "kestrel", "ok": False}),
        (
            "command_ran",
            {"command": "kestrel", "exit_code": 0},
            {"command": "kestrel", "exit_code": 1},
        ),
    ],
)
def test_what_differs_is_shown(
    project: Project, kind: str, one: dict[str, Any], two: dict[str, Any]
) -> None:
    project.add(kind, **one)
    project.add(kind, **two)
    found = project.found("kestrel")
    assert (len(found.hits), found.alike) == (2, 0)


def test_without_a_session_nothing_is_passed_over(project: Project) -> None:
    for _ in range(3):
        project.add("agent_said", None, text="kestrel")
    assert len(project.ask("kestrel")) == 3


@pytest.mark.lesson("N2")
def test_a_decision_that_holds_is_not_hidden_by_one_that_does_not(project: Project) -> None:
    old = project.add("decision", choice="kestrel")
    [key] = [entry.id for entry in project.ledger.read()]
    new = project.add("decision", choice="kestrel")
    project.add("decision", choice="owl", supersedes=[key])
    hits = project.found("kestrel").hits
    assert [(hit.seq, hit.superseded) for hit in hits[:2]] == [(new, False), (old, True)]


# How much a term counts, from the list of terms


def test_marks_are_those_that_each_would_be_asked_for(project: Project) -> None:
    for n in range(40):
        project.add(
            "agent_said", text=f"kestrel{' kestrel' * (n % 4)} {'kestrel-x kestrel.y 7 ' * n}"
        )
    project.views.catch_up(project.ledger.reader)

    def look(connection: Any) -> None:
        matcher = Matcher(connection, Scope(40))
        everything = range(40)
        marks = matcher.marks("kestrel", everything)
        asked = {
            place: sorted(matcher.newest(f'"kestrel{sign}"', 100))
            for place, sign in enumerate("!#$%&+:;<=>")
        }
        assert marks == {place: seqs for place, seqs in asked.items() if seqs}
        assert len(marks) > 2
        assert matcher.marks("kestrel", ()) == {}
        assert Matcher(connection, Scope(40, session="s")).marks("kestrel", everything) is None

    project.views.look(look)
