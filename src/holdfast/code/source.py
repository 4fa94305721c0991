"""What is read as code at all: text of a bearable size, refused early when it is not."""

from __future__ import annotations

from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import (
    CODE_BYTES_MAX,
    CODE_DEPTH_MAX,
    CODE_LINE_BYTES_MAX,
    CODE_SYMBOLS_MAX,
)


def checked_source(text: str) -> bytes:
    """Return the text's bytes, or say why they are not looked at."""
    if len(text) > CODE_BYTES_MAX:  # before it is copied: a character is at least a byte
        raise _refused(f"The text is longer than {CODE_BYTES_MAX} bytes")
    if "\0" in text:
        raise _refused("The text holds NUL characters: it is binary")
    try:
        source = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _refused("The text holds half a character and cannot be UTF-8") from error
    if len(source) > CODE_BYTES_MAX:
        raise _refused(f"The text is longer than {CODE_BYTES_MAX} bytes")
    if len(source) > CODE_LINE_BYTES_MAX and _longest_line(source) > CODE_LINE_BYTES_MAX:
        raise _refused(f"A line is longer than {CODE_LINE_BYTES_MAX} bytes: it is data or minified")
    return source


def too_many() -> CouldNotLook:
    """Say that a text defines more than anybody would read."""
    return CouldNotLook(
        f"The text has more than {CODE_SYMBOLS_MAX} definitions, or they are nested deeper than "
        f"{CODE_DEPTH_MAX}.",
        meaning="The code was not looked at; what it defines is not known.",
        remedy="Look at a part of it.",
    )


def _longest_line(source: bytes) -> int:
    return max(map(len, source.split(b"\n")))


def _refused(why: str) -> CouldNotLook:
    return CouldNotLook(
        f"{why}.",
        meaning="The code was not looked at; what it defines is not known.",
        remedy="Search the file's text instead.",
    )
