"""code.db: taken in and forgotten as a whole, and made anew when it cannot be used."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from holdfast.index.code_documents import Document
from holdfast.index.code_index import CodeIndex, File, Taken
from holdfast.kernel.errors import Busy, StorageFailed


def taken(path: str, *texts: str, **fields: str) -> Taken:
    file = File(path, "stamp", path.encode(), **fields)
    documents = [Document("function", f"f{n}", n, n, text) for n, text in enumerate(texts, 1)]
    return Taken(file, documents)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[CodeIndex]:
    with CodeIndex(str(tmp_path / "code.db")) as opened:
        yield opened


def found(index: CodeIndex, *terms: str, within: str | None = None) -> list[tuple[str, str]]:
    ids = [id_ for id_, _ in index.match(terms, within, 10)[0]]
    sections = index.sections(ids)
    return [(sections[id_].path, sections[id_].name) for id_ in ids]


def test_a_section_is_found_by_a_word_the_rarer_the_better(index: CodeIndex) -> None:
    index.take([taken("a.py", "common rare", *["common text"] * 3, *["other text"] * 9)])
    assert found(index, "rare", "common")[0] == ("a.py", "f1")
    best, total = index.match(["common"], None, 2)
    assert (len(best), total) == (2, 4)
    assert all(score > 0 for _, score in best)


def test_a_word_that_is_repeated_counts_more(index: CodeIndex) -> None:
    index.take([taken("a.py", "parse this text once", "parse parse parse it", "nothing here", "x")])
    assert found(index, "pars") == [("a.py", "f2"), ("a.py", "f1")]


def test_a_file_that_is_taken_in_again_replaces_what_was_known(index: CodeIndex) -> None:
    index.take([taken("a.py", "alpha", "beta"), taken("b.py", "alpha")])
    index.take([taken("a.py", "gamma")])
    assert found(index, "alpha") == [("b.py", "f1")]
    assert found(index, "beta") == []
    assert found(index, "gamma") == [("a.py", "f1")]


def test_a_file_that_is_gone_is_forgotten(index: CodeIndex) -> None:
    index.take([taken("a.py", "alpha"), taken("b.py", "alpha")])
    index.take([], ["a.py", "never.py"])
    assert found(index, "alpha") == [("b.py", "f1")]
    assert list(index.known()) == ["b.py"]


def test_a_path_narrows_the_search_and_the_numbers(index: CodeIndex) -> None:
    index.take(
        [taken("src/a.py", "alpha"), taken("docs/b.py", "alpha"), taken("src/c", problem="x")]
    )
    assert found(index, "alpha", within="src/") == [("src/a.py", "f1")]
    assert index.counts("src/").files == 1
    assert index.counts("docs/").unread == []
    assert index.counts().unread == [("src/c", "x")]


def test_a_word_is_the_rarer_the_fewer_sections_hold_it(index: CodeIndex) -> None:
    index.take([taken("a.py", "retries common", "common", "common")])
    rarity = index.rarity(["retry", "common", "absent"])
    assert rarity["absent"] > rarity["retry"] > rarity["common"] > 0


def test_words_of_a_query_language_are_words(index: CodeIndex) -> None:
    index.take([taken("a.py", "near or not and")])
    assert found(index, "near", "or", "not", "and") == [("a.py", "f1")]


def test_all_or_nothing_is_taken_in(index: CodeIndex) -> None:
    bad = Taken(File("b.py"), [Document("function", "f", 1, "no number", "x")])  # type: ignore[arg-type]
    with pytest.raises(StorageFailed, match="INTEGER"):
        index.take([taken("a.py", "alpha"), bad])
    assert index.known() == {}


def test_the_file_is_for_its_owner_only(index: CodeIndex, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / "code.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"no database at all, but long enough" * 50, b""])
def test_a_file_that_is_something_else_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "code.db"
    path.write_bytes(content)
    with CodeIndex(str(path)) as index:
        index.take([taken("a.py", "alpha")])
        assert found(index, "alpha") == [("a.py", "f1")]


def test_an_index_of_another_layout_is_made_anew(tmp_path: Path) -> None:
    path = str(tmp_path / "code.db")
    with CodeIndex(path) as index:
        index.take([taken("a.py", "alpha")])
    connection = apsw.Connection(path)
    connection.pragma("user_version", 999)
    connection.close()
    with CodeIndex(path) as index:
        assert index.known() == {}


def test_where_nothing_can_be_written_the_index_lives_in_memory(tmp_path: Path) -> None:
    with CodeIndex(str(tmp_path / "no" / "such" / "folder" / "code.db")) as index:
        index.take([taken("a.py", "alpha")])
        assert found(index, "alpha") == [("a.py", "f1")]
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_holds_it_too_long_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.index.database.VIEWS_WAIT_S", 0.01)
    path = str(tmp_path / "code.db")
    with CodeIndex(path) as index:
        other = apsw.Connection(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            index.take([taken("a.py", "alpha")])
        other.execute("ROLLBACK")
        other.close()
        index.take([taken("a.py", "alpha")])
        assert found(index, "alpha") == [("a.py", "f1")]
