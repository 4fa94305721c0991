"""Which model server a request goes to."""

from __future__ import annotations

import asyncio
import json

import pytest
import zstandard

from holdfast.kernel.errors import InvalidInput
from holdfast.proxy.upstreams import Upstreams, discover, model_of, read_upstream, told
from holdfast.testing.model_server import ModelServer, Reply
from tests.proxy.crossing import PATHS, Crossing, asking


@pytest.mark.parametrize(
    ("spelled", "base", "kind", "prefix", "local"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434", "ollama", "", True),
        ("http://localhost:8080/v1/", "http://localhost:8080", "openai", "", True),
        ("https://api.anthropic.com", "https://api.anthropic.com", "anthropic", "", False),
        ("https://x.example/api/v1", "https://x.example/api", "openai", "", False),
        ("claude-=anthropic+http://[::1]:1", "http://[::1]:1", "anthropic", "claude-", True),
        ("a=b=http://h:1", "http://h:1", "openai", "a", False),
    ],
)
def test_an_upstream_is_read(spelled: str, base: str, kind: str, prefix: str, local: bool) -> None:
    if spelled.startswith("a=b="):
        with pytest.raises(InvalidInput):
            read_upstream(spelled)
        return
    found = read_upstream(spelled)
    assert (found.base, found.kind, found.prefix, found.local) == (base, kind, prefix, local)


@pytest.mark.parametrize(
    "spelled",
    ["", "127.0.0.1:1", "ftp://a", "http://", "http://u:p@a", "http://a?x", "http://a#x",
     "http://a:99999", "http://a b", "x" * 3000, "http://ä"],
)  # fmt: skip
def test_what_is_no_upstream_says_what_to_give(spelled: str) -> None:
    with pytest.raises(InvalidInput, match="URL"):
        read_upstream(spelled)


def test_the_longest_prefix_of_the_model_s_name_chooses_then_the_dialect_then_the_first() -> None:
    servers = [ModelServer() for _ in range(5)]
    first, ollama, anthropic, small, smaller = [server.__enter__() for server in servers]
    try:
        with Crossing(
            first.url,
            f"ollama+{ollama.url}",
            f"anthropic+{anthropic.url}",
            f"small={small.url}",
            f"small-er={smaller.url}",
        ) as crossing:

            def ask(path: str, model: str, *headers: str) -> int:
                for server in servers:
                    server.requests.clear()
                body = json.dumps({"model": model, "stream": False}).encode()
                assert crossing.post(path, body, *headers).status in (200, 404)
                return [bool(server.requests) for server in servers].index(True)

            assert ask(PATHS["chat"], "small-1") == 3
            assert ask(PATHS["messages"], "small-er-1") == 4
            assert ask(PATHS["chat"], "other") == 0
            assert ask(PATHS["messages"], "other") == 2
            assert ask(PATHS["ollama-chat"], "other") == 1
            assert ask("/api/show", "other") == 1
            assert ask("/v1/messages/count_tokens", "small") == 3
            assert ask("/v1/models", "", "anthropic-version: 1") == 2
            body = zstandard.compress(b'{"model":"small"}')
            small.requests.clear()
            crossing.post(PATHS["responses"], body, "Content-Encoding: zstd")
            assert small.requests[0].body == body
    finally:
        for server in servers:
            server.__exit__()


def test_without_an_upstream_it_says_what_to_do() -> None:
    with Crossing() as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
    assert heard.status == 502
    assert b"--upstream" in heard.body


def test_only_prefixed_ones_are_asked_for_the_rest_too() -> None:
    one = read_upstream("a=http://h:1")
    assert Upstreams([one]).choose("openai", "b") is one


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"model":1}', b"\xff", b"[" * 100_000])
def test_a_body_that_names_no_model_names_none(body: bytes) -> None:
    assert model_of(body) is None


def test_servers_on_this_machine_are_found_by_connecting_only() -> None:
    async def there(port: int) -> bool:
        return port in (1234, 8000)

    found = asyncio.run(discover(there, but=8000))
    assert [(name, one.base, one.kind) for name, one in found] == [
        ("LM Studio", "http://127.0.0.1:1234", "openai")
    ]
    assert told(found) == (
        "Found on this machine: http://127.0.0.1:1234 (where LM Studio usually is)."
    )
    assert "11434 (Ollama)" in told([])


def test_a_base_with_a_path_goes_before_the_client_s() -> None:
    with ModelServer(Reply(b"{}")) as server, Crossing(server.url + "/api/v1") as crossing:
        crossing.get("/v1/x?y")
        assert server.requests[0].target == "/api/v1/x?y"
