"""What is told of an answer when it has ended, and whether anybody has to wait for it."""

from __future__ import annotations

import json

import pytest

from holdfast.kernel.limits import PROXY_HEARD_BYTES_MAX
from holdfast.proxy.episodes import heard
from holdfast.proxy.passing import Exchange
from holdfast.proxy.values import Answered, Asked


def exchanged(delta: dict[str, object], *, status: int = 200, encoding: str = "") -> Answered:
    exchange = Exchange(Asked("e1", "chat", b"{}"), "upstream", {})
    exchange._status, exchange._encoding, exchange._streamed = status, encoding, True
    event = json.dumps({"choices": [{"delta": delta}]}).encode()
    for chunk in (b"data: ", event, b"\n\n", b"data: [DONE]\n\n"):
        exchange.keep(chunk)
    return exchange.answered("whole")


CALL = {"index": 0, "id": "1", "function": {"name": "Write", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("delta", "plain"),
    [
        ({"content": "only words"}, True),
        ({"content": ""}, True),
        ({"reasoning_content": "```python\nx = 1\n```"}, True),
        ({"content": "```python\nx = 1\n```"}, False),
        ({"content": "<file>"}, False),
        ({"content": "--- a/b.py\n+++ b/b.py\n"}, False),
        ({"content": "~~~\nx = 1\n~~~"}, False),
        ({"content": "*** Begin Patch\n*** End Patch"}, False),
        ({"content": "so:\n \tdiff a/b.py b/b.py"}, False),
        ({"content": "their diff is small, -- so ~ ``x`` ** stays"}, True),
        ({"tool_calls": [CALL]}, False),
    ],
)
def test_nobody_has_to_wait_for_an_answer_without_code_or_calls(
    delta: dict[str, object], plain: bool
) -> None:
    assert exchanged(delta).plain is plain


@pytest.mark.parametrize(
    "answered",
    [
        exchanged({"content": "x"}, status=500),
        exchanged({"content": "x"}, encoding="gzip"),
        exchanged({"content": "x" * PROXY_HEARD_BYTES_MAX}),
    ],
)
def test_what_is_not_read_at_once_may_bring_anything(answered: Answered) -> None:
    assert answered.heard is None
    assert not answered.plain


def test_what_was_read_at_once_is_not_read_again() -> None:
    answered = exchanged({"content": "only words"})
    assert heard(answered) is answered.heard
    assert heard(answered).text == "only words"
