"""A client that has a conversation with a scripted model, in the dialect that it is told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from holdfast.testing.model_server import ModelServer, Said, ToolCall
from tests.proxy.running import Asking

PATHS: Final = {
    "chat": "/v1/chat/completions",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
}


class Client:
    """A conversation in some dialect."""

    def __init__(
        self, proxy: Asking, server: ModelServer, name: str, dialect: str, *, streamed: bool
    ) -> None:
        self._proxy = proxy
        self._server = server
        self._name = f"You write code. This is about {name.encode().hex()}."
        self.dialect = dialect
        self.streamed = streamed
        self._said: list[dict[str, Any]] = []
        self._calls = count(1)

    def say(self, words: str, answer: Said) -> None:
        """Let the user say something, and the model answer."""
        kind = {"chat": "text", "messages": "text", "responses": "input_text"}[self.dialect]
        self._said.append({"role": "user", "content": [{"type": kind, "text": words}]})
        self._go_on(answer)

    def call(self, words: str, tool: str, arguments: dict[str, Any], result: str) -> None:
        """Let the user say something, the model call a tool, the client answer, the model end."""
        call = ToolCall(tool, arguments, f"call_{next(self._calls)}")
        self.say(words, Said(calls=(call,)))
        match self.dialect:
            case "chat":
                self._said.append({"role": "tool", "tool_call_id": call.id, "content": result})
            case "messages":
                given = {"type": "tool_result", "tool_use_id": call.id, "content": result}
                self._said.append({"role": "user", "content": [given]})
            case _:
                given = {"type": "function_call_output", "call_id": call.id, "output": result}
                self._said.append(given)
        self._go_on(Said("Done."))

    def _go_on(self, answer: Said) -> None:
        self._server.say(answer)
        body: dict[str, Any] = {"model": "scripted", "stream": self.streamed}
        match self.dialect:
            case "chat":
                first = {"role": "system", "content": self._name}
                body["messages"] = [first, *self._said]
            case "messages":
                body |= {"max_tokens": 9_999, "system": self._name, "messages": self._said}
            case _:
                body |= {"instructions": self._name, "input": self._said}
        came = self._proxy.ask(PATHS[self.dialect], body)
        assert came.status == 200, came
        self._said += _remembered(self.dialect, answer)


def _remembered(dialect: str, said: Said) -> Iterator[dict[str, Any]]:
    """Yield an answer as clients send it back."""
    match dialect:
        case "chat":
            message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
            if said.calls:
                message["tool_calls"] = [
                    {"id": call.id, "type": "function",
                     "function": {"name": call.name, "arguments": call.spelled()}}
                    for call in said.calls
                ]  # fmt: skip
            yield message
        case "messages":
            content: list[dict[str, Any]] = []
            if said.text:
                content.append({"type": "text", "text": said.text})
            content += [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
                for call in said.calls
            ]
            yield {"role": "assistant", "content": content}
        case _:
            if said.text:
                spoken = [{"type": "output_text", "text": said.text}]
                yield {"type": "message", "role": "assistant", "content": spoken}
            for call in said.calls:
                yield {"type": "function_call", "call_id": call.id, "name": call.name,
                       "arguments": call.spelled()}  # fmt: skip
