"""HoldfastSaver: graphs that stop and go on, what a ledger adds, what it refuses."""

from __future__ import annotations

import asyncio
import operator
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

import holdfast
from holdfast.adapters.langgraph import HoldfastSaver
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.wiring import kept_state

ROOT = Path(__file__).parents[2]
SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"
T: RunnableConfig = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    said: Annotated[list[str], operator.add]


def extend(held: list[str], writes: list[list[str]]) -> list[str]:
    return [*held, *(one for write in writes for one in write)]


class Long(TypedDict):
    said: Annotated[list[str], DeltaChannel(extend)]


def ask(_: State) -> dict[str, list[str]]:
    return {"said": [interrupt("sure?")]}


def builder() -> Any:
    """A graph whose subgraph asks a person; the node's name looks like the name of a secret."""
    inner: Any = StateGraph(State)
    inner.add_node("ask", ask).add_edge(START, "ask")
    outer: Any = StateGraph(State)
    outer.add_node("one", lambda _: {"said": ["one"]})
    outer.add_node("get_token", inner.compile())
    outer.add_node("two", lambda _: {"said": ["two"]})
    outer.add_edge(START, "one").add_edge("one", "get_token")
    return outer.add_edge("get_token", "two").add_edge("two", END)


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[HoldfastSaver]:
    with HoldfastSaver(tmp_path) as opened:
        yield opened


def put(saver: HoldfastSaver, thread: str = "t", step: int = 0, **values: Any) -> RunnableConfig:
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    checkpoint: Any = empty_checkpoint() | {"channel_values": values}
    return saver.put(config, checkpoint, {"step": step, "source": "loop"}, {})


@pytest.mark.req("X4")
def test_an_interrupted_graph_goes_on_in_another_process_life(tmp_path: Path) -> None:
    with HoldfastSaver(tmp_path) as saver:
        asked = builder().compile(checkpointer=saver).invoke({"said": ["in"]}, T)
        assert [one.value for one in asked["__interrupt__"]] == ["sure?"]
    with HoldfastSaver(tmp_path) as saver:
        graph = builder().compile(checkpointer=saver)
        assert graph.get_state(T).next == ("get_token",)
        answered = graph.invoke(Command(resume="yes"), T)
    reference = builder().compile(checkpointer=InMemorySaver())
    reference.invoke({"said": ["in"]}, T)
    assert answered == reference.invoke(Command(resume="yes"), T)
    with holdfast.open(tmp_path) as ledger:
        assert ledger.verify().ok
        assert {entry.session_id for entry in ledger.read()} == {"t"}


def test_a_loop_runs_the_same_graph(saver: HoldfastSaver) -> None:
    async def both() -> tuple[Any, list[Any]]:
        graph = builder().compile(checkpointer=saver)
        await graph.ainvoke({"said": ["in"]}, T)
        done = await graph.ainvoke(Command(resume="yes"), T)
        return done, [state.next async for state in graph.aget_state_history(T)]

    done, history = asyncio.run(both())
    assert done["said"][-2:] == ["yes", "two"]
    assert history == [(), ("two",), ("get_token",), ("one",), ("__start__",)]


def test_a_graph_goes_back_in_time_and_forks(saver: HoldfastSaver) -> None:
    graph = builder().compile(checkpointer=saver)
    graph.invoke({"said": ["in"]}, T)
    graph.invoke(Command(resume="yes"), T)
    before = next(state for state in graph.get_state_history(T) if state.next == ("two",))
    forked = graph.update_state(before.config, {"said": ["other"]})
    done = graph.invoke(None, forked)
    assert done["said"][-2:] == ["other", "two"]


def test_what_was_deleted_is_hidden_and_still_in_the_ledger(saver: HoldfastSaver) -> None:
    config = put(saver, value="kept for ever")
    saver.put_writes(config, [("channel", 1)], "task")
    before = [line.body for line in saver._state.ledger.lines()]
    saver.delete_thread("t")
    saver.delete_thread("t")
    assert (saver.get_tuple(T), saver.get_tuple(config), list(saver.list(T))) == (None, None, [])
    after = [line.body for line in saver._state.ledger.lines()]
    assert after[: len(before)] == before
    [dropped] = saver._state.ledger.read(holdfast.Selection(first=len(before)))
    assert (dropped.type, dropped.session_id) == ("state_dropped", "t")
    saver.copy_thread("t", "again")
    assert saver.get_tuple({"configurable": {"thread_id": "again"}}) is None


def test_a_thread_that_was_deleted_can_begin_again_with_the_same_checkpoint(
    saver: HoldfastSaver,
) -> None:
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint()
    stored = saver.put(config, checkpoint, {"step": 1}, {})
    saver.put_writes(stored, [("channel", "old")], "task")
    saver.delete_thread("t")
    assert saver.put(config, checkpoint, {"step": 1}, {}) == stored
    found = saver.get_tuple(T)
    assert found is not None
    assert (found.checkpoint, found.pending_writes) == (checkpoint, [])


def test_a_put_that_is_repeated_records_nothing(saver: HoldfastSaver) -> None:
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint()
    for _ in range(2):
        stored = saver.put(config, checkpoint, {"step": 1}, {})
        saver.put_writes(stored, [("channel", 1)], "task")
    assert saver._state.ledger.head().size == 3  # the namespace, the checkpoint, the writes
    saver.put(config, checkpoint, {"step": 2}, {})
    found = saver.get_tuple(T)
    assert found is not None
    assert (found.metadata["step"], len(list(saver.list(T)))) == (2, 1)


def test_a_put_with_a_secret_fails_and_records_nothing(saver: HoldfastSaver) -> None:
    stored = put(saver, value="fine")
    size = saver._state.ledger.head().size
    with pytest.raises(InvalidInput, match="holds a secret"):
        put(saver, value=f"key {SECRET}")
    with pytest.raises(InvalidInput, match="holds a secret"):
        saver.put_writes(stored, [("channel", SECRET)], "task")
    assert saver._state.ledger.head().size == size
    found = saver.get_tuple(T)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"value": "fine"}


@pytest.mark.parametrize("length", [20, 26, 42, 48, 65, 97, 122, 300])
def test_a_secret_is_found_whatever_length_stands_before_it(
    saver: HoldfastSaver, length: int
) -> None:
    """In MessagePack the length of a text is a byte before it that may be a letter."""
    with pytest.raises(InvalidInput, match="holds a secret"):
        put(saver, value=SECRET.ljust(length))


def test_withheld_on_request_it_is_recorded_and_never_given_back_otherwise(
    tmp_path: Path,
) -> None:
    with HoldfastSaver(tmp_path, secrets="withhold") as saver:
        put(saver, value="fine")
        stored = put(saver, value=f"key {SECRET}")
        for asked in (T, stored):
            with pytest.raises(NotFound, match="held a secret"):
                saver.get_tuple(asked)
        with pytest.raises(NotFound, match="held a secret"):
            list(saver.list(T))
    database = (tmp_path / ".holdfast/ledger.db").read_bytes()
    assert SECRET.encode() not in database


def test_an_encrypting_serializer_keeps_a_secret_exactly(tmp_path: Path) -> None:
    class Cipher:
        def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
            return "test", bytes(one ^ 0x5A for one in plaintext)

        def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
            return bytes(one ^ 0x5A for one in ciphertext)

    with HoldfastSaver(tmp_path, serde=EncryptedSerializer(Cipher())) as saver:
        put(saver, value=SECRET)
        found = saver.get_tuple(T)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"value": SECRET}


def test_the_newest_of_a_thousand_is_found_without_reading_the_others(
    saver: HoldfastSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = saver._state
    for step in range(0, 1000, 250):
        pieces = [
            kept_state.Piece("checkpoint", state.digest("t", "other"), state.digest(f"{n}"), b"x")
            for n in range(step, step + 250)
        ]
        state.add("t", pieces)
    put(saver, step=7)
    read = 0

    def counted(entry: Any, real: Any = kept_state._kept) -> Any:
        nonlocal read
        read += 1
        return real(entry)

    monkeypatch.setattr(kept_state, "_kept", counted)
    found = saver.get_tuple(T)
    assert found is not None
    assert (found.metadata["step"], read) == (7, 1)
    assert saver.get_tuple({"configurable": {"thread_id": "t", "checkpoint_ns": "new"}}) is None
    assert read == 1


def test_pruned_checkpoints_still_carry_channels_that_are_kept_as_differences(
    saver: HoldfastSaver,
) -> None:
    graph: Any = StateGraph(Long)
    graph.add_node("echo", lambda _: {"said": ["echo"]})
    graph = graph.add_edge(START, "echo").compile(checkpointer=saver)
    for word in ("a", "b"):
        graph.invoke({"said": [word]}, T)
    expected = graph.get_state(T).values
    assert expected == {"said": ["a", "echo", "b", "echo"]}
    saver.prune(["t"])
    assert len(list(saver.list(T))) == 1
    assert graph.get_state(T).values == expected
    saver.copy_thread("t", "copy")
    copied: RunnableConfig = {"configurable": {"thread_id": "copy"}}
    assert len(list(saver.list(copied))) == 1
    assert graph.get_state(copied).values == expected


def test_an_unknown_way_to_prune_is_refused(saver: HoldfastSaver) -> None:
    put(saver)
    with pytest.raises(InvalidInput, match="strategy"):
        saver.prune(["t"], strategy="newest")
    assert saver.get_tuple(T) is not None


def test_writes_of_many_tasks_at_once_are_all_kept(tmp_path: Path) -> None:
    with HoldfastSaver(tmp_path) as one, HoldfastSaver(tmp_path) as other:
        stored = put(one)

        def write(task: int) -> None:
            saver = one if task % 2 else other
            saver.put_writes(stored, [("channel", task)], f"task-{task:02}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(24)))
        found = one.get_tuple(stored)
    assert found is not None
    assert [value for _, _, value in found.pending_writes or []] == list(range(24))


def test_two_frameworks_share_a_ledger_and_a_name(saver: HoldfastSaver, tmp_path: Path) -> None:
    put(saver)
    other = kept_state.KeptState("other", tmp_path)
    other.drop("t", "clear_session")
    other.close()
    assert saver.get_tuple(T) is not None


def test_killed_in_the_middle_of_puts_everything_acknowledged_comes_back(tmp_path: Path) -> None:
    told: list[str] = []
    for kill_after in (1, 4, 9):
        command = [sys.executable, "-m", "tests.adapters.killed_puts", str(tmp_path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            told += [child.stdout.readline().strip() for _ in range(kill_after)]
            child.kill()
            told += child.stdout.read().split()
        assert child.returncode == -9
    with HoldfastSaver(tmp_path) as saver:
        assert saver._state.ledger.verify().ok
        listed = {one.checkpoint["id"]: one for one in saver.list(T)}
        assert set(told) <= listed.keys()
        assert len(listed) <= len(told) + 3  # at most the one that each was killed in
        for one in told:
            assert len(listed[one].checkpoint["channel_values"]["pad"]) == 5000
            assert listed[one].pending_writes == [
                ("task", "step", listed[one].checkpoint["channel_values"]["step"])
            ]
