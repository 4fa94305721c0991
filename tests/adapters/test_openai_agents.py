"""HoldfastSession: beside the SDK's own, under a real Runner, and what a ledger adds to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
)
from agents.extensions.memory import EncryptedSession
from agents.memory import Session, SessionSettings
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI

import holdfast
from holdfast.adapters.openai_agents import HoldfastSession
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.testing.model_server import ModelServer, Said, ToolCall

SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[HoldfastSession]:
    opened = HoldfastSession("talk", tmp_path)
    yield opened
    opened.close()


def said(text: str) -> Any:
    return {"role": "user", "content": text}


def test_it_is_a_session_of_the_sdk(session: HoldfastSession) -> None:
    assert isinstance(session, Session)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.text(max_size=4), max_size=3)),
        st.tuples(st.just("get"), st.one_of(st.none(), st.integers(0, 4))),
        st.tuples(st.just("pop"), st.none()),
        st.tuples(st.just("clear"), st.none()),
    ),
    max_size=12,
)


@pytest.mark.req("X4")
@settings(max_examples=25)
@given(steps=STEPS)
def test_it_answers_as_the_sdks_own_session(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Any]]
) -> None:
    async def play(session: Any) -> list[Any]:
        told = []
        for step, what in steps:
            match step:
                case "add":
                    told.append(await session.add_items([said(text) for text in what]))
                case "get":
                    told.append(await session.get_items(what))
                case "pop":
                    told.append(await session.pop_item())
                case _:
                    told.append(await session.clear_session())
        told.append(await session.get_items())
        session.close()
        return told

    ours = HoldfastSession("talk", tmp_path_factory.mktemp("talk"))
    assert asyncio.run(play(ours)) == asyncio.run(play(SQLiteSession("talk")))


def test_nothing_that_was_popped_or_cleared_leaves_the_ledger(
    session: HoldfastSession, tmp_path: Path
) -> None:
    async def talk() -> list[Any]:
        await session.add_items([said("one"), said("two")])
        popped = await session.pop_item()
        await session.clear_session()
        return [popped, await session.get_items()]

    assert asyncio.run(talk()) == [said("two"), []]
    with holdfast.open(tmp_path) as ledger:
        found = [(entry.type, entry.session_id) for entry in ledger.read()]
        kept = [entry.value() for entry in ledger.read() if entry.type == "state_kept"]
        contents: Any = [one["content"] for one in kept]
        held = [json.loads(ledger.artifact(one["$artifact"]) or b"") for one in contents]
    assert found == [("state_kept", "talk")] * 2 + [("state_dropped", "talk")] * 2
    assert held == [said("one"), said("two")]
    assert [one["text"] for one in kept] == ["user: one", "user: two"]


def test_an_item_is_popped_once(session: HoldfastSession, tmp_path: Path) -> None:
    other = HoldfastSession("talk", tmp_path)

    async def pop_all() -> list[Any]:
        await session.add_items([said(str(n)) for n in range(12)])
        both = [one.pop_item() for _ in range(6) for one in (session, other)]
        return await asyncio.gather(*both, session.pop_item())

    popped = asyncio.run(pop_all())
    other.close()
    texts = sorted(int(item["content"]) for item in popped if item is not None)
    assert (texts, popped.count(None)) == (list(range(12)), 1)


def test_the_limit_of_the_settings_counts_unless_another_is_given(tmp_path: Path) -> None:
    session = HoldfastSession("talk", tmp_path, session_settings=SessionSettings(limit=1))

    async def talk() -> tuple[Any, Any]:
        await session.add_items([said("one"), said("two")])
        return await session.get_items(), await session.get_items(2)

    assert asyncio.run(talk()) == ([said("two")], [said("one"), said("two")])
    session.close()


def test_items_with_a_secret_are_refused_together(session: HoldfastSession) -> None:
    odd: Any = {"role": "user", "content": object()}

    async def talk() -> Any:
        with pytest.raises(InvalidInput, match="holds a secret"):
            await session.add_items([said("fine"), said(SECRET)])
        with pytest.raises(InvalidInput, match="holds a secret"):
            await session.add_items([said(f"first line\n{SECRET}")])
        with pytest.raises(InvalidInput, match="not JSON"):
            await session.add_items([said("fine"), odd])
        return await session.get_items()

    assert asyncio.run(talk()) == []


def test_withheld_on_request_the_history_is_not_given_without_it(tmp_path: Path) -> None:
    session = HoldfastSession("talk", tmp_path, secrets="withhold")

    async def talk() -> None:
        await session.add_items([said("fine"), said(SECRET)])
        with pytest.raises(NotFound, match="held a secret"):
            await session.get_items()
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(talk())
    session.close()
    assert SECRET.encode() not in (tmp_path / ".holdfast/ledger.db").read_bytes()


def test_a_secret_in_the_sdks_encrypting_session_is_kept_exactly(
    session: HoldfastSession, tmp_path: Path
) -> None:
    under: Any = session  # it asks for the SDK's own base class, and calls what the protocol has

    async def talk() -> Any:
        encrypting = EncryptedSession("talk", under, encryption_key="a long passphrase")
        await encrypting.add_items([said(SECRET)])
        return await encrypting.get_items()

    assert asyncio.run(talk()) == [said(SECRET)]
    assert SECRET.encode() not in (tmp_path / ".holdfast/ledger.db").read_bytes()


def test_what_was_begun_is_recorded_when_the_caller_is_cancelled(
    session: HoldfastSession,
) -> None:
    async def talk() -> Any:
        adding = asyncio.create_task(session.add_items([said("one")]))
        for _ in range(2):
            await asyncio.sleep(0)
            adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        return await session.get_items()

    assert asyncio.run(talk()) == [said("one")]


@pytest.mark.req("X4")
def test_a_real_runner_goes_on_where_another_stopped(tmp_path: Path) -> None:
    @function_tool
    def due(day: str) -> str:
        """Say what is due."""
        return f"rent on {day}"

    async def ask(server: ModelServer, text: str) -> str:
        session = HoldfastSession("talk", tmp_path)
        async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none") as client:
            model = OpenAIChatCompletionsModel("a-model", client)
            agent = Agent("helper", model=model, tools=[due])
            told = RunConfig(tracing_disabled=True)
            done = await Runner.run(agent, text, session=session, run_config=told)
        session.close()
        return str(done.final_output)

    call = ToolCall("due", {"day": "Monday"})
    with ModelServer(Said(calls=(call,)), Said("The rent."), Said("As I said.")) as server:
        assert asyncio.run(ask(server, "What is due?")) == "The rent."
        assert asyncio.run(ask(server, "Again?")) == "As I said."
        sent = json.loads(server.requests[-1].body)["messages"]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool", "assistant", "user"]
    assert [sent[0]["content"], sent[2]["content"]] == ["What is due?", "rent on Monday"]
    with holdfast.StateManager(tmp_path) as manager:
        assert manager.ledger.verify().ok
        assert [hit.type for hit in manager.search("rent").hits][:1] == ["state_kept"]
