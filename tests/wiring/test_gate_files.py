"""What the gate looks at outside the ledger: the notes, and the files installed for agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Integrity, Notes
from holdfast.evidence.integrity import Finding, IntegrityReport
from holdfast.wiring import gate, integrity
from holdfast.wiring.clearing import clear
from holdfast.wiring.gate import GateReport, look
from holdfast.wiring.project import Project
from tests.clearing import Enforcement, make, opened, planned, ready


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def steps(report: GateReport) -> list[int]:
    return [block.step for block in report.blocks]


def in_conflict(place: Path) -> None:
    place.write_text("<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n")


def linked_away(place: Path) -> None:
    place.symlink_to(place.parent.parent / "elsewhere.md")


@pytest.mark.req("L15")
@pytest.mark.parametrize(
    "spoil",
    [
        in_conflict,
        linked_away,
        Path.mkdir,
        lambda place: place.write_bytes(b"\x00\xff\xfe"),
    ],
)
def test_a_check_and_a_clear_agree_on_notes_that_cannot_be_written(
    folder: Path, spoil: Callable[[Path], None]
) -> None:
    with opened(folder) as project:
        ready(project)
        (folder / "NOTES.md").unlink()
        spoil(folder / "NOTES.md")
        looked = look(project)
        assert clear(project).report.blocks == looked.blocks
    assert steps(looked) == [3]


def test_notes_below_a_file_cannot_be_written(folder: Path) -> None:
    (folder / "docs").write_text("a file\n")
    (folder / "docs").chmod(0o755)
    with opened(folder, notes=Notes(path="docs/deep/NOTES.md")) as project:
        planned(project)
        looked = look(project)
        assert clear(project).report.blocks == looked.blocks
    assert steps(looked) == [3]


def test_notes_in_a_folder_that_takes_no_files_are_in_the_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        ready(project)
        monkeypatch.setattr("os.access", lambda *_: False)
        [block] = look(project).blocks
    assert "NOTES.md cannot be written" in str(block.reason)


def test_notes_that_are_not_written_are_not_looked_at(folder: Path) -> None:
    (folder / "NOTES.md").mkdir()
    with opened(folder, notes=Notes(write=False)) as project:
        planned(project)
        assert look(project).ok


def drifted(enforcement: Enforcement) -> IntegrityReport:
    found = Finding("ck", "drift", "is not the pinned one.", "Install it again.")
    return IntegrityReport(enforcement, "1", (found,))


@pytest.mark.req("L16")
@pytest.mark.parametrize("gate_is", ["strict", "warn", "disabled"])
def test_files_that_drifted_block_where_integrity_is_strict_whatever_the_gate_lets_pass(
    folder: Path, monkeypatch: pytest.MonkeyPatch, gate_is: Enforcement
) -> None:
    monkeypatch.setattr(integrity, "check_integrity", lambda _: drifted("strict"))
    with opened(folder, enforcement=gate_is) as project:
        ready(project)
        cleared = clear(project)
        assert cleared.handoff is None
        assert not gate.with_block(cleared.report, cleared.report.blocks[0]).ok
    [block] = cleared.report.blocks
    assert (block.step, block.reason) == (5, "ck: is not the pinned one.")


def test_files_that_drifted_are_told_where_the_settings_only_warn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "check_integrity", lambda _: drifted("warn"))
    with opened(folder) as project:
        ready(project)
        cleared = clear(project)
    assert cleared.handoff is not None
    assert cleared.told[0] == "ck: is not the pinned one. Install it again."


@pytest.mark.lesson("L3")
@pytest.mark.parametrize(("enforcement", "blocks"), [("strict", [5]), ("warn", [])])
def test_installed_files_that_cannot_be_looked_at_do_not_pass(
    folder: Path, monkeypatch: pytest.MonkeyPatch, enforcement: Enforcement, blocks: list[int]
) -> None:
    def fail(_project: Project) -> Any:
        raise OSError("no such device")

    monkeypatch.setattr(integrity, "check_integrity", fail)
    with opened(folder, integrity=Integrity(enforcement=enforcement)) as project:
        ready(project)
        report = look(project)
    assert steps(report) == blocks
    assert ("no such device" in str(report.blocks + report.told)) is True
