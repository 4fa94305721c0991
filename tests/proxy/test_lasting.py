"""What the proxy knows outlasts restarts, other writers, a locked ledger, a full disk, and kill."""

from __future__ import annotations

import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import MIB
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.testing.model_server import ModelServer, Said
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place
from tests.proxy.running import (
    TIMEOUT_S,
    Asking,
    Chat,
    Running,
    end,
    fenced,
    options,
    proxy_process,
)

F = "def f():\n    return {}\n"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def file(number: int) -> str:
    return fenced("a.py", F.format(number))


def true_f(number: int) -> str:
    return F.format(number).rstrip("\n")


def until(what: Callable[[], bool]) -> None:
    """Look again until something is so; a request in between gives it time."""
    for _ in range(2000):
        if what():
            return
    raise AssertionError("it never came")


@pytest.mark.req("T4")
def test_rebuilt_from_the_ledger_alone_the_state_map_is_the_live_one(
    server: ModelServer, tmp_path: Path
) -> None:
    with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
        chat = Chat(proxy, server)
        for number in range(3):
            server.say(Said(file(number)))
            chat.say("write it")
        shown = proxy.look("/state")
        assert (shown["as_of_seq"], shown["digest"]) == proxy.rebuilt()
        assert shown["entities"]


@pytest.mark.req("T4")
def test_a_restart_keeps_everything_that_is_shown(server: ModelServer, tmp_path: Path) -> None:
    asked = options(tmp_path / "ledger.db", server.url)
    server.say(Said(file(1)), Said("```python\ndef g(): pass\n```\n"))
    with Running(asked) as proxy:
        chat = Chat(proxy, server)
        chat.say("write f")
        chat.say("and g")
        before = proxy.look("/state"), proxy.look("/recent")
    with Running(asked) as proxy:
        assert (proxy.look("/state"), proxy.look("/recent")) == before
        other = Chat(proxy, server)
        other.say("explain a.py::f")
        assert true_f(1) in other.seen()


@pytest.mark.req("T17", "T18")
def test_looking_changes_neither_the_ledger_nor_the_next_prompt(
    server: ModelServer, tmp_path: Path
) -> None:
    pages = ("/state", "/recent", "/recent?n=1", "/doctor", "/health", "/debug/last-prompt")
    sent: list[bytes] = []
    for looks in (False, True):
        database = tmp_path / f"{looks}.db"
        with Running(options(database, server.url, debug=True)) as proxy:
            server.say(Said(file(1)), Said("```python\ndef g(): pass\n```\n"))
            chat = Chat(proxy, server)
            chat.say("write f")
            chat.say("and g")
            before = proxy.look("/state")
            if looks:
                first = [proxy.look(page) for page in pages]
                assert [proxy.look(page) for page in pages] == first
                assert (before["as_of_seq"], before["digest"]) == proxy.rebuilt()
            other = Chat(proxy, server)
            other.say("explain a.py::f")
            sent.append(server.requests[-1].body)
            chat.say("go on")
            sent.append(server.requests[-1].body)
    assert sent[:2] == sent[2:]
    assert b"[CURRENT STATE: AUTHORITATIVE]" in sent[0]
    assert b"[STATE NOTICE]" in sent[1]


@pytest.mark.req("T17")
def test_the_last_prompt_is_what_the_model_got(server: ModelServer, tmp_path: Path) -> None:
    with Running(options(tmp_path / "ledger.db", server.url, debug=True)) as proxy:
        server.say(Said(file(1)))
        Chat(proxy, server).say("write f")
        proxy.look("/state")
        Chat(proxy, server).say("explain a.py::f")
        shown = proxy.look("/debug/last-prompt")
        assert shown["prompt"].encode() == server.requests[-1].body
        assert shown["hydrated"] == ["a.py::f"]
        assert shown["added"].startswith("[CURRENT STATE: AUTHORITATIVE]")


def test_a_locked_ledger_holds_up_no_answer_and_loses_none(
    server: ModelServer, tmp_path: Path
) -> None:
    database = tmp_path / "ledger.db"
    with Running(options(database, server.url)) as proxy:
        chat = Chat(proxy, server)
        chat.say("hello")
        proxy.look("/state")
        queue = WriterQueue(str(Place(database).lock), wait_s=10)
        try:
            with queue:
                server.say(Said(file(1)))
                assert chat.say("write f")["content"] == file(1)
                until(lambda: not _ledger_ok(proxy))
                assert proxy.look("/doctor")["ok"] is False
        finally:
            queue.close()
        until(lambda: proxy.true_text("a.py::f") == true_f(1))
        assert proxy.look("/doctor")["ok"] is True
        assert any("cannot be written now" in line for line in proxy.said)


def test_a_full_disk_holds_up_no_answer_and_what_waited_is_recorded(
    server: ModelServer, tmp_path: Path
) -> None:
    database = tmp_path / "ledger.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    with proxy_process(*arguments, "--audit", "off") as (proxy, process):
        chat = Chat(proxy, server)
        server.say(Said(file(1)))
        chat.say("write f")
        assert proxy.true_text("a.py::f") == true_f(1)
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1024, hard))
        server.say(Said(file(2)))
        assert chat.say("another")["content"] == file(2)
        until(lambda: not _ledger_ok(proxy))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        until(lambda: proxy.true_text("a.py::f") == true_f(2))
        assert _ledger_ok(proxy)
        shown = proxy.look("/state")
        assert (shown["as_of_seq"], shown["digest"]) == proxy.rebuilt()


def _ledger_ok(proxy: Asking) -> bool:
    checks: list[Any] = proxy.look("/doctor")["checks"]
    return next(bool(one["ok"]) for one in checks if one["name"] == "ledger")


def test_two_proxies_on_one_ledger_know_the_same(server: ModelServer, tmp_path: Path) -> None:
    database = tmp_path / "ledger.db"
    with (
        Running(options(database, server.url)) as one,
        Running(options(database, server.url)) as two,
    ):
        chats = [Chat(one, server), Chat(two, server)]
        for number in range(6):
            server.say(Said(file(number)))
            chats[number % 2].say("write it")
            chats[number % 2].proxy.look("/state")
        until(lambda: one.look("/state") == two.look("/state"))
        assert one.true_text("a.py::f") == true_f(5)
        shown = one.look("/state")
        assert (shown["as_of_seq"], shown["digest"]) == one.rebuilt()


def test_two_proxies_that_write_at_once_make_one_history(
    server: ModelServer, tmp_path: Path
) -> None:
    database = tmp_path / "ledger.db"
    server.otherwise = Said(file(7))
    with (
        Running(options(database, server.url)) as one,
        Running(options(database, server.url)) as two,
        ThreadPoolExecutor(4) as crowd,
    ):
        chats = [Chat(proxy, server) for proxy in (one, two, one, two)]
        for _ in range(5):
            list(crowd.map(lambda chat: chat.say("again"), chats))
        one.look("/state")
        two.look("/state")
        until(lambda: one.look("/state") == two.look("/state"))
        shown = one.look("/state")
        assert (shown["as_of_seq"], shown["digest"]) == one.rebuilt()
        assert len(one.entries("episode_recorded")) == 20
        assert one.look("/doctor")["ok"] is True


def test_what_somebody_who_sees_the_disk_doubts_is_not_shown_any_more(
    server: ModelServer, tmp_path: Path
) -> None:
    database = tmp_path / "ledger.db"
    with Running(options(database, server.url)) as proxy:
        server.say(Said(file(1)))
        Chat(proxy, server).say("write f")
        before = proxy.look("/state")["as_of_seq"]
        with open_ledger(database) as hook:
            hook.append("disk_truth", {"path": "a.py", "reason": "the file was edited"})
        until(lambda: bool(proxy.look("/state")["as_of_seq"] > before))
        other = Chat(proxy, server)
        other.say("explain a.py::f")
        assert true_f(1) not in other.seen()
        assert "no longer as on disk" in other.seen()


@pytest.mark.req("T3")
def test_a_killed_proxy_loses_nothing_that_it_showed(server: ModelServer, tmp_path: Path) -> None:
    database = tmp_path / "ledger.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    known: Any = None
    for number in range(3):
        with proxy_process(*arguments, "--audit", "off") as (proxy, process):
            if known is not None:
                assert proxy.look("/state") == known
            server.say(Said(file(number)))
            Chat(proxy, server).say("write it")
            assert proxy.true_text("a.py::f") == true_f(number)
            known = proxy.look("/state")
            assert end(process, number=signal.SIGKILL) == -signal.SIGKILL
    with Running(options(database, server.url)) as again:
        assert again.look("/state") == known
        assert again.look("/doctor")["ok"] is True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_waits_is_recorded_before_it_ends(
    server: ModelServer, tmp_path: Path, number: signal.Signals
) -> None:
    database = tmp_path / "ledger.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    with proxy_process(*arguments, "--audit", "off") as (proxy, process):
        server.say(Said(file(1)))
        Chat(proxy, server).say("write it")
        children = _children(process)
        assert end(process, number=number) == 0
    with Running(options(database, server.url)) as again:
        assert again.true_text("a.py::f") == true_f(1)
    assert [child for child in children if Path(f"/proc/{child}").exists()] == []


HURRIED = """
from holdfast.kernel import limits
limits.PROXY_CLOSE_S = 0.2
from holdfast.cli.main import main
main()
"""
"""A proxy that does not wait long for what could not be recorded yet."""


def test_what_stayed_unrecorded_is_said_and_is_not_called_done(
    server: ModelServer, tmp_path: Path
) -> None:
    database = tmp_path / "ledger.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    with proxy_process(*arguments, "--audit", "off", code=HURRIED) as (proxy, process):
        chat = Chat(proxy, server)
        chat.say("hello")
        proxy.look("/state")
        queue = WriterQueue(str(Place(database).lock), wait_s=10)
        try:
            with queue:
                server.say(Said(file(1)))
                chat.say("write f")
                until(lambda: not _ledger_ok(proxy))
                process.terminate()
                assert process.wait(TIMEOUT_S) == 1
        finally:
            queue.close()
        assert process.stderr is not None
        assert b"exchanges were not recorded" in process.stderr.read()


def _children(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the processes that one started, where the system tells."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(one) for one in found.read_text().split()] if found.exists() else []


def test_a_large_answer_is_settled_before_state_is_told(
    server: ModelServer, tmp_path: Path
) -> None:
    """A script that asks right after the answer sees what it came to."""
    text = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(300))
    assert len(text) < MIB
    with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
        server.say(Said(fenced("a.py", text)))
        Chat(proxy, server).say("write it")
        assert len(proxy.state()) == 300
