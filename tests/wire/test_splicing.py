"""A text goes behind a request; not a byte of the client's changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.wire.events import Dialect
from holdfast.wire.requests import read_request
from holdfast.wire.splicing import splice

TEXT = '[CURRENT STATE]\n"x" \\ ä\u2028😀\n[END]'

BODIES: list[tuple[Dialect, bytes]] = [
    ("chat", b'{"messages":[{"role":"user","content":"hi"}],"model":"m"}'),
    ("chat", b'{ "messages" : [ {"content" : "hi \\u00e4\\"" , "role":"user"} \n ] , "n":1.50 }'),
    ("chat", b'{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}'),
    ("chat", b'{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"b"}]}'),
    ("messages", b'{"messages":[{"role":"user","content":[]}],"max_tokens":1}'),
    (
        "messages",
        b'{"messages":[{"role":"user","content":[{"type":"tool_result","content":"\\/"}]}]}',
    ),
    ("responses", b'{"input":"go","model":"m"}'),
    ("responses", b'{"input":[{"role":"user","content":[{"type":"input_text","text":"go"}]}]}'),
    ("responses", b'{"input":[{"type":"function_call_output","call_id":"1","output":"o"}]}'),
    ("ollama-chat", b'{"messages":[{"role":"user","content":"hi"}]}'),
    ("ollama-generate", b'{"prompt":"hi","model":"m"}'),
]


def is_inserted(before: bytes, after: bytes) -> bool:
    """Tell whether one is the other with something put in at one place."""
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    at = len(before) if at is None else at
    return any(
        before[:cut] == after[:cut] and after.endswith(before[cut:]) for cut in range(at, -1, -1)
    )


@pytest.mark.lesson("N9")
@pytest.mark.lesson("T7")
@pytest.mark.parametrize(("dialect", "body"), BODIES)
def test_the_text_is_the_last_thing_said_and_the_bytes_are_the_clients(
    dialect: Dialect, body: bytes
) -> None:
    spliced = splice(body, dialect, TEXT)
    assert spliced is not None
    assert is_inserted(body, spliced)
    before, after = read_request(dialect, body), read_request(dialect, spliced)
    assert after.turns[-1].parts[-1].text.endswith(TEXT)
    assert after.turns[-1].parts[-1].speaker == "user"
    assert [turn.raw for turn in after.turns[: len(before.turns) - 1]] == [
        turn.raw for turn in before.turns[:-1]
    ]


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("chat", b'{"messages":[]}'),
        ("chat", b'{"messages":[{"role":"assistant","content":"I be"}]}'),
        ("chat", b'{"model":"m"}'),
        ("responses", b'{"input":[{"role":"user","content":"a"},{"type":"reasoning"}]}'),
        ("chat", b"{"),
        ("chat", b'{"messages":[3]}'),
        ("chat", b'{"messages":"text"}'),
        ("ollama-generate", b'{"prompt":[1,2,3]}'),
        ("chat", b'{"mess\\u0061ges":[{"role":"user","content":"a"}]}'),
        (
            "chat",
            b'{"metadata":{"messages":[{"role":"user","content":"a"}]},'
            b'"messages":[{"role":"user","content":"a"}]}',
        ),
    ],
)
def test_where_there_is_no_certain_place_nothing_is_put_in(dialect: Dialect, body: bytes) -> None:
    spliced = splice(body, dialect, TEXT)
    if body == b'{"messages":"text"}':
        assert spliced is not None  # a prompt that is one text
        return
    assert spliced is None


HOLES = [
    b"<|fim_prefix|>x = total(<|fim_suffix|>)<|fim_middle|>",
    b"<fim_prefix>x = total(<fim_suffix>)<fim_middle>",
    b"<fim-prefix>a<fim-suffix>b<fim-middle>",
    "<\uff5cfim\u2581begin\uff5c>a<\uff5cfim\u2581hole\uff5c>b<\uff5cfim\u2581end\uff5c>".encode(),
    b"<PRE> x = total( <SUF>) <MID>",
    b"[SUFFIX])[PREFIX]x = total(",
    b"<|code_prefix|>a<|code_suffix|>b<|code_middle|>",
]


@pytest.mark.lesson("N9")
@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("completions", b'{"model":"m","prompt":"what does total do?"}'),
        ("completions", b'{"prompt":"x = total(","suffix":")"}'),
        ("completions", b'{"prompt":["a total","b tax"]}'),
        ("ollama-generate", b'{"prompt":"x = total(","suffix":")"}'),
        ("ollama-generate", b'{"prompt":"x = total(","raw":true}'),
        *[("ollama-generate", b'{"prompt":"' + hole + b'"}') for hole in HOLES],
    ],
)
def test_a_text_that_the_model_goes_on_with_stays_the_end(dialect: Dialect, body: bytes) -> None:
    assert splice(body, dialect, TEXT) is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"prompt":"what is <prefix> in XML?","raw":false,"suffix":""}',
        b'{"prompt":"what does <|end|> mean? And [prefix]?","suffix":null}',
        b'{"prompt":"what does total do?","options":{"raw":true,"suffix":"x"}}',
    ],
)
def test_a_question_is_no_text_to_go_on_with(body: bytes) -> None:
    spliced = splice(body, "ollama-generate", TEXT)
    assert spliced is not None
    assert json.loads(spliced)["prompt"].endswith(TEXT)


def test_a_message_that_quotes_a_request_is_no_second_place() -> None:
    inner = json.dumps({"messages": [{"role": "user", "content": "a"}]})
    body = json.dumps({"messages": [{"role": "user", "content": inner}]}).encode()
    spliced = splice(body, "chat", TEXT)
    assert spliced is not None
    assert json.loads(spliced)["messages"][0]["content"] == f"{inner}\n\n{TEXT}"


texts = st.text(max_size=20)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "tool", "system"]),
        "content": texts
        | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts})),
    }
)


@given(
    st.lists(messages, min_size=1, max_size=4),
    texts,
    st.sampled_from([None, 1]),
    st.booleans(),
    st.dictionaries(texts, texts, max_size=3),
)
@settings(max_examples=300)
def test_all_else_stays_as_it_was(
    given_messages: list[dict[str, Any]],
    text: str,
    indent: int | None,
    ascii_only: bool,
    others: dict[str, str],
) -> None:
    others.pop("messages", None)
    value = {**others, "messages": given_messages}
    body = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    spliced = splice(body, "chat", text)
    assert spliced is not None
    assert is_inserted(body, spliced)
    was, now = json.loads(body), json.loads(spliced)
    assert {key: now[key] for key in others} == {key: was[key] for key in others}
    assert now["messages"][: len(given_messages) - 1] == was["messages"][:-1]
