"""Values as words on one line, cut in the middle where they are long, and the cut is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.kernel.tokens import estimate

Resolve: TypeAlias = Callable[[Entry], Mapping[str, Any]]
"""Gives an entry's data; large parts may be put back from the vault, or stand as references."""


def stored(entry: Entry) -> Mapping[str, Any]:
    """Give an entry's data as it is stored: the same for ever, whatever is erased."""
    return entry.value()


def one_line(value: object) -> str:
    """Spell a value on one line."""
    match value:
        case str():
            line = " ".join(value.split())
            return line if line.isprintable() else _NOT_SHOWN.sub("\ufffd", line)
        case None:
            return ""
        case {"$artifact": str(sha256), "bytes": int(size)}:
            return f"({size} bytes in the vault, {sha256[:12]})"
        case _:
            try:
                return one_line(canonical.encode(value).decode())
            except InvalidInput:
                return "(a value that JSON cannot hold)"


def apart(text: str) -> str:
    """Name a text by its size when the vault will keep it, so that no entry repeats it."""
    content = text.encode("utf-8", "surrogatepass")
    # Half, as what takes the place of secrets may be longer than they are.
    if len(content) <= INLINE_BYTES_MAX // 2 and not _HALVES.search(text):
        return text
    return f"({len(content)} bytes in the vault)"


def cut_middle(text: str, chars_max: int) -> str:
    """Keep both ends of a long text, and say how many characters are gone between them."""
    gone = len(text) - chars_max
    if gone <= 0:
        return text
    tail = chars_max // 3
    return f"{text[: chars_max - tail]}… +{gone} …{text[len(text) - tail :]}".rstrip()


def fit(text: str, tokens_max: int) -> str:
    """Cut a text in the middle until it takes no more tokens than it may."""
    kept, keep = text, len(text)
    while keep and (tokens := estimate(kept)) > tokens_max:
        keep = min(keep - 1, keep * tokens_max // tokens)
        kept = cut_middle(text, keep)
    return kept


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line."""
    line = one_line(text)
    found = _SENTENCE_END.search(line)
    return line if found is None else line[: found.end()].rstrip()


_NOT_SHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, and halves of characters that no file can hold."""

_HALVES: Final = re.compile(r"[\ud800-\udfff]")

_SENTENCE_END: Final = re.compile(r"[.!?](?=\s+[^a-z\s])|[。！？]")
