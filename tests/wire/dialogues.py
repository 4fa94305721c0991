"""Answers as upstreams send them, in each dialect: bytes, and what they say."""

from __future__ import annotations

import json
from typing import Any

from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect
from holdfast.wire.streams import answer_stream

CODE = 'def add(a, b):\n    return a + b  # ä€😀 "quoted" \\ \u2028'
ARGUMENTS = json.dumps({"file_path": "a.py", "content": CODE}, ensure_ascii=False)


def sse(*events: Any, named: bool = False, end: str = "\n") -> bytes:
    """Spell events as a server does."""
    parts = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        name = f"event: {event['type']}{end}" if named else ""
        parts.append(f"{name}data: {data}{end}{end}")
    return "".join(parts).encode()


def cut(text: str, size: int = 5) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat_stream(end: str = "\n") -> bytes:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    def call(**fields: Any) -> dict[str, Any]:
        return chunk({"tool_calls": [{"index": 0, **fields}]})

    return sse(
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        *(chunk({"content": piece}) for piece in cut(CODE)),
        call(id="c1", function={"name": "Write", "arguments": ""}),
        *(call(function={"arguments": piece}) for piece in cut(ARGUMENTS, 7)),
        chunk({}, "tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}},
        "[DONE]",
        end=end,
    )


def chat_body() -> bytes:
    message = {
        "role": "assistant",
        "content": CODE,
        "reasoning_content": "hm",
        "tool_calls": [{"id": "c1", "function": {"name": "Write", "arguments": ARGUMENTS}}],
    }
    return json.dumps(
        {
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7},
        }
    ).encode()


def messages_stream(end: str = "\n") -> bytes:
    def delta(index: int, **fields: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": fields}

    def start(index: int, **fields: Any) -> dict[str, Any]:
        return {"type": "content_block_start", "index": index, "content_block": fields}

    return sse(
        {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 4,
         "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1}}},
        {"type": "ping"},
        start(0, type="thinking", thinking=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="c2ln"),
        start(1, type="text", text=""),
        *(delta(1, type="text_delta", text=piece) for piece in cut(CODE)),
        {"type": "content_block_stop", "index": 1},
        start(2, type="tool_use", id="t1", name="Write", input={}),
        *(delta(2, type="input_json_delta", partial_json=piece) for piece in cut(ARGUMENTS, 7)),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"},
         "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
        named=True,
        end=end,
    )  # fmt: skip


def messages_body() -> bytes:
    return json.dumps(
        {
            "type": "message",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": CODE},
                {"type": "tool_use", "id": "t1", "name": "Write", "input": json.loads(ARGUMENTS)},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 5,
                      "cache_creation_input_tokens": 2, "output_tokens": 7},
        }
    ).encode()  # fmt: skip


_ITEMS: list[dict[str, Any]] = [
    {"type": "reasoning", "encrypted_content": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": CODE}]},
    {"type": "function_call", "name": "Write", "arguments": ARGUMENTS},
]
_RESPONSE = {
    "output": _ITEMS,
    "status": "completed",
    "usage": {"input_tokens": 11, "output_tokens": 7},
}


def responses_stream(end: str = "\n") -> bytes:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"output": []}}]
    for index, item in enumerate(_ITEMS):
        events.append(
            {
                "type": "response.output_item.added",
                "output_index": index,
                "item": {key: value for key, value in item.items() if key in ("type", "name")},
            }
        )
        if item["type"] == "message":
            events += [
                {"type": "response.output_text.delta", "output_index": index, "delta": one}
                for one in cut(CODE)
            ]
        if item["type"] == "function_call":
            events += [
                {
                    "type": "response.function_call_arguments.delta",
                    "output_index": index,
                    "delta": one,
                }
                for one in cut(ARGUMENTS)
            ]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": _RESPONSE})
    return sse(*events, named=True, end=end)  # fmt: skip


def responses_body() -> bytes:
    return json.dumps(_RESPONSE).encode()


def ollama_stream(end: str = "\n") -> bytes:
    lines: list[dict[str, Any]] = [
        {"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False},
        *({"message": {"content": piece}, "done": False} for piece in cut(CODE)),
        {"message": {"content": "", "tool_calls": [
            {"function": {"name": "Write", "arguments": json.loads(ARGUMENTS)}}]}, "done": False},
        {"done": True, "done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7},
    ]  # fmt: skip
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


STREAMS = {
    "chat": chat_stream,
    "messages": messages_stream,
    "responses": responses_stream,
    "ollama-chat": ollama_stream,
}
BODIES = {"chat": chat_body, "messages": messages_body, "responses": responses_body}


def heard(dialect: Dialect, chunks: list[bytes], *, streamed: bool = True) -> Answer:
    """Put an answer together from chunks."""
    stream, answer = answer_stream(dialect, streamed=streamed), Answer()
    for chunk in chunks:
        for event in stream.feed(chunk):
            answer.take(event)
    for event in stream.finish():
        answer.take(event)
    return answer
