"""The targets of clearing, measured: each has a value when there is something, and can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.config import Attention
from holdfast.ledger.metrics import Measure
from holdfast.storage.port import Selection
from holdfast.wiring.attention import measure
from holdfast.wiring.clearing import clear
from holdfast.wiring.project import Project
from holdfast.wiring.targets import TARGETS, targets
from tests.clearing import PUT, TAKE, decided, make, opened, planned, ready

OUTPUT = "\n".join(f"src/a{n}.py:{n}: error: Name 'x' is not defined" for n in range(400))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def found(project: Project) -> dict[str, Measure]:
    return {one.name: one for one in targets(project)}


def work(project: Project, tokens: int | None = 6_000) -> None:
    """Fill a context, and clear it."""
    ready(project)
    for number in range(3):
        data = {"command": f"mypy {number}", "exit_code": 1, "output": OUTPUT}
        project.ledger.append("command_ran", data)
    if tokens is not None:
        measure(project, tokens, counter="test", source="test")
    assert clear(project).handoff is not None
    project.publish()


@pytest.mark.req("L19")
def test_after_a_clear_all_five_have_a_value_and_reach_their_target(folder: Path) -> None:
    with opened(folder) as project:
        work(project)
        assert {name: one.passed for name, one in found(project).items()} == dict.fromkeys(
            TARGETS, True
        )
        values = {name: one.value for name, one in found(project).items()}
    assert values["citation_survival"] == 1.0
    assert values["handoffs_in_trajectory"] == 1.0
    assert values["context_at_clear"] == 6_000
    assert 0.996 <= (values["reduction_per_session"] or 0) < 1
    assert 0.97 <= (values["reduction_per_reference"] or 0) < 1


@pytest.mark.req("L19")
def test_of_nothing_there_is_no_value(folder: Path) -> None:
    with opened(folder) as project:
        assert [(one.value, one.passed) for one in targets(project)] == [(None, None)] * 5


@pytest.mark.req("L19")
def test_a_quote_survives_its_file(folder: Path) -> None:
    with opened(folder) as project:
        decided(project, "Take from the front", TAKE)
        decided(project, "Put at the back", PUT)
        (folder / "src" / "queue.py").unlink()
        survived = found(project)["citation_survival"]
    assert (survived.value, survived.passed) == (1.0, True)
    assert "2 of 2" in survived.detail


@pytest.mark.req("L19")
def test_a_quote_whose_section_is_gone_does_not_count_as_survived(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        decided(project, "Take from the front", TAKE)
        decided(project, "Put at the back", PUT)
        monkeypatch.setattr(project.ledger, "artifact", lambda _sha256: None)
        survived = found(project)["citation_survival"]
    assert (survived.value, survived.passed) == (0.0, False)


def test_a_section_that_was_altered_proves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        decided(project, "Take from the front", TAKE)
        kept = project.ledger.artifact

        def altered(sha256: str) -> bytes | None:
            content = kept(sha256)
            return None if content is None else content + b" "

        monkeypatch.setattr(project.ledger, "artifact", altered)
        assert found(project)["citation_survival"].passed is False


@pytest.mark.req("L19")
def test_a_handoff_that_the_trajectory_does_not_tell_of_fails(folder: Path) -> None:
    with opened(folder) as project:
        work(project)
        for path in (folder / ".holdfast" / "trajectory").glob("*.jsonl"):
            kept = [line for line in path.read_bytes().splitlines() if b"handoff" not in line]
            path.write_bytes(b"\n".join([*kept, b"{torn"]))
        told = found(project)["handoffs_in_trajectory"]
    assert (told.value, told.passed) == (0.0, False)


@pytest.mark.req("L19")
def test_a_full_context_at_a_clear_fails_the_target(folder: Path) -> None:
    with opened(folder) as project:
        work(project, tokens=9_000)
        context = found(project)["context_at_clear"]
    assert (context.value, context.passed) == (9_000, False)


def test_a_context_with_a_window_of_its_own_is_not_held_against_the_seeds(folder: Path) -> None:
    with opened(folder, attention=Attention(window=200_000)) as project:
        work(project, tokens=90_000)
        context = found(project)["context_at_clear"]
    assert (context.value, context.passed) == (None, None)
    assert "1 with a window of their own" in context.detail


def test_without_raw_output_nothing_was_saved(folder: Path) -> None:
    with opened(folder) as project:
        planned(project)
        clear(project)
        assert found(project)["reduction_per_session"].value is None


def test_the_session_fails_where_outputs_are_small(folder: Path) -> None:
    with opened(folder) as project:
        planned(project)
        small = "\n".join(f"line {n}" for n in range(60))
        project.ledger.append("command_ran", {"command": "a", "exit_code": 0, "output": small})
        clear(project)
        measured = found(project)
    assert measured["reduction_per_session"].passed is False
    assert measured["reduction_per_reference"].passed is True


def test_what_cannot_be_looked_at_does_not_pass(folder: Path) -> None:
    with opened(folder) as project:
        work(project)
        path = next((folder / ".holdfast" / "trajectory").glob("*.jsonl"))
        path.unlink()
        path.mkdir()
        told = found(project)["handoffs_in_trajectory"]
    assert (told.value, told.passed) == (None, False)
    assert "could not look" in told.detail


def test_measuring_records_nothing(folder: Path) -> None:
    with opened(folder) as project:
        work(project)
        size = project.ledger.head().size
        targets(project)
        assert len(list(project.ledger.read(Selection(size)))) == 0
