"""What is very long, or very many, holds nobody up; everyday words name no keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.kernel.limits import PROXY_LOOKED_MAX, PROXY_READ_BYTES_MAX
from holdfast.testing.model_server import ModelServer, Said
from tests.proxy.running import Chat, Running, fenced

F1 = "def f():\n    return 1\n"


def _requests(proxy: Running) -> str:
    checks: list[Any] = proxy.look("/doctor")["checks"]
    return next(str(one["detail"]) for one in checks if one["name"] == "requests")


def _picture(words: str, size: int) -> bytes:
    """Spell a request with a picture in it."""
    parts = [
        {"type": "text", "text": words},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}},
    ]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    return json.dumps(body).encode()


@pytest.mark.req("T9", "T19")
def test_a_very_long_request_goes_up_as_it_is_and_is_settled_all_the_same(
    proxy: Running, server: ModelServer
) -> None:
    server.say(Said(fenced("a.py", F1)))
    Chat(proxy, server).say("write f")
    proxy.look("/state")
    body = _picture("what is f ?\n\n" + fenced("b.py", F1), PROXY_READ_BYTES_MAX)
    assert proxy.ask("/v1/chat/completions", body).status == 200
    assert server.requests[-1].body == body
    assert proxy.state() == {"a.py::f": "AUTHORITATIVE", "b.py::f": "AUTHORITATIVE"}
    assert "1 were too long to be looked at first" in _requests(proxy)


@pytest.mark.req("T9")
def test_a_request_with_a_small_picture_is_looked_at(proxy: Running, server: ModelServer) -> None:
    server.say(Said(fenced("a.py", F1)))
    Chat(proxy, server).say("write f")
    proxy.look("/state")
    proxy.ask("/v1/chat/completions", _picture("what is f ?", PROXY_READ_BYTES_MAX // 2))
    assert b"Entity: a.py::f" in server.requests[-1].body
    assert "0 were too long to be looked at first" in _requests(proxy)


@pytest.mark.req("T9")
def test_a_file_with_very_many_definitions_is_shown_as_far_as_it_goes(
    proxy: Running, server: ModelServer
) -> None:
    count = 4 * PROXY_LOOKED_MAX
    many = "".join(f"def g{place:04}(x):\n    return x + {place}\n\n\n" for place in range(count))
    server.say(Said(fenced("many.py", many)))
    Chat(proxy, server).say("write it")
    assert len(proxy.state()) == count
    chat = Chat(proxy, server)
    chat.say("explain many.py")
    assert "Entity: many.py::g0000\n" in chat.seen()
    assert chat.seen().endswith("more not looked at]")
    other = Chat(proxy, server)
    other.say("explain many.py::g1000")
    assert "Entity: many.py::g1000\n" in other.seen()
    assert "NOT SHOWN" not in other.seen()


@pytest.mark.req("T9")
def test_an_everyday_word_shows_no_key_of_a_file_of_data(
    proxy: Running, server: ModelServer
) -> None:
    server.say(Said(fenced("package.json", '{"name": "shop", "version": "1"}\n', "json")))
    Chat(proxy, server).say("write it")
    assert proxy.state()["package.json::name"] == "AUTHORITATIVE"
    chat = Chat(proxy, server)
    chat.say("what is the name of the thing, and its version?")
    assert chat.seen() == "what is the name of the thing, and its version?"
    chat.say("what is package.json::name ?")
    assert "Entity: package.json::name\n" in chat.seen()
    assert "package.json::version" not in chat.seen()
