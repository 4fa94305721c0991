"""Putting a text behind a request without touching a byte of it.

The client's bytes are never parsed and printed again: signatures over them, and what the upstream
has cached of them, stay good. A text goes to the end of the last message, behind it as a message of
its own, or to the end of a prompt that is one text. Where the place cannot be told for certain,
nothing is put in; nor behind a text that the model is to go on with, as it would go on with ours.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from holdfast.wire.events import Dialect

_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_FIELDS: Final[dict[Dialect, str]] = {
    "chat": "messages",
    "messages": "messages",
    "ollama-chat": "messages",
    "responses": "input",
    "ollama-generate": "prompt",
}
"""Where what is said stands. A completion only ever goes on with its prompt, so it has no place."""

_HOLES: Final = re.compile(
    r"<[|\uff5c]?fim[_\u2581-](?:prefix|suffix|middle|begin|hole|end)[|\uff5c]?>"
    r"|<\|(?:code_)?(?:prefix|suffix|middle)\|>|<(?:PRE|SUF|MID)>|\[(?:PREFIX|SUFFIX|MIDDLE)\]"
)
"""What marks the hole that a model is to fill."""


def splice(body: bytes, dialect: Dialect, text: str) -> bytes | None:
    """Return the request with a text behind it; None where it has no place for one."""
    field = _FIELDS.get(dialect)
    place = None if field is None else _place(body, field)
    if place is None:
        return None
    start, end = place
    value = body[start:end]
    if value.startswith(b'"'):
        if dialect == "ollama-generate" and _is_gone_on_with(body, value):
            return None
        return _in_text(body, end, text)
    if value.startswith(b"["):
        return _behind_messages(body, (start, end), dialect, text)
    return None


class _Prompt(msgspec.Struct):
    raw: Any = None
    suffix: Any = None


def _is_gone_on_with(body: bytes, prompt: bytes) -> bool:
    """Tell whether a prompt is no question but a text with an end missing, or a hole in it."""
    given = msgspec.json.decode(body, type=_Prompt)
    if given.raw not in (None, False) or given.suffix not in (None, ""):
        return True
    return _HOLES.search(msgspec.json.decode(prompt, type=str)) is not None


def _in_text(body: bytes, end: int, text: str) -> bytes:
    """Put it before the closing quote of a text."""
    spelled = msgspec.json.encode(f"\n\n{text}")[1:-1]
    return body[: end - 1] + spelled + body[end - 1 :]


def _in_list(body: bytes, end: int, added: object, *, empty: bool) -> bytes:
    """Put it before the closing bracket of a list."""
    spelled = msgspec.json.encode(added)
    return b"".join((body[: end - 1], b"" if empty else b",", spelled, body[end - 1 :]))


def _behind_messages(
    body: bytes, place: tuple[int, int], dialect: Dialect, text: str
) -> bytes | None:
    """Put it into the last message if that is the user's, else behind it as a message of its own.

    Some models are only ever given turns that alternate, so two of the user's in a row are avoided.
    """
    start, end = place
    messages = msgspec.json.decode(body[start:end], type=list[msgspec.Raw])
    if not messages:
        return None
    last = bytes(messages[-1])
    part = {"type": "input_text" if dialect == "responses" else "text", "text": text}
    match msgspec.json.decode(last):
        case {"role": "assistant"}:
            return None  # the client began the answer itself: nothing may stand behind it
        case {"type": "reasoning"}:
            return None  # what was thought belongs to what follows it
        case {"role": "user", "content": str()} if (at := _place(last, "content")) is not None:
            return _in_text(body, _start_of(body, end, last) + at[1], text)
        case {"role": "user", "content": list(parts)} if (
            dialect != "ollama-chat" and (at := _place(last, "content")) is not None
        ):
            return _in_list(body, _start_of(body, end, last) + at[1], part, empty=not parts)
        case dict():
            content: object = [part] if dialect == "responses" else text
            return _in_list(body, end, {"role": "user", "content": content}, empty=False)
        case _:
            return None


def _start_of(body: bytes, end: int, last: bytes) -> int:
    """Return where the last message of a list begins, which ends at `end` with its bracket."""
    return len(body[: end - 1].rstrip(b" \t\r\n")) - len(last)


def _place(body: bytes, field: str) -> tuple[int, int] | None:
    """Return where the value of a field of the request begins and ends, if that is certain."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except _UNREADABLE:
        return None
    if field not in fields:
        return None
    value = bytes(fields[field])
    # The same key and value may stand further in as well; then nobody can tell which is which.
    pattern = re.compile(rb'"%s"[ \t\r\n]*:[ \t\r\n]*' % field.encode())
    places = [
        found.end() for found in pattern.finditer(body) if body.startswith(value, found.end())
    ]
    if len(places) != 1:
        return None
    return places[0], places[0] + len(value)
