"""What a scripted model says, spelled in each dialect as the servers of that dialect spell it.

The shapes are whole enough for the clients and SDKs of others; ids and times are fixed, so that
the same words are the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.wire.events import Dialect

CREATED: Final = 1_700_000_000
_WHEN: Final = "2023-11-14T22:13:20Z"


class ToolCall(msgspec.Struct, frozen=True):
    """A tool that the model calls. A text as arguments is a free-form tool's."""

    name: str
    arguments: dict[str, Any] | str
    id: str = "call_1"

    def spelled(self) -> str:
        """Return the arguments as text."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


class Said(msgspec.Struct, frozen=True):
    """What the model says in one answer."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    piece: int = 16
    """Characters in one event of a stream."""
    id: str = "1"
    """What the answer is called. Some clients take two answers of one name for one."""
    tokens_in: int = 11
    tokens_out: int = 7


def spell(dialect: Dialect, said: Said, *, model: str, streamed: bool) -> list[bytes]:
    """Return the answer: one item for each event of a stream, or one for all of it."""
    match dialect:
        case "chat":
            return _sse(_chat(said, model), done=True) if streamed else [_chat_body(said, model)]
        case "completions":
            return _sse(_plain(said, model), done=True) if streamed else [_plain_body(said, model)]
        case "messages":
            return (
                _sse(_messages(said, model), named=True)
                if streamed
                else _one(_message(said, model))
            )
        case "responses":
            return (
                _sse(_responses(said, model), named=True)
                if streamed
                else _one(_response(said, model, "completed"))
            )
        case "ollama-chat" | "ollama-generate":
            lines = _ollama(said, model, streamed=streamed, chat=dialect == "ollama-chat")
            return [_json(line) + (b"\n" if streamed else b"") for line in lines]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _one(value: Any) -> list[bytes]:
    return [_json(value)]


def _sse(
    events: Iterator[dict[str, Any]], *, named: bool = False, done: bool = False
) -> list[bytes]:
    found = []
    for event in events:
        name = b"event: " + event["type"].encode() + b"\n" if named else b""
        found.append(name + b"data: " + _json(event) + b"\n\n")
    return [*found, b"data: [DONE]\n\n"] if done else found


def _cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _reason(said: Said, calls: str, words: str) -> str:
    return calls if said.calls else words


def _usage(said: Said) -> dict[str, int]:
    total = said.tokens_in + said.tokens_out
    return {
        "prompt_tokens": said.tokens_in,
        "completion_tokens": said.tokens_out,
        "total_tokens": total,
    }


def _chat(said: Said, model: str) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": f"chatcmpl-{said.id}", "object": "chat.completion.chunk", "created": CREATED,
                "model": model, "choices": [choice]}  # fmt: skip

    yield chunk({"role": "assistant", "content": ""})
    for piece in _cut(said.thinking, said.piece):
        yield chunk({"reasoning_content": piece})
    for piece in _cut(said.text, said.piece):
        yield chunk({"content": piece})
    for index, call in enumerate(said.calls):
        head = {"name": call.name, "arguments": ""}
        yield chunk(
            {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": head}]}
        )
        for piece in _cut(call.spelled(), said.piece):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _reason(said, "tool_calls", "stop")) | {"usage": _usage(said)}


def _chat_body(said: Said, model: str) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.thinking:
        message["reasoning_content"] = said.thinking
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.spelled()},
            }
            for call in said.calls
        ]
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": _reason(said, "tool_calls", "stop"),
        "logprobs": None,
    }
    return _json({"id": f"chatcmpl-{said.id}", "object": "chat.completion", "created": CREATED,
                  "model": model, "choices": [choice], "usage": _usage(said)})  # fmt: skip


def _plain(said: Said, model: str) -> Iterator[dict[str, Any]]:
    for piece in [*_cut(said.text, said.piece), ""]:
        choice = {"index": 0, "text": piece, "finish_reason": None if piece else "stop"}
        yield {"id": f"cmpl-{said.id}", "object": "text_completion", "created": CREATED,
               "model": model, "choices": [choice]}  # fmt: skip


def _plain_body(said: Said, model: str) -> bytes:
    choice = {"index": 0, "text": said.text, "finish_reason": "stop", "logprobs": None}
    return _json({"id": f"cmpl-{said.id}", "object": "text_completion", "created": CREATED,
                  "model": model, "choices": [choice], "usage": _usage(said)})  # fmt: skip


def _given(call: ToolCall) -> Any:
    return {"input": call.arguments} if isinstance(call.arguments, str) else call.arguments


def _blocks(said: Said) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if said.thinking:
        blocks.append({"type": "thinking", "thinking": said.thinking, "signature": "c2lnbmVk"})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _given(call)}
        for call in said.calls
    ]


def _message(said: Said, model: str) -> dict[str, Any]:
    return {
        "id": f"msg_{said.id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _blocks(said),
        "stop_reason": _reason(said, "tool_use", "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": said.tokens_in, "output_tokens": said.tokens_out},
    }


def _messages(said: Said, model: str) -> Iterator[dict[str, Any]]:
    whole = _message(said, model)
    usage = {"input_tokens": said.tokens_in, "output_tokens": 1}
    start = whole | {"content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        yield from _block(index, block, said.piece)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": said.tokens_out}}
    yield {"type": "message_stop"}


def _block(index: int, block: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    def delta(**fields: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": fields}

    empty: dict[str, Any] = {"text": "", "thinking": "", "input": {}}
    opening = {key: empty.get(key, value) for key, value in block.items() if key != "signature"}
    yield {"type": "content_block_start", "index": index, "content_block": opening}
    match block:
        case {"type": "text", "text": text}:
            yield from (delta(type="text_delta", text=one) for one in _cut(text, size))
        case {"type": "thinking", "thinking": text, "signature": signature}:
            yield from (delta(type="thinking_delta", thinking=one) for one in _cut(text, size))
            yield delta(type="signature_delta", signature=signature)
        case {"input": given}:
            pieces = _cut(json.dumps(given, ensure_ascii=False), size)
            yield from (delta(type="input_json_delta", partial_json=one) for one in pieces)
        case _:
            pass
    yield {"type": "content_block_stop", "index": index}


def _items(said: Said) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if said.thinking:
        items.append({"id": f"rs_{said.id}", "type": "reasoning", "summary": [],
                      "encrypted_content": "c2VhbGVk"})  # fmt: skip
    if said.text:
        content = [{"type": "output_text", "text": said.text, "annotations": []}]
        items.append({"id": f"msg_{said.id}", "type": "message", "role": "assistant",
                      "status": "completed", "content": content})  # fmt: skip
    for place, call in enumerate(said.calls):
        free = isinstance(call.arguments, str)
        kind = "custom_tool_call" if free else "function_call"
        items.append({"id": f"fc_{said.id}_{place}", "type": kind, "call_id": call.id,
                      "name": call.name, "status": "completed",
                      "input" if free else "arguments": call.spelled()})  # fmt: skip
    return items


def _response(said: Said, model: str, status: str) -> dict[str, Any]:
    done = status == "completed"
    usage = {
        "input_tokens": said.tokens_in,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said.tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": said.tokens_in + said.tokens_out,
    }
    return {"id": f"resp_{said.id}", "object": "response", "created_at": CREATED, "model": model,
            "status": status, "error": None, "incomplete_details": None, "instructions": None,
            "metadata": {}, "parallel_tool_calls": True, "temperature": 1.0, "top_p": 1.0,
            "tool_choice": "auto", "tools": [],
            "output": _items(said) if done else [],
            "usage": usage if done else None}  # fmt: skip


def _responses(said: Said, model: str) -> Iterator[dict[str, Any]]:
    for number, event in enumerate(_response_events(said, model)):
        yield event | {"sequence_number": number}


def _response_events(said: Said, model: str) -> Iterator[dict[str, Any]]:
    opened = _response(said, model, "in_progress")
    yield {"type": "response.created", "response": opened}
    yield {"type": "response.in_progress", "response": opened}
    for index, item in enumerate(_items(said)):
        hollow = {"content": [], "arguments": "", "input": ""}
        opening = {key: hollow.get(key, value) for key, value in item.items()}
        opening |= {"status": "in_progress"} if "status" in item else {}
        yield {"type": "response.output_item.added", "output_index": index, "item": opening}
        yield from _item(index, item, said.piece)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": _response(said, model, "completed")}


def _item(index: int, item: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    place = {"output_index": index, "item_id": item["id"]}
    match item:
        case {"type": "message", "content": [part]}:
            place |= {"content_index": 0}
            empty = {"type": "response.content_part.added", "part": part | {"text": ""}}
            yield empty | place
            for one in _cut(part["text"], size):
                yield {"type": "response.output_text.delta", "delta": one, "logprobs": []} | place
            yield {"type": "response.output_text.done", "text": part["text"],
                   "logprobs": []} | place  # fmt: skip
            yield {"type": "response.content_part.done", "part": part} | place
        case {"type": "function_call", "arguments": text}:
            for one in _cut(text, size):
                yield {"type": "response.function_call_arguments.delta", "delta": one} | place
            yield {"type": "response.function_call_arguments.done", "name": item["name"],
                   "arguments": text} | place  # fmt: skip
        case {"type": "custom_tool_call", "input": text}:
            for one in _cut(text, size):
                yield {"type": "response.custom_tool_call_input.delta", "delta": one} | place
            yield {"type": "response.custom_tool_call_input.done", "input": text} | place
        case _:
            return


def _ollama(said: Said, model: str, *, streamed: bool, chat: bool) -> Iterator[dict[str, Any]]:
    head = {"model": model, "created_at": _WHEN}

    def line(text: str, **more: Any) -> dict[str, Any]:
        if not chat:
            return head | {"response": text, "done": False} | more
        return head | {"message": {"role": "assistant", "content": text} | more, "done": False}

    calls = [{"function": {"name": call.name, "arguments": _given(call)}} for call in said.calls]
    extra = {"tool_calls": calls} if chat and calls else {}
    thought = {"thinking": said.thinking} if said.thinking else {}
    if streamed:
        if thought:
            yield line("", **thought)
        yield from (line(one) for one in _cut(said.text, said.piece))
        if extra:
            yield line("", **extra)
    last = line("") if streamed else line(said.text, **thought, **extra)
    yield last | {"done": True, "done_reason": "stop", "total_duration": 5_000_000,
                  "load_duration": 1_000_000, "prompt_eval_count": said.tokens_in,
                  "prompt_eval_duration": 1_000_000, "eval_count": said.tokens_out,
                  "eval_duration": 3_000_000}  # fmt: skip
