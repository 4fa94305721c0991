"""`holdfast evidence`: checks that are run here and now, and recorded with how they came out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Holdfast

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""Put together here, so that none stands in the repository."""


@pytest.fixture
def source(holdfast: Holdfast) -> Path:
    path = holdfast.folder / "queue.py"
    path.write_text("def take():\n    return take\n")
    return path


def recorded(holdfast: Holdfast) -> Any:
    entry = holdfast.entries()[-1]
    assert entry["type"] == "evidence_recorded"
    return entry["data"]


def run(holdfast: Holdfast, code: str, *args: str, kind: str = "run") -> Any:
    return holdfast("evidence", kind, *args, "--", sys.executable, "-c", code)


@pytest.mark.usefixtures("source")
def test_a_file_that_is_there(holdfast: Holdfast) -> None:
    assert holdfast("evidence", "file-exists", "queue.py").code == 0
    found = recorded(holdfast)
    assert (found["kind"], found["passed"], found["path"]) == ("file_exists", True, "queue.py")
    assert len(found["file"]) == 64


def test_a_file_that_is_not_there_is_a_no_and_recorded(holdfast: Holdfast) -> None:
    assert holdfast("evidence", "file-exists", "${PROJECT_ROOT}/nothing.py").code == 1
    found = recorded(holdfast)
    assert (found["passed"], found["path"]) == (False, "nothing.py")


@pytest.mark.req("L18")
@pytest.mark.parametrize("path", ["/etc/passwd", "../outside.py", "${PROJECT_ROOT}/../x"])
def test_nothing_outside_the_project_is_looked_at(holdfast: Holdfast, path: str) -> None:
    (holdfast.folder.parent / "outside.py").write_text("x\n")
    assert holdfast("evidence", "file-exists", path).code == 2
    assert holdfast("evidence", "grep", "x", path).code == 2
    assert holdfast.entries() == []


@pytest.mark.usefixtures("source")
def test_grep_counts_the_lines_that_match(holdfast: Holdfast) -> None:
    done = holdfast("evidence", "grep", r"\btake\b", "queue.py", "--json")
    assert (done.code, done.json()["matches"]) == (0, 2)
    assert holdfast("evidence", "grep", "^class", "queue.py").code == 1
    assert (recorded(holdfast)["matches"], recorded(holdfast)["pattern"]) == (0, "^class")


@pytest.mark.usefixtures("source")
def test_a_pattern_that_cannot_be_used_is_misuse(holdfast: Holdfast) -> None:
    for pattern in ("(", "(?=x)", "x" * 10_000):
        assert holdfast("evidence", "grep", pattern, "queue.py").code == 2
    assert holdfast.entries() == []


def test_grep_in_a_file_that_cannot_be_read_is_no_answer(holdfast: Holdfast) -> None:
    (holdfast.folder / "binary").write_bytes(b"take\0")
    assert holdfast("evidence", "grep", "take", "binary").code == 2
    assert holdfast.entries() == []


def test_a_command_passes_with_exit_code_0(holdfast: Holdfast) -> None:
    assert run(holdfast, "print('fine')").code == 0
    found = recorded(holdfast)
    assert (found["kind"], found["passed"], found["exit_code"]) == ("command", True, 0)
    assert found["output"] == "fine\n"
    assert "print" in found["command"]


def test_a_test_that_fails_is_a_no_and_recorded(holdfast: Holdfast) -> None:
    done = run(holdfast, "raise SystemExit(3)", "--json", kind="test")
    assert (done.code, done.json()["exit_code"], done.json()["passed"]) == (1, 3, False)
    assert (recorded(holdfast)["kind"], recorded(holdfast)["exit_code"]) == ("test", 3)


def test_what_takes_too_long_failed(holdfast: Holdfast) -> None:
    code = "import select; select.select([], [], [], 50)"
    assert run(holdfast, code, "--timeout", "0.5").code == 1
    found = recorded(holdfast)
    assert (found["passed"], found.get("exit_code")) == (False, None)
    assert "ended after 0.5 s" in found["output"]


def test_what_cannot_be_started_is_no_answer(holdfast: Holdfast) -> None:
    assert holdfast("evidence", "run", "--", "no-such-program").code == 2
    assert holdfast.entries() == []


@pytest.mark.req("L18")
def test_secrets_in_command_and_output_are_replaced(holdfast: Holdfast) -> None:
    run(holdfast, f"print({TOKEN!r})")
    assert TOKEN not in str(recorded(holdfast))
    assert "[REDACTED:" in recorded(holdfast)["output"]
    assert TOKEN.encode() not in holdfast.database.read_bytes()


def test_there_is_no_shell(holdfast: Holdfast) -> None:
    holdfast("evidence", "run", "--", sys.executable, "-c", "pass", "; touch made")
    assert not (holdfast.folder / "made").exists()


@pytest.mark.req("L7")
@pytest.mark.usefixtures("source")
def test_a_failed_check_ungrounds_a_decision_until_it_passes(holdfast: Holdfast) -> None:
    right = "`def take():` [${PROJECT_ROOT}/queue.py:1]"
    holdfast("decide", "take", "--because", "x", "--evidence", right)
    assert holdfast("ground", "0").code == 0
    code = "import pathlib; raise SystemExit(not pathlib.Path('fixed').exists())"
    assert run(holdfast, code, "--for", "0", kind="test").code == 1
    done = holdfast("ground", "0", "--json")
    assert (done.code, done.json()["faults"]) == (1, ["failed-check"])
    assert done.json()["checks"] == {"passed": 0, "failed": 1, "failed_entries": [1]}
    assert "Failed in entry 1; run the same again" in holdfast("ground", "0").text
    assert holdfast("ground", "0", "--evidence", right).code == 1
    (holdfast.folder / "fixed").touch()
    assert run(holdfast, code, "--for", "0", kind="test").code == 0
    assert holdfast("ground", "0").code == 0


def test_checks_that_passed_do_not_replace_a_quote(holdfast: Holdfast) -> None:
    holdfast("decide", "take", "--because", "x")
    assert run(holdfast, "", "--for", "0").code == 0
    done = holdfast("ground", "0", "--json")
    assert (done.code, done.json()["checks"]["passed"]) == (1, 1)


def test_a_check_for_what_was_never_decided_is_not_run(holdfast: Holdfast) -> None:
    made = "import pathlib; pathlib.Path('made').touch()"
    assert run(holdfast, made, "--for", "nothing").code == 1
    assert not (holdfast.folder / "made").exists()
    assert holdfast.entries() == []


@pytest.mark.lesson("L1")
def test_no_check_is_taken_from_what_somebody_wrote(holdfast: Holdfast) -> None:
    """A decision that claims in words that a test passed has no check, and nothing is run."""
    made = f'`{sys.executable} -c \'open("made", "w")\'` exits 0, `make test` passed'
    holdfast("decide", "take", "--because", made, "--evidence", made)
    done = holdfast("ground", "0", "--json")
    assert (done.code, done.json()["checks"]["passed"]) == (1, 0)
    assert not (holdfast.folder / "made").exists()


def test_grep_takes_one_file_and_says_so_of_a_folder(holdfast: Holdfast) -> None:
    (holdfast.folder / "src").mkdir()
    done = holdfast("evidence", "grep", "take", "src")
    assert done.code == 2
    assert "src is a folder." in done.err
    assert "It takes one file: name one of those in it." in done.err
    assert holdfast.entries() == []
