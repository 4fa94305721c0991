"""Evidence says something, and is nobody's own word: crumbs and files of holdfast are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.evidence.own_files import OwnFiles
from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import open_memory_ledger
from tests.evidence.test_grounding import cite, proved


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


@pytest.mark.req("L1", "L7")
@pytest.mark.parametrize(
    "path",
    [
        "NOTES.md",
        "notes.md",
        "./NOTES.md",
        "link.md",
        ".holdfast/state/CURRENT_STATE.json",
        "sub/.holdfast/config.toml",
        ".git/COMMIT_EDITMSG",
        ".git",
        "folder/COMMIT_EDITMSG",
        ".claude/checksums.json",
    ],
)
def test_what_holdfast_and_git_write_is_no_evidence(root: Path, ledger: Ledger, path: str) -> None:
    """A note that repeats a decision would let the decision prove itself."""
    (root / "link.md").symlink_to("NOTES.md")
    (root / ".git").mkdir()
    (root / "folder").symlink_to(".git")
    for name in ("NOTES.md", "notes.md", ".git/COMMIT_EDITMSG", ".claude/checksums.json"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("the queue is a list\n")
    found = proved(root, ledger, cite("the queue is a list", 1, path))
    assert not found.ok
    [one] = found.checked
    assert (one.state, one.fault) == ("refused", "own-file")
    assert "Cite the code" in one.remedy


@pytest.mark.parametrize("path", ["docs/NOTES.md", ".claude/settings.json", ".github/a.yml"])
def test_other_files_of_such_names_are_evidence(root: Path, ledger: Ledger, path: str) -> None:
    (root / path).parent.mkdir()
    (root / path).write_text("the queue is a list\n")
    assert proved(root, ledger, cite("the queue is a list", 1, path)).ok


def test_the_notes_are_where_the_settings_say(root: Path, ledger: Ledger) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "diary.md").write_text("the queue is a list\n")
    text = cite("the queue is a list", 1, "docs/diary.md")
    assert proved(root, ledger, text).ok
    own = OwnFiles("docs/diary.md")
    assert proved(root, ledger, text, own=own).grounds["faults"] == ["own-file"]


SHORT = " x=1 \n7\nif pas:\n)\n大小值x\n"


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("quote", "line", "right"),
    [
        ("pas", 3, True),
        ("大小值", 5, True),
        ("pas:\n)", 3, True),
        ("x=1", 1, True),
        (" x=1 ", 1, True),
        ("7", 2, True),
        ("p", 3, False),
        (":", 3, False),
        ("if", 3, False),
        ("x=", 1, False),
        (":\n)", 3, False),
        ("值x", 5, False),
        (")", 4, False),
    ],
)
def test_a_quote_says_something_or_is_the_whole_line(
    root: Path, ledger: Ledger, quote: str, line: int, right: bool
) -> None:
    (root / "short.py").write_text(SHORT)
    found = proved(root, ledger, cite(quote, line, "short.py"))
    assert found.ok == right
    if not right:
        [one] = found.checked
        assert (one.state, one.fault) == ("refused", "too-short")
        assert "whole line" in one.remedy
