"""The keys of a YAML file, each with its value as it is written.

What is read is what settings are made of: the mappings of one document, by indentation or in braces
on one line, with plain or quoted values. Lists, blocks of text and other values in brackets are
passed over as the value of their key. Any other line is told as one that could not be read, with
what stands below it. No aliases, no tags, no second document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MERGE: Final = "<<"
"""The key that takes over what another mapping has."""


class Line(NamedTuple):
    """A key with its value as it is written."""

    number: int
    key: str
    """By its full name, `section.name`."""
    value: str | None
    """Empty where none stands; None for one that is not a single word or text."""
    problem: str = ""
    """What could not be read; then there is no key."""


class _Row(NamedTuple):
    """A line of the file that says something, without its comment."""

    number: int
    indent: int
    text: str


def lines_of(text: str) -> Iterator[Line]:
    """Yield every key that has a value of its own, and every line that could not be read."""
    rows, rest = _document(text)
    above: list[tuple[int, str]] = []
    at = 0
    while at < len(rows):
        row = rows[at]
        pair = _pair(row.text)
        above = [one for one in above if one[0] < row.indent]
        if pair is None:
            yield _told(row.number, "which is no key with a value")  # it may be a secret
            at = _below(rows, at)
            continue
        key, value = pair[0], _ANCHOR.sub("", pair[1])
        above.append((row.indent, key))
        end, is_closed = _end_of_value(rows, at, value)
        name = ".".join(part for _, part in above)
        if not is_closed:
            yield _told(row.number, f"{name}: a bracket that is never closed")
        elif value or end >= len(rows) or rows[end].indent <= row.indent:
            yield from _valued(Line(row.number, name, value if end == at + 1 else None))
        at = end
    if rest is not None:
        yield _told(rest, "what comes after the first document")


def _document(text: str) -> tuple[list[_Row], int | None]:
    """Return the rows of the first document, and the line where another one begins."""
    rows: list[_Row] = []
    began = ended = False
    for row in _rows(text):
        if ended:
            return rows, row.number
        if row.indent == 0 and row.text in ("---", "..."):
            if rows or began:
                ended = True
            began = True
        elif not (row.text.startswith("%") and row.indent == 0 and not rows and not began):
            rows.append(row)
    return rows, None


def _rows(text: str) -> Iterator[_Row]:
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        written = _COMMENT.sub(lambda found: found["kept"] or "", raw).rstrip()
        if written:
            bare = written.lstrip(" ")
            yield _Row(number, len(written) - len(bare), bare)


def _pair(text: str) -> tuple[str, str] | None:
    """Split `key: value`; None for anything else."""
    if text[0] in "\"'":
        quoted = _QUOTED.match(text)
        if quoted is None:
            return None
        colon = _COLON.match(text, quoted.end())
        return None if colon is None else (quoted[0][1:-1], text[colon.end() :].strip())
    if text[0] in _INDICATORS or text[:2] in ("- ", "? ", ": ") or text in ("-", "?", ":"):
        return None
    found = _COLON_IN_TEXT.search(text)
    if found is None or not (key := text[: found.start()].rstrip()):
        return None
    return key, text[found.end() :].strip()


def _valued(line: Line) -> Iterator[Line]:
    """Yield a key with its value, or what stands in braces behind it."""
    value = line.value
    if value is None or value[:1] not in ("[", "{", "|", ">"):
        yield line
        return
    inside = _in_braces(value)
    if not inside:
        yield line._replace(value=None if inside is None else "")
        return
    for key, one in inside:
        yield from _valued(Line(line.number, f"{line.key}.{key}", one))


def _in_braces(text: str) -> list[tuple[str, str]] | None:
    """Return the pairs of a mapping in braces; None for anything else, and for one in another."""
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    parts = _split_at_commas(text[1:-1])
    pairs = [_pair(part.strip()) for part in parts if part.strip()]
    found = [pair for pair in pairs if pair is not None]
    return found if len(found) == len(pairs) else None


def _split_at_commas(text: str) -> list[str]:
    """Split at commas that are in no quotes; one piece, which is no pair, where brackets are."""
    bare = _QUOTED.sub(lambda found: "_" * len(found[0]), text)
    if any(char in bare for char in "[]{}"):
        return ["["]
    ends = [found.start() for found in re.finditer(",", bare)]
    starts = [0, *(end + 1 for end in ends)]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]


def _end_of_value(rows: list[_Row], at: int, value: str) -> tuple[int, bool]:
    """Return the first row that is not part of a key's value; and whether its brackets close."""
    row, end = rows[at], at + 1
    is_list = value == "" and end < len(rows) and _is_item(rows[end], row.indent)
    if value == "" and not is_list:
        return end, True
    depth = _depth(value) if value[:1] in ("[", "{") else 0
    while end < len(rows) and (
        depth > 0 or rows[end].indent > row.indent or (is_list and _is_item(rows[end], row.indent))
    ):
        depth += _depth(rows[end].text) if depth > 0 else 0
        end += 1
    return end, depth <= 0


def _below(rows: list[_Row], at: int) -> int:
    """Return the first row that does not stand below another."""
    end = at + 1
    while end < len(rows) and rows[end].indent > rows[at].indent:
        end += 1
    return end


def _is_item(row: _Row, indent: int) -> bool:
    return row.indent >= indent and (row.text == "-" or row.text.startswith("- "))


def _depth(text: str) -> int:
    bare = _QUOTED.sub("", text)
    return sum(bare.count(char) for char in "[{") - sum(bare.count(char) for char in "]}")


def _told(number: int, problem: str) -> Line:
    return Line(number, "", None, problem)


_INDICATORS: Final = "\t#&*!|>%@`,[]{}"
_COLON: Final = re.compile(r"\s*:(?=\s|\Z)")
_COLON_IN_TEXT: Final = re.compile(r":(?=\s|\Z)")
_ANCHOR: Final = re.compile(r"\A&[^\s,\[\]{}]+(?:\s+|\Z)")
_QUOTED: Final = re.compile(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'""")
_COMMENT: Final = re.compile(
    r"""(?P<kept>(?:^|(?<=[\s\[{,:]))(?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'))|(?:^|(?<=\s))\#.*"""
)
