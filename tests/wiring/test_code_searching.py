"""Searching a project's code: which level spoke, over what, and what could not be searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.index import vectors
from holdfast.kernel.errors import InvalidInput, StorageFailed
from holdfast.kernel.limits import SOURCE_RANKS_FUSED
from holdfast.recall.code_search import CodeQuery
from holdfast.recall.similarity import Read
from holdfast.testing import ck as recorded
from holdfast.wiring import code_searching
from holdfast.wiring.code_files import CodeFiles
from tests.wiring.code_projects import Code


@pytest.fixture
def code(tmp_path: Path) -> Code:
    made = Code(tmp_path / "project")
    made.write("src/retry.py", "class Retry:\n    def count_attempts(self):\n        return 7\n")
    made.write("src/disk.py", "def remove_document(path):\n    path.unlink()\n")
    made.write("notes.txt", "The wolverine sleeps -> here.\n")
    return made


def test_a_definition_is_found_with_its_place_name_and_kind(code: Code) -> None:
    hit = code.search("countAttempts").hits[0]
    assert (hit.path, hit.first_line, hit.last_line) == ("src/retry.py", 2, 3)
    assert (hit.name, hit.kind) == ("Retry.count_attempts", "method")
    assert "count_attempts" in hit.snippet


def test_hybrid_finds_what_shares_no_word_with_the_question(code: Code) -> None:
    found = code.search("delete a file")
    assert found.level == "hybrid"
    assert found.hits[0].name == "remove_document"
    assert found.nearest == pytest.approx(found.hits[0].similarity, abs=1e-4)


def test_without_a_model_words_speak_and_the_answer_says_why(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "load", lambda: None)
    found = code.search("wolverine")
    assert (found.level, found.nearest, found.model) == ("bm25", None, None)
    assert "extra `search`" in str(found.why)
    assert [(hit.path, hit.similarity) for hit in found.hits] == [("notes.txt", None)]
    assert code.search("delete a file").hits == []


def test_a_question_without_words_is_sought_as_it_is(code: Code) -> None:
    found = code.search("->")
    assert (found.level, found.why, found.files) == ("grep", "The question has no words.", 3)
    assert [(hit.path, hit.first_line) for hit in found.hits] == [("notes.txt", 1)]


@pytest.mark.lesson("L9")
def test_where_the_index_fails_the_files_are_searched_and_the_answer_says_so(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: str) -> None:
        raise StorageFailed("The disk is full.")

    code.write("blob", b"\0")
    (code.folder / "link").symlink_to("/etc/hostname")
    monkeypatch.setattr(code_searching, "CodeIndex", fail)
    found = code.search("wolverine sleeps")
    assert (found.level, found.why, found.files, found.binary) == (
        "grep",
        "The disk is full.",
        3,
        1,
    )
    assert [hit.path for hit in found.hits] == ["notes.txt"]
    assert found.unread == [("link", "a symbolic link, which is not followed")]


@pytest.mark.lesson("L9")
def test_a_damaged_index_is_no_sign_that_nothing_is_there(code: Code) -> None:
    code.catch_up(model=vectors.load())
    content = bytearray(code.place.code.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    code.place.code.write_bytes(content)
    found = code.search("wolverine")
    assert (found.level, found.why) == ("grep", "The index of the code was damaged.")
    assert [hit.path for hit in found.hits] == ["notes.txt"]
    assert code.search("wolverine").level == "hybrid"


@pytest.mark.lesson("L9")
def test_what_could_not_be_searched_is_named_and_binary_files_are_counted(code: Code) -> None:
    code.write("blob", b"\0")
    code.write("huge.py", "x" * (4 * 1024 * 1024 + 1))
    found = code.search("wolverine")
    assert (found.files, found.binary) == (3, 1)
    assert [path for path, _ in found.unread] == ["huge.py"]


def test_a_file_that_changes_while_it_is_searched_is_not_shown_and_named(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = code_searching.reader_of

    def changed_first(files: CodeFiles) -> Read:
        code.write("notes.txt", "wolverine, too\n")
        return reading(files)

    monkeypatch.setattr(code_searching, "reader_of", changed_first)
    found = code.search("wolverine")
    assert "notes.txt" not in [hit.path for hit in found.hits]
    assert ("notes.txt", "changed while it was searched") in found.unread


def test_a_path_narrows_and_a_limit_cuts_and_counts(code: Code) -> None:
    assert {hit.path for hit in code.search("return", path="src/re").hits} == {"src/retry.py"}
    assert code.search("return", path="src/re").files == 1
    found = code.search("wolverine path return", limit=1)
    assert len(found.hits) == 1
    assert found.more >= 2


def test_an_empty_question_is_refused(code: Code) -> None:
    with pytest.raises(InvalidInput):
        code.search("  ")


@pytest.mark.req("L6")
@pytest.mark.lesson("N17")
def test_ck_is_asked_instead_where_it_is_installed_and_says_which_model(
    code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.write("src/a.py", "def rotate_tokens():\n    return 1\n")
    recorded.install(tmp_path / "bin", "hit")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    found = code_searching.search_project(code.place, CodeQuery("rotate tokens"), by_ck=True)
    assert (found.level, found.files, found.model) == ("ck", 4, "BAAI/bge-small-en-v1.5")
    [hit] = found.hits
    assert (hit.path, hit.first_line, hit.last_line, hit.similarity) == ("src/a.py", 1, 3, 0.61)
    assert "rotate_tokens" in hit.snippet
    assert code.search("rotate tokens").level == "hybrid"


@pytest.mark.lesson("N17")
@pytest.mark.parametrize("day", ["error", "no-model"])
def test_where_ck_fails_the_built_in_search_speaks_and_says_why(
    code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str
) -> None:
    recorded.install(tmp_path / "bin", day)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    found = code_searching.search_project(code.place, CodeQuery("wolverine"), by_ck=True)
    assert (found.level, [hit.path for hit in found.hits]) == ("hybrid", ["notes.txt"])
    assert str(found.why).startswith("`ck` ")


def test_nothing_near_by_ck_is_its_answer(
    code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded.install(tmp_path / "bin", "none")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    found = code_searching.search_project(code.place, CodeQuery("wolverine"), by_ck=True)
    assert (found.level, found.hits, found.nearest) == ("ck", [], 0.312)


def test_a_name_that_is_near_counts_beyond_all_ranks(code: Code) -> None:
    code.write("src/a.py", "def helper(path):\n    log('delete a file')\n")
    code.write("src/z.py", "def delete_file(path):\n    log('delete a file')\n")
    score = {hit.name: hit.score for hit in code.search("delete a file").hits}
    first_everywhere = 3 / (SOURCE_RANKS_FUSED + 1)
    assert score["delete_file"] > first_everywhere > score["helper"]


def test_what_is_near_to_nothing_is_no_hit(code: Code) -> None:
    assert code.names("quarterly dividends") == []


def test_a_worktree_without_a_ledger_is_searched_by_its_own_files(
    code: Code, tmp_path: Path
) -> None:
    code.place.database.touch()
    code.git("init", "--quiet")
    code.write("a.py", "def main_only():\n    return 1\n")
    code.git("add", "a.py")
    code.git(*("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "a"))
    other = tmp_path / "other"
    code.git("worktree", "add", "--quiet", str(other))
    (other / "sub").mkdir()
    (other / "b.py").write_text("def worktree_only():\n    return 1\n")
    asked = CodeQuery("worktree_only main_only")

    def found(folder: Path) -> set[str]:
        return {
            hit.path for hit in code_searching.search_project(code.place, asked, folder=folder).hits
        }

    assert "b.py" in found(other / "sub")
    assert "b.py" not in found(code.folder)
    assert "b.py" not in found(tmp_path), "a folder of no project: the ledger's own"
    assert not (other / ".holdfast").exists()
