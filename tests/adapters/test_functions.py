"""The decorator: every kind of function behaves as before, and each call is recorded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast import StateManager
from holdfast.adapters import recorded


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[StateManager]:
    with StateManager(tmp_path) as opened:
        yield opened


def calls(manager: StateManager) -> list[tuple[Any, ...]]:
    found = [entry.value() for entry in manager.ledger.read() if entry.type == "tool_called"]
    return [(one["tool"], one["ok"], one.get("params"), one.get("detail")) for one in found]


@pytest.mark.req("X4")
def test_a_function_and_a_coroutine_are_recorded_with_their_arguments(
    manager: StateManager,
) -> None:
    @recorded(manager=manager, name="add")
    def add(one: int, two: int = 2) -> int:
        """Add."""
        return one + two

    @recorded(manager=manager, name="wait")
    async def wait(text: str) -> str:
        return text.upper()

    assert (add(1), asyncio.run(wait("go")), add.__doc__) == (3, "GO", "Add.")
    assert calls(manager) == [
        ("add", True, {"one": 1}, None),
        ("wait", True, {"text": "go"}, None),
    ]


def test_what_is_raised_goes_on_and_is_recorded(manager: StateManager) -> None:
    @recorded(manager=manager, name="fail")
    def fail() -> Generator[int, None, None]:
        yield 1
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        list(fail())
    assert calls(manager) == [("fail", False, {}, "KeyError: 'gone'")]
    assert [entry.type for entry in manager.ledger.read()][-2:] == ["error", "tool_called"]


def test_a_generator_is_recorded_when_it_is_over_and_takes_what_is_sent(
    manager: StateManager,
) -> None:
    @recorded(manager=manager, name="talk")
    def talk() -> Generator[str, str, str]:
        try:
            heard = yield "who?"
        except ValueError:
            heard = yield "what?"
        return heard

    talking = talk()
    assert (next(talking), calls(manager)) == ("who?", [])
    assert talking.throw(ValueError) == "what?"
    with pytest.raises(StopIteration) as over:
        talking.send("me")
    assert (over.value.value, calls(manager)) == ("me", [("talk", True, {}, None)])


def test_a_generator_that_is_left_early_did_not_fail(manager: StateManager) -> None:
    @recorded(manager=manager, name="count")
    def count() -> Generator[int, None, None]:
        yield from range(100)

    counting = count()
    next(counting)
    counting.close()
    assert calls(manager) == [("count", True, {}, "closed before its end")]


def test_an_async_generator_takes_what_is_sent_thrown_and_closed(manager: StateManager) -> None:
    closed = []

    @recorded(manager=manager, name="stream")
    async def stream() -> AsyncGenerator[str, str]:
        try:
            heard = yield "first"
            try:
                yield heard
            except ValueError:
                yield "caught"
            yield "never"
        finally:
            closed.append(True)

    async def read() -> list[str]:
        streaming = stream()
        told = [await streaming.asend(None)]  # type: ignore[arg-type]
        told.append(await streaming.asend("second"))
        told.append(await streaming.athrow(ValueError()))
        await streaming.aclose()
        return told

    assert asyncio.run(read()) == ["first", "second", "caught"]
    assert (closed, calls(manager)) == ([True], [("stream", True, {}, "closed before its end")])


def test_an_async_generator_to_its_end_and_to_its_failure(manager: StateManager) -> None:
    @recorded(manager=manager, name="pages")
    async def pages(count: int) -> AsyncGenerator[int, None]:
        for number in range(count):
            yield number
        if count > 2:
            raise OSError("no more")

    async def read(count: int) -> list[int]:
        return [number async for number in pages(count)]

    assert asyncio.run(read(2)) == [0, 1]
    with pytest.raises(OSError, match="no more"):
        asyncio.run(read(3))
    assert [(one[1], one[3]) for one in calls(manager)] == [
        (True, None),
        (False, "OSError: no more"),
    ]


def test_watched_files_that_changed_are_recorded(manager: StateManager, tmp_path: Path) -> None:
    @recorded(manager=manager, files=lambda name: [name])
    def write(name: str) -> None:
        (tmp_path / name).write_text("new\n")

    write("page.txt")
    found = [entry.value() for entry in manager.ledger.read() if entry.type == "file_change"]
    assert [(one["path"], one["action"]) for one in found] == [("page.txt", "create")]


def test_without_anything_it_is_the_current_folders_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @recorded
    def work() -> int:
        return 1

    monkeypatch.chdir(tmp_path)
    assert work() == 1
    with StateManager(tmp_path) as manager:
        assert [one[0].rpartition(".")[2] for one in calls(manager)] == ["work"]


@pytest.mark.parametrize(
    ("module", "package"), [("langgraph", "langgraph"), ("openai_agents", "agents")]
)
def test_a_framework_that_is_not_installed_is_said_with_its_extra(
    module: str, package: str
) -> None:
    script = (
        f"import sys; sys.modules[{package!r}] = None; "
        f"from holdfast.adapters import recorded; import holdfast.adapters.{module}"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'pip install "holdfast[adapters]"' in done.stderr.splitlines()[-1]
