"""The attention budget at work: what a count does, once for each time a zone is entered."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.config import Attention, Notes
from holdfast.kernel.errors import StorageFailed
from holdfast.wiring import attention, notes
from holdfast.wiring.attention import Measured, measure, standing
from holdfast.wiring.project import Project
from tests.clearing import TAKE, data_of, decided, make, opened, planned, ready, types_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def count(project: Project, tokens: int, **more: Any) -> Measured:
    return measure(project, tokens, counter="test", source="test", **more)


@pytest.mark.req("L5")
def test_green_is_recorded_and_asks_for_nothing(folder: Path) -> None:
    with opened(folder) as project:
        found = count(project, 100)
        assert (found.zone, found.before, found.message, found.done) == ("green", None, None, ())
        assert types_of(project.ledger)[-1] == "attention_measured"


@pytest.mark.req("L5")
def test_yellow_writes_the_decision_log_and_clears_nothing(folder: Path) -> None:
    with opened(folder) as project:
        task = ready(project)
        (folder / "NOTES.md").unlink()
        found = count(project, 5_000)
        assert (found.zone, found.message) == ("yellow", None)
        [synced] = data_of(project.ledger, "delta_synced")
        assert (synced["tokens"], synced["decisions_persisted"], synced["task"]) == (5000, 1, task)
        assert project.tasks.find(task).delta_synced
        assert "session_ended" not in types_of(project.ledger)
    text = (folder / "NOTES.md").read_text()
    assert "Take from the front" in text
    first, last = map(int, synced["notes_refs"][1].rpartition(":")[2].split("-"))
    assert "Take from the front" in "\n".join(text.splitlines()[first - 1 : last])


@pytest.mark.req("L5")
@pytest.mark.lesson("N18")
def test_the_same_zone_again_does_it_once(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        for tokens in (5_000, 5_001, 6_500, 9_999):
            count(project, tokens)
        kinds = types_of(project.ledger)
        assert kinds.count("delta_synced") == 1
        assert kinds.count("attention_measured") == 3
        count(project, 100)
        count(project, 5_000)
        assert types_of(project.ledger).count("delta_synced") == 2


@pytest.mark.lesson("N18")
def test_of_two_that_count_at_once_one_synthesizes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        ready(project)
        count(project, 5_000)
        item = dict(attention._item(project), synced=None)
        monkeypatch.setattr(attention, "_item", lambda _project: item)
        count(project, 5_000)
        assert types_of(project.ledger).count("delta_synced") == 1


@pytest.mark.req("L5")
@pytest.mark.parametrize(
    ("tokens", "zone", "message"),
    [
        (10_000, "orange", "Context is filling. Consider /clear when ready."),
        (15_000, "red", "Attention budget exhausted. Please /clear."),
    ],
)
def test_orange_and_red_run_the_checkpoint_and_say_so(
    folder: Path, tokens: int, zone: str, message: str
) -> None:
    with opened(folder) as project:
        ready(project)
        found = count(project, tokens)
        assert (found.zone, found.message) == (zone, message)
        [ran] = data_of(project.ledger, "gate_ran")
        assert (ran["passed"], ran["trigger"], ran["blocks"]) == (True, zone, [])
        assert "delta_synced" in types_of(project.ledger)
        assert "handoff_made" not in types_of(project.ledger)
        assert count(project, tokens).done == ()


@pytest.mark.lesson("L6")
@pytest.mark.parametrize("enforcement", ["strict", "warn", "disabled"])
def test_a_checkpoint_that_finds_something_is_logged_as_failed(
    folder: Path, enforcement: Any
) -> None:
    with opened(folder, enforcement=enforcement) as project:
        decided(project, "Use a deque")
        count(project, 10_000)
        [ran] = data_of(project.ledger, "gate_ran")
        assert not ran["passed"]
        assert [block["step"] for block in ran["blocks"]] == [1, 1, 7]


def test_each_zone_has_its_own_checkpoint(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        for tokens in (4_000, 6_000, 11_000, 12_500, 16_000, 17_000, 11_000):
            count(project, tokens)
        triggers = [ran["trigger"] for ran in data_of(project.ledger, "gate_ran")]
        assert triggers == ["orange", "red", "orange"]
        assert types_of(project.ledger).count("delta_synced") == 1


def test_a_count_within_a_thousand_tokens_is_not_recorded_again(folder: Path) -> None:
    with opened(folder) as project:
        for tokens in (0, 999, 1_000, 1_999, 900):
            count(project, tokens)
        assert [one["tokens"] for one in data_of(project.ledger, "attention_measured")] == [0, 1000]


@pytest.mark.req("L5")
def test_a_known_model_makes_zones_of_its_window(folder: Path) -> None:
    with opened(folder) as project:
        assert count(project, 20_000, model="gpt-4o").zone == "green"
        assert count(project, 40_000).zone == "yellow"
        found = standing(project)
        assert found is not None
        assert (found.model, found.window, found.bounds.red) == ("gpt-4o", 128_000, 96_000)
        assert count(project, 40_000, model="nobody knows").zone == "red"


def test_the_settings_window_counts_where_none_is_named(folder: Path) -> None:
    with opened(folder, attention=Attention(window=1_000)) as project:
        assert count(project, 300).zone == "yellow"
        assert count(project, 300, window=100_000).zone == "green"


@pytest.mark.req("L5")
def test_a_count_is_taken_even_when_nothing_can_be_written_down(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_project: Project) -> Any:
        raise StorageFailed("The disk is full.")

    with opened(folder) as project:
        ready(project)
        monkeypatch.setattr(notes, "refresh", fail)
        found = count(project, 5_000)
        assert "The disk is full." in found.done[0]
        assert types_of(project.ledger)[-1] == "attention_measured"
        monkeypatch.undo()
        assert "Wrote down 1 decision;" in count(project, 5_100).done[0]
        assert types_of(project.ledger)[-1] == "delta_synced"


@pytest.mark.req("L5")
def test_a_count_is_taken_even_when_nobody_knows_what_was_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        ready(project)
        monkeypatch.setattr(project.views, "fold_up", lambda *_a, **_k: 0)
        found = count(project, 5_000)
        assert types_of(project.ledger)[-1] == "attention_measured"
        assert "could not be looked up" in found.done[0]


@pytest.mark.req("L5")
@pytest.mark.parametrize(("tokens", "deny"), [(14_999, False), (15_000, True)])
def test_tool_calls_are_denied_in_red_and_only_if_the_user_wants_that(
    folder: Path, tokens: int, deny: bool
) -> None:
    with opened(folder, attention=Attention(deny=True)) as project:
        assert count(project, tokens).deny is deny
    with opened(folder) as project:
        assert not count(project, tokens).deny


def test_notes_that_cannot_be_written_are_told_and_tried_again(folder: Path) -> None:
    with opened(folder) as project:
        decided(project, "Take from the front", TAKE)
        (folder / "NOTES.md").unlink()
        (folder / "NOTES.md").mkdir()
        assert "failed and is tried again" in count(project, 5_000).done[0]
        (folder / "NOTES.md").rmdir()
        assert "Wrote down 1" in count(project, 5_000).done[0]


def test_without_notes_the_delta_is_logged_all_the_same(folder: Path) -> None:
    with opened(folder, notes=Notes(write=False)) as project:
        planned(project)
        count(project, 5_000)
        assert "delta_synced" in types_of(project.ledger)
    assert not (folder / "NOTES.md").exists()


def test_outside_any_session_it_counts_too(folder: Path) -> None:
    with opened(folder, session=None) as project:
        assert standing(project) is None
        count(project, 5_000)
        found = standing(project)
        assert found is not None
        assert (found.zone, found.tokens) == ("yellow", 5_000)


def test_the_answer_is_json(folder: Path) -> None:
    with opened(folder) as project:
        answer = msgspec.to_builtins(count(project, 6_000))
    assert (answer["zone"], answer["tokens"]) == ("yellow", 6_000)
    assert stat.S_ISREG((folder / "NOTES.md").stat().st_mode)
