"""What a person cites in the notes is held against the files before a clear."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.config import Notes
from holdfast.kernel.limits import GATE_BLOCKS_NAMED, GATE_MOVED_NAMED
from holdfast.wiring import gate_notes
from holdfast.wiring.clearing import clear
from holdfast.wiring.gate import GateReport, look
from holdfast.wiring.project import Project
from tests.clearing import (
    PUT,
    RELATIVE,
    SOURCE,
    TAKE,
    UNQUOTED,
    Enforcement,
    data_of,
    make,
    opened,
    ready,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def write(folder: Path, text: str) -> int:
    """Add text to the end of the notes; return the line it begins in."""
    place = folder / "NOTES.md"
    before = place.read_text() if place.exists() else ""
    place.write_text(f"{before}\n{text}\n")
    return before.count("\n") + 2


def said(report: GateReport) -> list[tuple[int, str]]:
    return [(one.step, str(one.reason)) for one in report.blocks]


@pytest.mark.req("L15")
@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        (RELATIVE, "has a citation with a relative path: [src/queue.py:11].", "[${PROJECT_ROOT}/"),
        ("put [src/queue.py:11]", "has a citation with a relative path", "[${PROJECT_ROOT}/"),
        ("`put` [queue.py:11]", "has a citation with a relative path", "[${PROJECT_ROOT}/"),
        (UNQUOTED, "has a citation without a word-for-word quote", "word for word"),
        ("`root` [/etc/passwd:1]", "whose path leaves the project", "below the project's root"),
        ("`a` [${PROJECT_ROOT}/../a.py:1]", "whose path leaves the project", "without `..`"),
        ("`put` [${PROJECT_ROOT}/src/queue.py]", "names no line", "in which line"),
        ("`put` [${PROJECT_ROOT}/src/queue.py:0]", "lines that cannot be", "count from 1"),
        ("`def` [${PROJECT_ROOT}/NOTES.md:1]", "a citation of the notes", "Cite the code"),
        (
            "`self._items.insert(item)` [${PROJECT_ROOT}/src/queue.py:11]",
            "a quote that no longer stands at src/queue.py:11: 'self._items.insert(item)'.",
            "Quote what stands there now",
        ),
        ("`self.items.push()` [${PROJECT_ROOT}/src/queue.py:99]", "of what is gone", "take the"),
        ("`def take():` [${PROJECT_ROOT}/src/stack.py:1]", "of what is gone", "no longer there"),
        ("`def take():` [${PROJECT_ROOT}/src:1]", "could not be held against its file", "one file"),
        ("`def take():` [${PROJECT_ROOT}/logo.png:1]", "could not be held against", "text file"),
    ],
)
def test_a_citation_that_proves_nothing_blocks_and_says_where_it_stands(
    folder: Path, text: str, reason: str, remedy: str
) -> None:
    (folder / "logo.png").write_bytes(b"\x89PNG\x00")
    with opened(folder) as project:
        ready(project)
        assert look(project).ok
        line = write(folder, f"- decided so: {text}, yesterday")
        report = look(project)
        [block] = report.blocks
        assert clear(project).report.blocks == report.blocks
        assert data_of(project.ledger, "gate_ran")[-1]["passed"] is False
    assert (report.ok, block.step, block.ref) == (False, 1, f"NOTES.md:{line}")
    assert str(block.reason).startswith(f"NOTES.md:{line} has a ")
    assert reason in str(block.reason)
    assert remedy in str(block.remedy)


@pytest.mark.req("L15")
@pytest.mark.parametrize(
    "text",
    [
        TAKE,
        PUT,
        f"```\n{RELATIVE}\n```",
        f"<!-- {RELATIVE} -->",
        "the service at [db.internal:5432] or `curl` [localhost:8080]",
        "[a link](src/queue.py:11), [x], [1:3], [${PROJECT_ROOT}/src], [see NOTES.md:12]",
        "as in [NOTES.md:3-9]",
        "| ${PROJECT_ROOT}/src/queue.py:11 | an identifier | today |",
        "**Evidence**: `code quote` [${PROJECT_ROOT}/file.ts:line]",
    ],
)
def test_what_stands_and_what_is_no_citation_is_in_nobodys_way(folder: Path, text: str) -> None:
    with opened(folder) as project:
        ready(project)
        write(folder, text)
        report = look(project)
    assert (report.blocks, report.told) == ((), ())


@pytest.mark.req("L15")
def test_a_quote_that_moved_is_told_and_in_nobodys_way(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        line = write(folder, PUT)
        (folder / "src" / "queue.py").write_text(f"import time\n\n{SOURCE}")
        report = look(project)
        assert (report.ok, report.blocks) == (True, ())
        [told] = report.told
        assert told.startswith(f"NOTES.md:{line}: It stands at line 13 now.")
        assert "[${PROJECT_ROOT}/src/queue.py:13]" in told
        cleared = clear(project)
    assert cleared.handoff is not None
    assert told in cleared.told


def test_many_that_moved_are_counted(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        write(folder, "\n".join([PUT] * (GATE_MOVED_NAMED + 2)))
        (folder / "src" / "queue.py").write_text(f"\n{SOURCE}")
        told = look(project).told
    assert len(told) == GATE_MOVED_NAMED + 1
    assert told[-1] == "NOTES.md: 2 more quotes stand at other lines now."


def test_many_that_block_are_counted(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        write(folder, "\n".join([RELATIVE] * (GATE_BLOCKS_NAMED + 3)))
        blocks = look(project).blocks
    assert len(blocks) == GATE_BLOCKS_NAMED + 1
    assert str(blocks[-1].reason) == "3 more citations in NOTES.md are in the way."


@pytest.mark.req("L15")
@pytest.mark.parametrize(("enforcement", "ok"), [("strict", False), ("warn", True)])
def test_how_strict_the_gate_is_decides(folder: Path, enforcement: Enforcement, ok: bool) -> None:
    with opened(folder, enforcement=enforcement) as project:
        ready(project)
        write(folder, RELATIVE)
        cleared = clear(project)
    assert [block.step for block in cleared.report.blocks] == [1]
    assert (cleared.handoff is not None) is ok


def test_a_gate_that_is_disabled_lets_pass_and_says_so(folder: Path) -> None:
    with opened(folder, enforcement="disabled") as project:
        ready(project)
        write(folder, RELATIVE)
        cleared = clear(project)
    assert cleared.handoff is not None
    assert [block.step for block in cleared.report.blocks] == [1]


def test_once_it_is_corrected_nothing_is_in_the_way(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        write(folder, RELATIVE)
        assert not look(project).ok
        place = folder / "NOTES.md"
        place.write_text(place.read_text().replace(RELATIVE, PUT))
        assert clear(project).handoff is not None


def test_what_a_decision_cites_is_not_told_twice(folder: Path) -> None:
    """Our part of the notes repeats decisions; that the code moved on since is no new fault."""
    with opened(folder) as project:
        ready(project)
        (folder / "src" / "queue.py").write_text("def other(): ...\n")
        assert "pop(0)" in (folder / "NOTES.md").read_text()
        assert look(project).blocks == ()


def test_a_line_that_a_person_added_to_our_part_is_looked_at(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        place = folder / "NOTES.md"
        head, mark, rest = place.read_text().partition("**Rationale**")
        place.write_text(f"{head}{RELATIVE}\n{mark}{rest}")
        [block] = look(project).blocks
    assert block.ref == f"NOTES.md:{head.count(chr(10)) + 1}"


def test_other_notes_are_looked_at_where_the_settings_name_them(folder: Path) -> None:
    with opened(folder, notes=Notes(path="docs/LOG.md")) as project:
        ready(project)
        (folder / "NOTES.md").write_text(RELATIVE)
        assert look(project).ok
        (folder / "docs" / "LOG.md").write_text(f"{RELATIVE}\nand [docs/LOG.md:1]\n")
        [block] = look(project).blocks
    assert block.ref == "docs/LOG.md:1"


def test_notes_that_are_not_kept_are_not_looked_at(folder: Path) -> None:
    with opened(folder, notes=Notes(write=False)) as project:
        ready(project)
        write(folder, RELATIVE)
        assert look(project).ok


def test_a_link_out_of_the_project_is_refused(folder: Path) -> None:
    (folder.parent / "outside.py").write_text(SOURCE)
    (folder / "inside.py").symlink_to(folder.parent / "outside.py")
    with opened(folder) as project:
        ready(project)
        write(folder, "`self._items.append(item)` [${PROJECT_ROOT}/inside.py:11]")
        [(step, reason)] = said(look(project))
    assert step == 1
    assert "whose path leaves the project" in reason


@pytest.mark.lesson("L3")
def test_a_check_that_fails_does_not_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_project: Project) -> None:
        raise OSError("no such device")

    monkeypatch.setattr(gate_notes, "cited", fail)
    with opened(folder) as project:
        ready(project)
        [(step, reason)] = said(look(project))
    assert step == 1
    assert reason == "Could not look at the citations in the notes: OSError: no such device"


MARKS = (RELATIVE, UNQUOTED, TAKE, "`", "```", "\n", "<!--", "-->", "[a/\ud800b.py:3]", "`x` [a:1]")
ODD = ("[${PROJECT_ROOT}/\x01:3]", f"`q` [{'a/' * 300}b.py:9]", "[x.py:999999999]", "é", "\r\n")
MORE = (
    f"`q` [${{PROJECT_ROOT}}/{'n' * 300}.py:1]",
    "`q` [./.:1]",
    "`q` [${PROJECT_ROOT}/.git/a:1]",
)
PIECES = st.sampled_from([*MARKS, *ODD, *MORE])


@pytest.mark.req("L15")
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=80))
def test_no_notes_make_the_check_fail(folder: Path, text: str) -> None:
    encoded = text.encode("utf-8", "replace")
    with opened(folder, session=None) as project:
        (folder / "NOTES.md").write_bytes(encoded)
        blocks, told = gate_notes.cited(project)
    count = encoded.count(b"\n") + 1
    for block in blocks:
        assert block.reason
        assert block.remedy
        if block.ref is not None:
            assert 1 <= int(str(block.ref).rpartition(":")[2]) <= count
    assert all(told)
