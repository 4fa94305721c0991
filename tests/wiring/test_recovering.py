"""Coming back through a StateManager: the last state, old decisions, whole sessions, metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast import StateManager
from tests.wiring.projects import data, elsewhere, killed


@pytest.mark.req("P12")
def test_work_goes_on_at_the_next_item_after_a_kill(project: Path) -> None:
    """Scenario 1: the context is compacted in the middle of a session."""
    killed(
        "sm = StateManager(); sm.start_session('long')\n"
        "sm.create_checkpoint('convert the pages', 10, 20, 'item 11')"
    )
    said = elsewhere("print(StateManager().quick_restore())")
    assert "convert the pages 10/20" in said
    assert "item 11" in said


@pytest.mark.req("P12")
def test_an_old_decision_is_found_whole_in_an_archive(project: Path) -> None:
    """Scenario 3: what did we decide about algorithm X?"""
    with StateManager() as sm:
        sm.start_session("s")
        old = sm.log_decision("Which algorithm X?", "annealing", "it is simple", ["GA"])
        new = sm.log_decision("Which algorithm X?", "swarms", "faster here", supersedes=old.seq)
        sm.log_decision("Which colour?", "blue", "no reason")
        sm.seal(keep=0)
    with StateManager() as sm:
        found = sm.search("algorithm X", types=("decision",))
        assert {hit.seq: bool(hit.superseded) for hit in found.hits} == {
            old.seq: True,
            new.seq: False,
        }
        whole = sm.entry(old.seq)
        assert whole["data"]["reasoning"] == "it is simple"
        assert whole == sm.entry(old.id)
        assert sm.search("no such words anywhere").hits == []


@pytest.mark.req("P11")
def test_a_session_is_given_back_whole_from_log_and_archives(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("one")
        for number in range(20):
            sm.log_words(f"word {number}")
        before = [stored.body for stored in sm.ledger.lines()]
        sm.seal(keep=10)
        sm.end_session()
        given_back = sm.full_restore("one")
        assert [entry.seq for entry in given_back[:21]] == list(range(21))
        assert [sm.ledger.get(entry.seq).body for entry in given_back[:21]] == before
        with pytest.raises(holdfast.NotFound, match="no session"):
            sm.full_restore("never")


def test_a_lost_archive_is_named_and_the_rest_is_given_back_when_asked(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("one")
        for number in range(20):
            sm.log_words(f"word {number}")
        [name] = sm.seal(keep=10).archives
        (project / ".holdfast" / "state" / "archives" / name).unlink()
    with StateManager() as sm:
        with pytest.raises(holdfast.Damaged, match=name):
            sm.full_restore("one")
        rest = sm.full_restore("one", partial=True)
        assert [entry.seq for entry in rest] == list(range(11, 21))


@pytest.mark.req("P9")
def test_an_archive_that_is_not_the_one_listed_is_refused_whatever_it_holds(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("one")
        for number in range(20):
            sm.log_words(f"word {number}")
        [name] = sm.seal(keep=10).archives
        archive = project / ".holdfast" / "state" / "archives" / name
        archive.write_bytes(archive.read_bytes() + b"more")
    with StateManager() as sm:
        with pytest.raises(holdfast.Damaged, match=name):
            sm.full_restore("one")
        rest = [entry.seq for entry in sm.full_restore("one", partial=True)]
        assert set(rest) >= set(range(11, 21))


@pytest.mark.req("P13")
def test_the_metrics_are_measured_on_this_ledger(project: Path) -> None:
    with StateManager() as sm:
        for number in range(300):
            sm.log_words(f"word {number}")
        sm.create_checkpoint("t", next_action="n")
        [name] = sm.seal(keep=0).archives
        measured = sm.metrics()
        assert sorted(measured) == [
            "archive_integrity",
            "citation_survival",
            "compression_ratio",
            "context_at_clear",
            "handoffs_in_trajectory",
            "reduction_per_reference",
            "reduction_per_session",
            "restore_time",
            "zero_loss_rate",
        ]
        assert measured["archive_integrity"].passed
        assert measured["zero_loss_rate"].passed
        (project / ".holdfast" / "state" / "archives" / name).unlink()
    with StateManager() as sm:
        assert sm.metrics()["zero_loss_rate"].passed is False


@pytest.mark.req("P4")
def test_context_pressure_seals_and_says_why(project: Path) -> None:
    with StateManager() as sm:
        for number in range(120):
            sm.log_words(f"word {number}")
        report = sm.report_context_pressure()
        assert (report.sealed, report.busy) == (20, False)
    assert data("compression")[0]["trigger"] == "pressure"
