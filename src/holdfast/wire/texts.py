"""The text in a value that may be a text, a list of parts, or something else."""

from __future__ import annotations

from typing import Any

import msgspec


def text_of(value: Any) -> str:
    """Return the text of a content: a text, or parts that have one; other things as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list():
            return "".join(_part(part) for part in value)
        case {"message": str(message)}:
            return message
        case _:
            return msgspec.json.encode(value).decode()


def _part(part: Any) -> str:
    match part:
        case str():
            return part
        case {"text": str(text)}:
            return text
        case _:
            return ""
