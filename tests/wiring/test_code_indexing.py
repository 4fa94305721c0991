"""Bringing the index up to date: only what changed, and nothing is lost on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.code import CouldNotLook
from holdfast.index import vectors
from holdfast.index.code_index import CodeIndex
from holdfast.kernel.errors import InvalidInput
from holdfast.wiring import code_indexing
from holdfast.workers import ParseWorker
from tests.wiring.code_projects import Code


@pytest.fixture
def code(tmp_path: Path) -> Code:
    made = Code(tmp_path / "project")
    made.write("a.py", "def alpha():\n    return 1\n")
    made.write("b.py", "def beta():\n    return 1\n")
    return made


def test_a_second_time_nothing_is_read(code: Code) -> None:
    first, second = code.catch_up(), code.catch_up()
    assert (first.read, first.taken) == (2, 2)
    assert (second.read, second.taken, second.gone) == (0, 0, 0)


def test_only_a_changed_file_is_taken_in_again(code: Code) -> None:
    code.catch_up()
    code.write("a.py", "def gamma():\n    return 1\n")
    brought = code.catch_up()
    assert (brought.read, brought.taken) == (1, 1)
    assert code.names("gamma") == ["gamma"]
    assert "alpha" not in code.names("alpha")


def test_a_file_with_another_time_and_the_same_bytes_is_read_and_not_parsed(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    code.catch_up()
    os.utime(code.folder / "a.py", ns=(1, 1))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(ParseWorker, "read_symbols", refuse)
    brought = code.catch_up()
    assert (brought.read, brought.taken) == (1, 0)
    assert code.catch_up().read == 0


def test_a_file_that_was_just_written_is_read_again(code: Code) -> None:
    """Its next change might leave its times as they are."""
    written_ns = (code.folder / "a.py").stat().st_mtime_ns
    code.catch_up(now_ns=written_ns)
    assert code.catch_up(now_ns=written_ns).read == 2
    assert code.catch_up().read == 2
    assert code.catch_up().read == 0


def test_a_file_that_is_gone_is_forgotten(code: Code) -> None:
    code.catch_up()
    (code.folder / "a.py").unlink()
    assert code.catch_up().gone == 1
    with code.index() as index:
        assert list(index.known()) == ["b.py"]


def test_an_interruption_keeps_what_was_taken_in(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_indexing, "SOURCE_BATCH_FILES", 1)

    def interrupt(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        code.catch_up(progress=interrupt)
    with code.index() as index:
        assert list(index.known()) == ["a.py"]
    assert code.catch_up().read == 1
    assert code.names("beta")[:1] == ["beta"]


def test_progress_is_told_file_by_file_up_to_the_end(code: Code) -> None:
    told: list[tuple[int, int]] = []
    code.catch_up(progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_the_index_is_put_in_order_after_many_files_only(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered: list[bool] = []
    monkeypatch.setattr(CodeIndex, "put_in_order", lambda _self: ordered.append(True))
    code.catch_up()
    assert ordered == []
    monkeypatch.setattr(code_indexing, "SOURCE_FILES_DELTA", 1)
    code.write("a.py", "x = 1\n")
    code.catch_up()
    assert ordered == [True]


@pytest.mark.lesson("L9")
def test_a_file_that_could_not_be_parsed_is_searched_by_its_lines_and_counted(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CouldNotLook("No grammar.")

    monkeypatch.setattr(ParseWorker, "read_symbols", refuse)
    found = code.search("alpha")
    assert (found.hits[0].path, found.hits[0].kind) == ("a.py", "lines")
    assert (found.files, found.plain) == (2, 2)


def test_vectors_are_made_when_a_model_comes_and_made_anew_for_another(code: Code) -> None:
    model = vectors.load()
    assert model is not None
    code.catch_up()
    with code.index() as index:
        assert index.vectors(model.name, None) == []
    assert code.catch_up(model=model).taken == 2
    with code.index() as index:
        assert [len(data) for _, data in index.vectors(model.name, None)] == [256, 256]
    assert code.catch_up(model=model).read == 0


ABC = """{"version": 1, "languages": {"abc": {"block": "indent", "endings": ["abc"],
    "patterns": [{"kind": "function", "pattern": "^WORD +(?P<name>\\\\w+)"}]}}}"""


def test_patterns_of_the_project_say_what_a_file_defines(code: Code) -> None:
    code.write("song.abc", "to chorus\n    la la\n")
    assert code.names("chorus") == [""]
    code.catch_up()
    code.write(".holdfast/symbols.json", ABC.replace("WORD", "to"))
    assert code.catch_up().taken == 3
    assert code.catch_up().read == 0
    assert code.names("chorus") == ["chorus"]


def test_patterns_that_change_or_go_are_seen(code: Code) -> None:
    code.write("song.abc", "to chorus\n    la la\ndef verse\n    na na\n")
    code.write(".holdfast/symbols.json", ABC.replace("WORD", "to"))
    assert set(code.names("chorus verse")) == {"chorus", ""}
    code.write(".holdfast/symbols.json", ABC.replace("WORD", "def"))
    assert set(code.names("chorus verse")) == {"verse", ""}
    (code.folder / ".holdfast/symbols.json").unlink()
    assert code.names("chorus verse") == [""]


def test_patterns_that_are_none_are_refused_and_nothing_is_taken_in(code: Code) -> None:
    code.catch_up()
    code.write(".holdfast/symbols.json", "{")
    code.write("a.py", "def gamma():\n    return 1\n")
    with pytest.raises(InvalidInput, match=r"symbols.json cannot be used"):
        code.catch_up()
    with code.index() as index:
        assert index.match(["gamma"], None, 1)[1] == 0
