"""`make requirements`: number → tests, and what it refuses."""

import json
from pathlib import Path

import pytest

from tools import requirements

REQUIREMENTS = """\
# Requirements

| id | what must hold |
|---|---|
| P1 | An entry has `id`. |
| P2 | One two three four five six seven eight nine ten. |
| L1 | Truth hierarchy. |
"""
LESSONS = """\
| id | what happened | what must hold |
|---|---|---|
| P1 | The restore index pointed elsewhere. | Each gets its own. |
| L1 | The gate opened no file. | Each has its answer. |
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repo beside a folder with the tables."""
    repo = tmp_path / "repo"
    (repo / "tests" / "deep").mkdir(parents=True)
    (repo / "docs").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "requirements.md").write_text(REQUIREMENTS)
    (tmp_path / "shared" / "lessons.md").write_text(LESSONS)
    return repo


def marks(root: Path, source: str) -> list[tuple[str, str | None, str]]:
    (root / "tests" / "test_a.py").write_text(source)
    return [
        (mark.kind, mark.number, mark.test.removeprefix("tests/test_a.py::"))
        for mark in requirements.collect_marks(root)
    ]


def test_requirements_and_lessons_are_two_namespaces(root: Path) -> None:
    numbers = requirements.read_numbers(root)
    assert list(numbers["requirements"]) == ["P1", "P2", "L1"]
    assert list(numbers["lessons"]) == ["P1", "L1"]


def test_a_title_is_the_first_words(root: Path) -> None:
    titles = requirements.read_numbers(root)["requirements"]
    assert titles["P1"] == "An entry has `id`."
    assert titles["P2"] == "One two three four five six seven eight …"


def test_the_copy_is_read_when_the_tables_are_not_there(root: Path) -> None:
    numbers = requirements.read_numbers(root)
    assert requirements.main(root, ["--update"], {}) == 0
    (root.parent / "shared" / "lessons.md").unlink()
    assert requirements.read_numbers(root) == numbers


def test_without_any_numbers_it_fails(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "shared" / "lessons.md").unlink()
    assert requirements.main(root, [], {}) == 2
    assert "docs/requirements.json" in capsys.readouterr().err


def test_a_stale_copy_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "docs" / "requirements.json").write_text("{}")
    assert requirements.main(root, [], {}) == 0
    assert "--update" in capsys.readouterr().err


def test_marks_on_functions_with_several_numbers(root: Path) -> None:
    source = """
@pytest.mark.req("P1", "P2")
@mark.lesson("L1")
def test_x(): ...

@pytest.mark.req("P1")
async def test_y(): ...

@pytest.mark.slow
def test_unmarked(): ...
"""
    assert marks(root, source) == [
        ("requirements", "P1", "test_x"),
        ("requirements", "P2", "test_x"),
        ("lessons", "L1", "test_x"),
        ("requirements", "P1", "test_y"),
    ]


def test_a_class_hands_its_marks_to_its_tests(root: Path) -> None:
    source = """
@pytest.mark.req("P1")
class TestX:
    pytestmark = pytest.mark.lesson("P1")

    def test_a(self): ...
    @pytest.mark.req("P2")
    def test_b(self): ...
    def helper(self): ...
"""
    assert marks(root, source) == [
        ("requirements", "P1", "TestX::test_a"),
        ("lessons", "P1", "TestX::test_a"),
        ("requirements", "P1", "TestX::test_b"),
        ("lessons", "P1", "TestX::test_b"),
        ("requirements", "P2", "TestX::test_b"),
    ]


def test_a_class_that_inherits_its_tests_stands_for_them(root: Path) -> None:
    source = """
@pytest.mark.req("P1")
class TestMemory(Conformance):
    pytestmark = pytest.mark.lesson("P1")
"""
    assert marks(root, source) == [
        ("requirements", "P1", "TestMemory"),
        ("lessons", "P1", "TestMemory"),
    ]


@pytest.mark.parametrize(
    "assignment",
    [
        'pytestmark = pytest.mark.req("P1")',
        'pytestmark = [pytest.mark.slow, pytest.mark.req("P1")]',
        'pytestmark: list[object] = [pytest.mark.req("P1")]',
    ],
)
def test_a_module_hands_its_marks_to_its_tests(root: Path, assignment: str) -> None:
    assert marks(root, f"def test_x(): ...\n{assignment}") == [("requirements", "P1", "test_x")]


def test_marks_of_parameters_count(root: Path) -> None:
    source = """
@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.req("P1"))])
def test_x(x): ...
"""
    assert marks(root, source) == [("requirements", "P1", "test_x")]


def test_a_mark_on_a_helper_proves_nothing(root: Path) -> None:
    assert marks(root, '@pytest.mark.req("P1")\ndef helper(): ...') == []


def test_the_summary_counts_what_is_proved(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "tests" / "deep" / "test_b.py").write_text(
        '@pytest.mark.req("P1")\n@pytest.mark.lesson("L1", "P1")\ndef test_x(): ...'
    )
    assert requirements.main(root, [], {}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  P1    1  deep/test_b.py::test_x" in lines
    assert "  P2    0  One two three four five six seven eight …" in lines
    assert lines[-1] == "requirements 1 of 3 proved, lessons 2 of 2"


def test_a_long_list_says_how_many_are_left_out(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = "".join(f'@pytest.mark.req("P1")\ndef test_{n}(): ...\n' for n in range(5))
    (root / "tests" / "test_a.py").write_text(tests)
    requirements.main(root, [], {})
    assert "test_a.py::test_2, and 2 more" in capsys.readouterr().out


def test_json_holds_every_number(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "tests" / "test_a.py").write_text('@pytest.mark.req("L1")\ndef test_x(): ...')
    assert requirements.main(root, ["--json"], {}) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["requirements"]["L1"] == {
        "title": "Truth hierarchy.",
        "tests": ["tests/test_a.py::test_x"],
    }
    assert answer["lessons"]["L1"]["tests"] == []
    assert answer["summary"] == "requirements 1 of 3 proved, lessons 0 of 2"


def test_strict_fails_on_a_gap_and_names_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "tests" / "test_a.py").write_text(
        '@pytest.mark.req("P1", "L1")\n@pytest.mark.lesson("P1", "L1")\ndef test_x(): ...'
    )
    assert requirements.main(root, [], {"STRICT": "1"}) == 1
    assert capsys.readouterr().err == "no test for requirements: P2\n"


def test_strict_passes_without_gaps(root: Path) -> None:
    (root / "tests" / "test_a.py").write_text(
        '@pytest.mark.req("P1", "P2", "L1")\n@pytest.mark.lesson("P1", "L1")\ndef test_x(): ...'
    )
    assert requirements.main(root, [], {"STRICT": "1"}) == 0


def test_an_unknown_number_names_the_nearest(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "tests" / "test_a.py").write_text('@pytest.mark.lesson("P2")\ndef test_x(): ...')
    assert requirements.main(root, [], {}) == 1
    assert capsys.readouterr().err == (
        "tests/test_a.py::test_x: 'P2' is not in lessons; the nearest is 'P1'\n"
    )


@pytest.mark.parametrize("arguments", ["", "NUMBER", "7"])
def test_a_mark_without_a_literal_number_is_refused(
    root: Path, arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "tests" / "test_a.py").write_text(f"@pytest.mark.req({arguments})\ndef test_x(): ...")
    assert requirements.main(root, [], {}) == 1
    assert "literal strings" in capsys.readouterr().err
