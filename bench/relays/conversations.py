"""Requests of an agent: a long history that grows by a question and an answer each time.

System text, a task, and turns in which the model read files of the standard library and was shown
them, as chat completions spell it; 46 kB on average. When a conversation has grown long enough,
another one begins.
"""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

BODY_BYTES: Final = 46_000
TURNS: Final = 50
"""Questions of one conversation; then it is over."""
CHUNKS: Final = 60

_SYSTEM_CHARS: Final = 5_000
_READ_CHARS: Final = 1_000
_TURN_BYTES: Final = 500
_FILES: Final = ("abc", "bisect", "calendar", "cmd", "code", "copy", "fnmatch", "glob", "heapq",
                 "keyword", "numbers", "queue", "sched", "shelve", "stat", "textwrap")  # fmt: skip

ANSWER: Final = " ".join(f"word{place % 10}" for place in range(CHUNKS)) + "."
QUESTION: Final = "And what about the case that nothing was given? Please think about it, turn {}."
NAMING: Final = "What does {} do? Explain it in one sentence, please."


def bodies(client: int, question: str = QUESTION, model: str = "now") -> Iterator[bytes]:
    """Yield requests without end; `question` has a place for what differs."""
    number = 0
    while True:
        history = _history(f"{client}-{number}")
        for turn in range(TURNS):
            asked = _spelled({"role": "user", "content": question.format(turn)})
            yield b"".join((_head(model), history, b",", asked, b"]}"))
            answered = _spelled({"role": "assistant", "content": ANSWER})
            history = b",".join((history, asked, answered))
        number += 1


def _head(model: str) -> bytes:
    return b'{"model":"%b","stream":true,"messages":[' % model.encode()


def _history(name: str) -> bytes:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _rules()},
        {"role": "user", "content": f"Task {name}: look at how these modules treat empty input."},
    ]
    for place, module in enumerate(_FILES):
        call = f"call_{name}_{place}"
        arguments = json.dumps({"file_path": f"/srv/lib/{module}.py", "limit": 80})
        made = {
            "id": call, "type": "function", "function": {"name": "Read", "arguments": arguments}
        }  # fmt: skip
        messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": call, "content": _shown(module)})
    messages.append({"role": "assistant", "content": ANSWER})
    spelled = b",".join(map(_spelled, messages))
    room = BODY_BYTES - len(spelled) - TURNS * _TURN_BYTES // 2
    messages[0]["content"] += " Be brief." * (room // 10)
    return b",".join(map(_spelled, messages))


def _rules() -> str:
    text = _source("pydoc")
    return f"You are a coding agent. Working directory: /work\n{text[:_SYSTEM_CHARS]}"


@cache
def _shown(module: str) -> str:
    lines = _source(module)[:_READ_CHARS].split("\n")
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))


@cache
def _source(module: str) -> str:
    path = Path(sysconfig.get_paths()["stdlib"]) / f"{module}.py"
    return path.read_text(encoding="utf-8")


def _spelled(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def answer_chunks(chunks: int) -> list[bytes]:
    """Return the events of an answer, one for each word, as chat completions stream them."""
    words = ANSWER.split(" ")[:chunks]
    deltas: list[dict[str, Any]] = [{"content": f"{word} "} for word in words]
    deltas[0]["role"] = "assistant"
    events = [_event(delta, None) for delta in deltas[:-1]]
    events.append(_event(deltas[-1], "stop") + b"data: [DONE]\n\n")
    return events


def _event(delta: dict[str, Any], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    said = {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": "now", "choices": [choice],
    }  # fmt: skip
    return b"data: %b\n\n" % _spelled(said)
