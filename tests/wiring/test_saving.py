"""Saves of a project: from kept folds, while others write, and when what is kept is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast import StateManager
from holdfast.config import Settings
from holdfast.index.views import Views
from holdfast.kernel.entry import Actor
from holdfast.ledger.history import fold_at
from holdfast.ledger.saving import take_save
from holdfast.testing.builders import data_for, draft
from holdfast.views.pins import environment_pins
from holdfast.wiring.booting import boot
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project
from holdfast.wiring.saving import auto_save, make_save
from tests.wiring.projects import elsewhere, killed


@pytest.fixture
def opened(project: Path) -> Iterator[Project]:
    with holdfast.open(project) as ledger:
        ledger.append_many([draft("decision", n) for n in range(40)])
    with open_project(place_of(project), Settings(), Actor("user", "test")) as found:
        yield found


def by_hand(project: Project) -> bytes:
    """Return the save as it comes out of a fold over everything."""
    reader = project.ledger.reader
    fold = fold_at(reader, reader.head().size)
    return take_save(reader, fold, "SCENE", pins=environment_pins()).to_line()


@pytest.mark.req("O9")
def test_kept_folds_give_the_same_save_as_folding_everything(opened: Project) -> None:
    assert make_save(opened, "SCENE").snapshot.to_line() == by_hand(opened)
    opened.ledger.append("decision", data_for("decision", 99))
    assert make_save(opened, "SCENE").snapshot.to_line() == by_hand(opened)


@pytest.mark.req("O9")
@pytest.mark.lesson("N11")
def test_a_save_while_others_append_is_of_one_moment(
    opened: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Views.digests
    appended: list[int] = []

    def slow(views: Views) -> dict[str, str]:
        """Let somebody append and fold between the look at the items and the digests."""
        if not appended:
            appended.append(opened.ledger.append("decision", data_for("decision", 77)).seq)
            views.fold_up(opened.ledger.reader)
        return real(views)

    monkeypatch.setattr(Views, "digests", slow)
    saved = make_save(opened, "SCENE").snapshot
    assert (saved.timestamp_event_id, appended) == (39, [40])
    assert boot(opened.ledger.reader, saved).digests == saved.store_digests


@pytest.mark.req("X2")
def test_a_save_marks_a_point_that_a_boot_can_start_from(opened: Project) -> None:
    saved = make_save(opened, "SCENE").snapshot
    opened.ledger.append_many([draft("decision", n) for n in range(100, 130)])
    opened.views.fold_up(opened.ledger.reader)
    assert opened.views.items_at(50)[0] == saved.tree_size == 40
    newest = make_save(opened, "SCENE").snapshot
    whole = boot(opened.ledger.reader, newest)
    based = boot(opened.ledger.reader, newest, base=saved, views=opened.views)
    assert based.digests == whole.digests
    assert [step.result for step in based.steps if step.number == 6] == ["30 entries"]


def test_a_save_that_cannot_be_made_is_told(opened: Project) -> None:
    opened.place.saves.write_bytes(b"a file where the folder should be")
    made = auto_save(opened, "SESSION")
    assert made.snapshot_id is None
    assert made.put_off is not None
    assert "cannot be written" in made.put_off


def test_a_ledger_that_cannot_be_read_to_its_end_is_not_saved(
    opened: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Views, "fold_up", lambda *_args, **_kwargs: 7)
    with pytest.raises(holdfast.Damaged, match="Entry 7 cannot be read"):
        make_save(opened, "SCENE")
    assert not opened.place.saves.exists()


@pytest.mark.req("O1")
def test_state_manager_saves_when_a_session_ends(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("s1")
        sm.log_decision("Who rounds?", "the cart", "it knows")
        ended = sm.end_session()
    assert (ended.save.save_type, ended.save.put_off) == ("SESSION", None)
    assert [file.stem for file in place_of(project).saves.iterdir()] == [ended.save.snapshot_id]


@pytest.mark.req("O1")
def test_state_manager_saves_when_the_context_fills_up(project: Path) -> None:
    with StateManager() as sm:
        sm.start_session("s1")
        sm.report_context_pressure()
        [file] = place_of(project).saves.iterdir()
        assert '"save_type":"SESSION"' in file.read_text()
        file.unlink()
        place_of(project).saves.rmdir()
        place_of(project).saves.write_bytes(b"a file where the folder should be")
        with pytest.warns(RuntimeWarning, match="No save was made"):
            sm.report_context_pressure()


@pytest.mark.req("O1")
def test_state_manager_saves_what_a_crashed_process_left(project: Path) -> None:
    with StateManager():
        pass
    killed("sm = StateManager(); sm.start_session('s1'); sm.log_decision('a', 'b', 'c')")
    assert not place_of(project).saves.exists()
    elsewhere("sm = StateManager(); sm.start_session('s2')")
    [file] = place_of(project).saves.iterdir()
    with StateManager() as sm:
        entries = [entry.type for entry in sm.ledger.read()]
    assert entries[-2:] == ["session_ended", "session_started"]
    assert f'"tree_size":{len(entries)}' in file.read_text()


def test_state_manager_warns_when_that_save_fails(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StateManager():
        pass
    killed("sm = StateManager(); sm.start_session('s1')")
    place_of(project).saves.write_bytes(b"a file where the folder should be")
    with StateManager() as sm, pytest.warns(RuntimeWarning, match="No save was made"):
        assert sm.start_session("s2") == "s2"


def test_the_campaign_of_a_save_is_the_same_file_again(opened: Project, tmp_path: Path) -> None:
    files: list[Any] = [tmp_path / "a.campaign", tmp_path / "b.campaign"]
    for file in files:
        make_save(opened, "CAMPAIGN", campaign=file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert make_save(opened, "CAMPAIGN", campaign=files[0]).campaign == files[0]
