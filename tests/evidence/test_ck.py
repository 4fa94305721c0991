"""`ck`: its true flags, and "nothing is near" told apart from everything else that ends with 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.evidence import ck as adapter
from holdfast.kernel.errors import CouldNotLook
from holdfast.testing import ck as recorded


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / "src").mkdir(parents=True)
    (tmp_path / "project" / "src" / "a.py").write_text("def rotate_tokens():\n    return 1\n")
    return tmp_path / "project"


def ask(project: Path, day: str, query: str = "rotate tokens") -> adapter.CkAnswer:
    program = recorded.install(project.parent / day, day)
    return adapter.search(str(program), project, query, 0.4)


@pytest.mark.lesson("N17")
def test_it_is_asked_for_similarity_by_the_flags_that_it_has(project: Path) -> None:
    ask(project, "hit", "--sem and other words")
    search, status = recorded.calls(project.parent / "hit" / "ck")
    words = ["--sem", "--threshold", "0.4", "--topk", "100", "--jsonl", "--no-snippet"]
    assert search == [*words, "--", "--sem and other words", "."]
    assert status == ["--status-json", "."]


@pytest.mark.lesson("N17")
def test_a_hit_has_its_place_below_the_root_and_its_score(project: Path) -> None:
    answer = ask(project, "hit")
    assert answer.hits == [adapter.CkHit("src/a.py", 1, 3, 0.61)]
    assert (answer.best, answer.nearest, answer.files) == (0.61, "src/a.py:1-3", 4)
    assert answer.model == "BAAI/bge-small-en-v1.5"


@pytest.mark.lesson("N17")
def test_nothing_near_is_an_answer_that_names_what_was_nearest(project: Path) -> None:
    answer = ask(project, "none")
    assert (answer.hits, answer.best, answer.nearest) == ([], 0.312, "src/a.py:1")


@pytest.mark.lesson("N17")
@pytest.mark.lesson("L9")
@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("error", "DETAILED ERROR: Index error: No embeddings found"),
        ("no-model", "every score is zero"),
        ("empty", "names nothing that it compared"),
        ("usage", "ended with 2: error: unexpected argument"),
        ("panic", "ended with 101"),
        ("chatty", "something else than a hit"),
        ("silent", "said nothing"),
        ("unindexed", "has no file in its index"),
    ],
)
def test_whatever_else_happens_is_no_sign_that_nothing_is_there(
    project: Path, day: str, why: str
) -> None:
    with pytest.raises(CouldNotLook) as told:
        ask(project, day)
    assert why in told.value.what


@pytest.mark.lesson("N17")
def test_one_that_never_ends_is_stopped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "CK_SEARCH_S", 0.5)
    with pytest.raises(CouldNotLook) as told:
        ask(project, "hangs")
    assert "did not end" in told.value.what


def test_it_is_found_on_the_path_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.parent / "none"))
    assert adapter.installed(project) is None
    program = recorded.install(project.parent / "none", "none")
    assert adapter.installed(project) == str(program)


def test_one_that_the_project_brings_is_not_installed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(recorded.install(project / "bin", "none").parent))
    assert adapter.installed(project) is None
