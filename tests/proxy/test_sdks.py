"""The SDKs `openai` and `anthropic`, and `llm`, through a proxy in a process of its own.

What they get is what they get without the proxy; the State Map then holds what the model did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import ModelServer, Reply, Said, ToolCall, Way
from tests.proxy.running import Asking, fenced, proxy_process
from tests.proxy.sdks import SDKS, Llm, Sdk

ADD = "def {}(a, b):\n    return a + b\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    ledger = str(tmp_path_factory.mktemp("proxy") / "ledger.db")
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", ledger, "--audit", "off")
    with proxy_process(*arguments) as (asking, _):
        yield asking


@pytest.fixture(params=sorted(SDKS))
def kind(request: pytest.FixtureRequest) -> type[Sdk]:
    return SDKS[request.param]


class Both:
    """One SDK twice: straight to the model, and through the proxy."""

    def __init__(self, kind: type[Sdk], server: ModelServer, proxy: Asking) -> None:
        self.server = server
        self.proxy = proxy
        self.direct = kind(server.url)
        self.through = kind(proxy.listening.listening)

    def get(self, *scripted: Said | Reply, what: Callable[[Sdk], Any]) -> Any:
        """Let both ask for the same; return what both got."""
        self.server.say(*scripted)
        expected = _outcome(what, self.direct)
        self.server.say(*scripted)
        actual = _outcome(what, self.through)
        assert expected == actual
        return actual


def _outcome(what: Callable[[Sdk], Any], sdk: Sdk) -> Any:
    """Return what an SDK says that it got, errors too."""
    try:
        return what(sdk)
    except Exception as problem:
        of_problem = ("status_code", "body", "request_id")
        return type(problem), str(problem), [getattr(problem, name, None) for name in of_problem]


@pytest.fixture
def both(kind: type[Sdk], server: ModelServer, proxy: Asking) -> Iterator[Both]:
    both = Both(kind, server, proxy)
    with closing(both.direct), closing(both.through):
        yield both


def asked(words: str) -> list[Any]:
    return [{"role": "user", "content": words}]


@pytest.mark.req("T19")
@pytest.mark.parametrize(
    "said",
    [
        Said("hello, wörld 🙂", piece=3),
        Said("let me think", thinking="hm, hm", calls=(ToolCall("look", {"at": "ä"}, "c_0"),)),
    ],
)
def test_answers_are_what_they_are_without_the_proxy(both: Both, said: Said) -> None:
    whole = both.get(said, what=lambda sdk: sdk.ask(asked("hello")))
    assert isinstance(whole, dict)
    events = both.get(said, what=lambda sdk: sdk.stream(asked("hello")))
    assert isinstance(events, list)
    assert len(events) > 5


@pytest.mark.req("T19")
@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (Reply(b'{"error":{"type":"e","message":"bad"}}', status=400), "BadRequestError"),
        (Reply(b'{"error":{"type":"e","message":"who?"}}', status=401), "AuthenticationError"),
        (Reply(b'{"error":{"type":"e","message":"slow"}}', status=429), "RateLimitError"),
        (Reply(b"<html>broken</html>", status=500), "InternalServerError"),
    ],
)
def test_errors_are_what_they_are_without_the_proxy(both: Both, reply: Reply, name: str) -> None:
    for what in (lambda sdk: sdk.ask(asked("hello")), lambda sdk: sdk.stream(asked("hello"))):
        problem, _, (status, _, _) = both.get(reply, what=what)
        assert (problem.__name__, status) == (name, reply.status)


def test_a_stream_that_breaks_off_breaks_off(both: Both) -> None:
    both.server.way = Way(dies_after=4)
    try:
        problem, _, _ = both.get(
            Said("a b c d e f", piece=1), what=lambda sdk: sdk.stream(asked("x"))
        )
    finally:
        both.server.way = Way()
    assert "Error" in problem.__name__


@pytest.mark.req("T5", "T7", "T9")
def test_what_the_model_did_is_true_and_before_it_in_the_next_turn(
    both: Both, server: ModelServer, proxy: Asking
) -> None:
    sdk, name = both.through, both.through.dialect
    path, symbol, text = f"src/{name}.py", f"add_{name}", ADD.format(f"add_{name}")
    turns = asked("make the file")
    server.say(Said(calls=(ToolCall("Write", {"file_path": path, "content": text}, "c_1"),)))
    turns += sdk.reply(sdk.ask(turns))
    assert proxy.state()[f"{path}::{symbol}"] == "AUTHORITATIVE"
    assert proxy.true_text(f"{path}::{symbol}") == text.rstrip("\n")
    changed = text.replace("a + b", "b + a")
    server.say(Said(fenced(path, changed)))
    turns += [*_result(name, "c_1"), *asked("turn it round, please")]
    sdk.stream(turns)
    assert proxy.true_text(f"{path}::{symbol}") == changed.rstrip("\n")
    server.say(Said("it adds"))
    answer = sdk.ask(asked(f"what does {path}::{symbol} do?"))
    assert sdk.words(answer) == "it adds"
    body = json.dumps(server.requests[-1].json())
    assert json.dumps(f"Entity: {path}::{symbol}\n")[1:-1] in body
    assert json.dumps(changed.rstrip("\n"))[1:-1] in body
    assert proxy.entries("episode_recorded")[-1].value()["hydrated"] == [f"{path}::{symbol}"]


def _result(dialect: str, call: str) -> list[Any]:
    match dialect:
        case "chat":
            return [{"role": "tool", "tool_call_id": call, "content": "done"}]
        case "responses":
            return [{"type": "function_call_output", "call_id": call, "output": "done"}]
        case _:
            block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
            return [{"role": "user", "content": [block]}]


def test_models_are_listed_and_tokens_counted_as_without_the_proxy(
    server: ModelServer, proxy: Asking
) -> None:
    from anthropic import Anthropic
    from openai import OpenAI

    found = []
    for url in (server.url, proxy.listening.listening):
        with Anthropic(base_url=url, api_key="x", max_retries=0) as anthropic:
            count = anthropic.messages.count_tokens(model="scripted", messages=asked("hello"))
        with OpenAI(base_url=f"{url}/v1", api_key="x") as openai:
            models = [one.id for one in openai.models.list()]
        found.append((count.input_tokens, models))
    assert found == [(11, ["scripted"])] * 2


def test_llm_gets_what_it_gets_without_the_proxy_and_what_it_was_told_is_true(
    server: ModelServer, proxy: Asking, tmp_path: Path
) -> None:
    llm = Llm(tmp_path, direct=server.url, through=proxy.listening.listening)
    text = ADD.format("add_llm")
    said = Said("Here it is:\n\n" + fenced("llm.py", text))
    server.say(said, said, Said("it adds"))
    assert llm("-m", "direct", "write add_llm") == llm("-m", "through", "write add_llm")
    assert proxy.true_text("llm.py::add_llm") == text.rstrip("\n")
    assert llm("-c", "--no-stream", "and what does llm.py do?") == "it adds\n"
    [first, *_, last] = server.requests[-1].json()["messages"]
    assert (first["content"], last["content"]) == ("write add_llm", "and what does llm.py do?")
    episode = proxy.entries("episode_recorded")[-1].value()
    assert (episode["prompt"], episode["answer"]) == ("and what does llm.py do?", "it adds")
