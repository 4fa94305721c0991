"""A real model behind the proxy, asked by the SDKs of others in all three dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.proxy.running import Asking, fenced, proxy_process
from tests.proxy.sdks import SDKS, Llm
from tests.proxy.small_model import small_model

TEXT = "def add(a, b):\n    return a + b\n"
SHORT = {
    "chat": {"max_tokens": 8},
    "responses": {"max_output_tokens": 16},
    "messages": {"max_tokens": 8},
}
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with small_model(tmp_path_factory.mktemp("model")) as where:
        yield where


@pytest.fixture(scope="module")
def proxy(model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    ledger = str(tmp_path_factory.mktemp("proxy") / "ledger.db")
    given = ("--upstream", model, "--port", "0", "--ledger", ledger, "--audit", "off", "--debug")
    with proxy_process(*given) as (asking, _):
        yield asking


def _said(dialect: str, events: list[Any]) -> str:
    """Return the text that came piece by piece."""
    match dialect:
        case "chat":
            pieces = [one["delta"].get("content") for event in events for one in event["choices"]]
        case "responses":
            kind = "response.output_text.delta"
            pieces = [event["delta"] for event in events if event["type"] == kind]
        case _:
            deltas = [
                event["delta"] for event in events if event.get("type") == "content_block_delta"
            ]
            pieces = [delta.get("text") for delta in deltas]
    pieces = [piece for piece in pieces if piece]
    assert len(pieces) > 1
    return "".join(pieces)


@pytest.mark.req("T9", "T19")
@pytest.mark.parametrize("dialect", sorted(SDKS))
def test_a_real_model_is_asked_through_the_proxy_and_gets_what_is_true(
    dialect: str, model: str, proxy: Asking
) -> None:
    short: dict[str, Any] = {**SHORT[dialect], "extra_body": {"temperature": 0}}
    path = f"{dialect}.py"
    with closing(SDKS[dialect](proxy.listening.listening)) as sdk:
        events = sdk.stream([{"role": "user", "content": "Say hello."}], **short)
        episode = proxy.entries("episode_recorded")[-1].value()
        assert episode["answer"] == _said(dialect, events)
        assert (episode["dialect"], episode["ended"], episode["status"]) == (dialect, "whole", 200)
        sdk.ask([{"role": "user", "content": fenced(path, TEXT)}], **short)
        assert proxy.true_text(f"{path}::add") == TEXT.rstrip("\n")
        asked = [{"role": "user", "content": f"What does {path} do?"}]
        sdk.ask(asked, **short)
    last, episode = proxy.look("/debug/last-prompt"), proxy.entries("episode_recorded")[-1].value()
    assert last["hydrated"] == episode["hydrated"] == [f"{path}::add"]
    assert TEXT.rstrip("\n") in last["added"]
    # What the model read is what the proxy says it sent: it counts the same tokens in both.
    with closing(SDKS[dialect](model)) as direct:
        bare = direct.ask(asked, **short)
    expected = _tokens(_post(model + PATHS[dialect], last["prompt"]))
    assert _tokens(bare) < expected == episode["tokens_in"]


def test_llm_prints_what_a_real_model_says(proxy: Asking, tmp_path: Path) -> None:
    llm = Llm(tmp_path, through=proxy.listening.listening)
    said = llm("-m", "through", "-o", "max_tokens", "8", "-o", "temperature", "0", "Say hello.")
    episode = proxy.entries("episode_recorded")[-1].value()
    assert (episode["prompt"], f"{episode['answer']}\n") == ("Say hello.", said)
    assert said.strip()


def _post(url: str, body: str) -> Any:
    where = urlsplit(url)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=60)
    try:
        connection.request("POST", where.path, body, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def _tokens(answer: Any) -> int:
    usage = answer["usage"]
    read = usage.get("prompt_tokens", usage.get("input_tokens"))
    return int(read) + int(usage.get("cache_read_input_tokens") or 0)
