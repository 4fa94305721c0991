"""The killable parse worker."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from holdfast.code import CouldNotLook, grammars, read_symbols
from holdfast.code.languages import LANGUAGES
from holdfast.kernel import limits
from holdfast.workers import ParseWorker, parsing
from holdfast.workers.frames import Job

BUSY = "[[" * 100_000
"""JSON that keeps the parser busy for longer than anybody waits."""


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_worker_reads_what_is_read_here() -> None:
    text = "class A:\n    # é\n    def f(self): pass\n\ndef bad(:\n"
    with ParseWorker() as worker:
        assert worker.read_symbols(text, "python") == read_symbols(text, "python")
        assert worker.read_symbols("sub f { 1 }\n", "perl").by == "patterns"


def test_one_child_serves_all_texts() -> None:
    with ParseWorker() as worker:
        pids = set()
        for _ in range(5):
            worker.read_symbols("x = 1\n", "python")
            pids.add(worker.pid)
    assert len(pids) == 1


def test_no_child_is_started_before_it_is_needed() -> None:
    with ParseWorker() as worker:
        assert worker.pid is None


def test_the_child_is_gone_when_the_worker_is_closed() -> None:
    with ParseWorker() as worker:
        worker.read_symbols("x = 1\n", "python")
        pid = worker.pid
        assert pid is not None
        assert is_there(pid)
    assert not is_there(pid)
    assert worker.pid is None


def test_a_text_that_takes_too_long_is_could_not_look_and_its_child_is_ended() -> None:
    with ParseWorker(timeout_s=0.3) as worker:
        worker.read_symbols("{}", "json")
        pid = worker.pid
        assert pid is not None
        with pytest.raises(CouldNotLook, match=r"longer than 0\.3 s"):
            worker.read_symbols(BUSY, "json")
        assert not is_there(pid)


def test_the_next_text_gets_a_new_child() -> None:
    with ParseWorker(timeout_s=0.3) as worker:
        with pytest.raises(CouldNotLook):
            worker.read_symbols(BUSY, "json")
        assert worker.read_symbols('{"a": 1}', "json").symbols[0].name == "a"


def test_a_text_that_takes_too_much_memory_is_could_not_look() -> None:
    text = ("x = [" + "1, " * 1000 + "]\n") * 300
    with ParseWorker(timeout_s=60, memory_bytes=64 * limits.MIB) as worker:
        with pytest.raises(CouldNotLook, match=r"memory|by signal"):
            worker.read_symbols(text, "python")
        assert worker.read_symbols("x = 1\n", "python").symbols[0].name == "x"
    with ParseWorker(timeout_s=60) as worker:
        assert worker.read_symbols(text, "python").symbols[0].name == "x"


def test_a_child_ends_by_itself_when_its_owner_does_not_end_it() -> None:
    child = parsing._Child(limits.PARSE_MEMORY_BYTES_MAX)
    try:
        child.wait_until_ready()
        with pytest.raises(CouldNotLook, match="by signal"):
            child.ask(Job(BUSY, "json", timeout_s=0.1), timeout_s=60)
    finally:
        child.end()


def test_a_child_that_was_killed_while_it_read_is_could_not_look() -> None:
    with ParseWorker() as worker:
        worker.read_symbols("{}", "json")
        pid = worker.pid
        assert pid is not None
        killer = threading.Timer(0.2, os.kill, (pid, signal.SIGKILL))
        killer.start()
        with pytest.raises(CouldNotLook, match="by signal 9"):
            worker.read_symbols(BUSY, "json")
        killer.join()


def test_a_child_that_died_between_two_texts_is_replaced() -> None:
    with ParseWorker() as worker:
        worker.read_symbols("{}", "json")
        pid = worker.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert worker.read_symbols('{"a": 1}', "json").symbols[0].name == "a"
        assert worker.pid != pid


def test_the_child_could_not_look_either() -> None:
    with ParseWorker() as worker:
        with pytest.raises(CouldNotLook, match="neither a grammar nor a pattern"):
            worker.read_symbols("x", "unheard-of")
        pid = worker.pid
        worker.read_symbols("x = 1\n", "python")
        assert worker.pid == pid  # a refusal costs no child


def test_what_is_binary_or_too_large_does_not_reach_a_child() -> None:
    with ParseWorker() as worker:
        for text in ("\0", "x\n" * limits.CODE_BYTES_MAX):
            with pytest.raises(CouldNotLook):
                worker.read_symbols(text, "python")
        assert worker.pid is None


def test_an_answer_beyond_the_bound_is_could_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "PARSE_ANSWER_BYTES_MAX", 100)
    with ParseWorker() as worker, pytest.raises(CouldNotLook, match="larger than 100 bytes"):
        worker.read_symbols("def f(): pass\n" * 10, "python")


def test_a_child_is_replaced_after_so_many_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "PARSE_TEXTS_MAX", 2)
    with ParseWorker() as worker:
        worker.read_symbols("x = 1\n", "python")
        first = worker.pid
        worker.read_symbols("x = 1\n", "python")
        assert worker.pid is None
        worker.read_symbols("x = 1\n", "python")
        assert worker.pid != first


def test_threads_wait_for_each_other() -> None:
    texts = [f"def f{n}(): pass\n" * 20 for n in range(8)]
    found: dict[int, str] = {}
    with ParseWorker() as worker:

        def read(number: int) -> None:
            found[number] = worker.read_symbols(texts[number], "python").symbols[0].name

        threads = [threading.Thread(target=read, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {n: f"f{n}" for n in range(8)}


def test_modules_of_the_folder_we_stand_in_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    with ParseWorker() as worker:
        assert worker.read_symbols("x = 1\n", "python").symbols[0].name == "x"


def test_a_worker_that_starts_with_little_reads_every_language() -> None:
    with ParseWorker() as worker:
        by = {name: worker.read_symbols("x = 1\n", name).by for name in LANGUAGES}
    assert set(by.values()) == {"tree-sitter"}


def test_a_worker_starts_in_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with ParseWorker() as worker:
        assert worker.read_symbols("x = 1\n", "python").symbols[0].name == "x"


def test_a_worker_parses_nothing_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    grammars.grammar.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with ParseWorker() as worker:
        assert worker.read_symbols("x = 1\n", "python").symbols[0].name == "x"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows what is loaded")
def test_a_worker_does_without_openssl_where_python_hashes_by_itself() -> None:
    own = any(importlib.util.find_spec(name) for name in ("_sha2", "_sha256"))
    with ParseWorker() as worker:
        worker.read_symbols("x = 1\n", "python")
        libraries = Path(f"/proc/{worker.pid}/maps").read_text(encoding="utf-8")
    assert ("libcrypto" in libraries) is not own
