"""A request: which model, and the turns of the conversation with who said what in them.

Provenance is by channel, never by what a text says of itself: what comes back from a tool has the
role `user` in some dialects and is the tool's all the same. Text that clients themselves put into a
turn of the user's (reminders, the environment) is theirs, not the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.wire.events import Dialect
from holdfast.wire.speakers import is_result, split
from holdfast.wire.texts import text_of

Speaker: TypeAlias = Literal["user", "client", "model", "tool", "system"]


class Unreadable(ValueError):
    """The body is no request of its dialect; it may pass, but nothing can be said about it."""


class Part(msgspec.Struct, frozen=True):
    """Something said in a turn."""

    speaker: Speaker
    text: str
    tool: str | None = None
    """The tool that was called with this text as its arguments."""
    call: str | None = None
    """What a call is called, and what comes back from it, where the dialect gives it a name."""
    failed: bool = False
    """The client says that the tool did not do what it was called for."""


class Turn(msgspec.Struct, frozen=True):
    """One message, as the client put it."""

    parts: tuple[Part, ...]
    raw: bytes
    """The bytes of the message, as they stand in the request."""
    mark: bytes | None = None
    """A short hash of what it says. Clients change their own additions, the system's words and
    marks about caching from request to request, so these are left out; a turn of only these has
    none."""
    aside: bool = False
    """The client or the system speaks in it, which is seldom."""

    def __post_init__(self) -> None:
        said = [
            (part.speaker, part.tool or "", part.text.strip())
            for part in self.parts
            if part.speaker in _SPEAKERS
        ]
        if said:
            told = _ENCODER.encode(said)
        elif self.parts:
            told = b""
        else:
            told = self.raw
        if told:
            msgspec.structs.force_setattr(self, "mark", sha256(told).digest()[:8])
        if len(said) < len(self.parts):
            msgspec.structs.force_setattr(self, "aside", True)

    def words(self) -> str:
        """Return what the user said in it."""
        return "\n".join(part.text for part in self.parts if part.speaker == "user")


class Request(msgspec.Struct, frozen=True):
    """What a client asks for."""

    dialect: Dialect
    model: str
    streamed: bool
    turns: tuple[Turn, ...]
    conversation: str | None = None
    """What the body itself calls the conversation, if it does."""
    system: str = ""
    """What stands before the turns: the client's words about how to behave, and where."""
    marks: tuple[bytes, ...] = ()
    """Of the turns that have one. These and the next follow from the turns; who knows them better
    than to look at all turns gives them."""
    asides: tuple[Turn, ...] = ()
    """The turns in which the client or the system speaks."""

    def __post_init__(self) -> None:
        if not self.marks:
            msgspec.structs.force_setattr(self, "marks", marks_of(self.turns))
            msgspec.structs.force_setattr(self, "asides", asides_of(self.turns))

    def newest_words(self) -> str:
        """Return what the user said last; empty when nothing the user said is in the request."""
        return next(filter(None, (turn.words() for turn in reversed(self.turns))), "")

    def newest_turn(self) -> int | None:
        """Return the place of the turn in which the user spoke last."""
        for place in range(len(self.turns) - 1, -1, -1):
            if any(part.speaker == "user" for part in self.turns[place].parts):
                return place
        return None


def marks_of(turns: Sequence[Turn]) -> tuple[bytes, ...]:
    """Return the marks of turns; some have none."""
    return tuple([turn.mark for turn in turns if turn.mark is not None])


def asides_of(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns in which the client or the system speaks."""
    return tuple([turn for turn in turns if turn.aside])


_SPEAKERS: Final = frozenset({"user", "model", "tool"})
_ENCODER: Final = msgspec.json.Encoder()


_NULL: Final = msgspec.Raw(b"null")


class _Body(msgspec.Struct):
    model: Any = ""
    stream: Any = None
    messages: list[msgspec.Raw] | None = None
    input: msgspec.Raw = _NULL
    prompt: Any = None
    system: Any = None
    instructions: Any = None
    metadata: Any = None


_SESSION: Final = re.compile(r"session(?:_id\"\s*:\s*\"|_)([0-9A-Za-z-]{8,80})\"?")
_DECODER: Final = msgspec.json.Decoder(_Body)
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_request(dialect: Dialect, body: bytes) -> Request:
    """Read a request, or raise `Unreadable`."""
    try:
        given = _DECODER.decode(body)
        turns = tuple(_turns(dialect, given))
    except _UNREADABLE as problem:
        raise Unreadable(str(problem)) from problem
    return Request(
        dialect,
        given.model if isinstance(given.model, str) else "",
        _streamed(dialect, given.stream),
        turns,
        _conversation(given),
        text_of(given.system) or text_of(given.instructions),
    )


def newest_words(dialect: Dialect, body: bytes) -> str:
    """Return what the user said last in a request of which nothing else is read; or raise
    `Unreadable`."""
    try:
        given = _DECODER.decode(body)
        for turn in _turns_back(dialect, given):
            if said := turn.words():
                return said
    except _UNREADABLE as problem:
        raise Unreadable(str(problem)) from problem
    return ""


def _streamed(dialect: Dialect, stream: Any) -> bool:
    """Ollama streams unless it is told not to, the others only when they are told to."""
    if dialect.startswith("ollama"):
        return stream is not False
    return stream is True


def _conversation(given: _Body) -> str | None:
    """Claude Code names its session with the user; a user alone may have many conversations."""
    match given.metadata:
        case {"user_id": str(user)}:
            found = _SESSION.search(user)
            return None if found is None else found[1]
        case _:
            return None


def _turns(dialect: Dialect, given: _Body) -> Iterator[Turn]:
    match dialect:
        case "chat" | "messages" | "ollama-chat":
            for raw in given.messages or ():
                yield _turn(bytes(raw))
        case "responses":
            yield from _items(given.input)
        case "completions" | "ollama-generate":
            text = text_of(given.prompt)
            if text:
                yield Turn(tuple(_said(text)), msgspec.json.encode(given.prompt))


def _turns_back(dialect: Dialect, given: _Body) -> Iterator[Turn]:
    """Yield the same from the last one on; none is read before it is asked for."""
    match dialect:
        case "chat" | "messages" | "ollama-chat":
            for raw in reversed(given.messages or ()):
                yield _turn(bytes(raw))
        case "responses":
            yield from _items(given.input, back=True)
        case _:
            yield from _turns(dialect, given)


def _items(raw: msgspec.Raw, *, back: bool = False) -> Iterator[Turn]:
    spelled = bytes(raw)
    if spelled.startswith(b'"'):
        yield Turn(tuple(_said(msgspec.json.decode(spelled, type=str))), spelled)
    elif spelled != b"null":
        items = msgspec.json.decode(spelled, type=list[msgspec.Raw])
        for one in reversed(items) if back else items:
            yield _turn(bytes(one))


def _turn(raw: bytes) -> Turn:
    value = msgspec.json.decode(raw)
    return Turn(tuple(_parts(value)) if isinstance(value, dict) else (), raw)


_TOOLS: Final = ("tool", "function")
_ROLES: Final = ("user", *_TOOLS, "system", "developer")


def _parts(message: dict[str, Any]) -> Iterator[Part]:
    role = message.get("role")  # by far the most say one: that is told without a pattern
    if role == "assistant":
        yield from _models(message)
        return
    if "content" in message and role in _ROLES:
        content = message["content"]
        if role == "user":
            yield from _users(content)
        elif role in _TOOLS:
            yield Part("tool", text_of(content), call=_name(message.get("tool_call_id")))
        else:
            yield Part("system", text_of(content))
        return
    match message:
        case {"type": "function_call" | "custom_tool_call", "name": str(name)}:
            text = message.get("arguments", message.get("input"))
            yield Part("model", text_of(text), name, _name(message.get("call_id")))
        case {"type": "apply_patch_call" | "shell_call" | "local_shell_call" as name}:
            spelled = msgspec.json.encode(message).decode()
            yield Part("model", spelled, name, _name(message.get("call_id")))
        case {"output": output}:
            failed = message.get("status") == "failed"
            call = _name(message.get("call_id"))
            yield Part("tool", text_of(output), call=call, failed=failed)
        case _:
            pass  # sealed reasoning, references to items: nothing that is said


def _users(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield from _said(content)
        return
    shown = False
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "tool_result"}:
                text, call = text_of(part.get("content")), _name(part.get("tool_use_id"))
                yield Part("tool", text, call=call, failed=part.get("is_error") is True)
            case {"type": "text" | "input_text", "text": str(text)} if shown or is_result(text):
                shown = True  # what came back stands in the parts behind
                yield Part("client", text)
            case {"type": "text" | "input_text", "text": str(text)}:
                yield from _said(text)
            case _:
                pass  # pictures, documents, sound


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _said(text: str) -> Iterator[Part]:
    """Split what the user said from what the client put in between."""
    for speaker, words in split(text):
        yield Part(speaker, words)


def _models(message: dict[str, Any]) -> Iterator[Part]:
    content = message.get("content")
    if isinstance(content, str) and content:
        yield Part("model", content)
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "tool_use", "name": str(name), "input": given}:
                spelled = msgspec.json.encode(given).decode()
                yield Part("model", spelled, name, _name(part.get("id")))
            case {"type": "text" | "output_text", "text": str(text)}:
                yield Part("model", text)
            case _:
                pass
    yield from _calls(message.get("tool_calls"))


def _calls(calls: Any) -> Iterator[Part]:
    for call in calls if isinstance(calls, list) else ():
        match call:
            case {"function": {"name": str(name), "arguments": arguments}}:
                yield Part("model", text_of(arguments), name, _name(call.get("id")))
            case {"custom": {"name": str(name), "input": str(text)}}:
                yield Part("model", text, name, _name(call.get("id")))
            case _:
                pass
