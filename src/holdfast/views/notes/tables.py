"""Tables in the notes: rows with their cells by the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

_RULE: Final = re.compile(r"[\s:|-]+\Z")
_BAR: Final = re.compile(r"(?<!\\)\|")


class Row(msgspec.Struct, frozen=True):
    """A row of a table."""

    line: int
    cells: dict[str, str]
    """By the names of the columns, in small letters."""
    fault: str | None = None
    """Why it cannot be used."""


def rows_of(lines: Sequence[tuple[int, str]]) -> Iterator[Row]:
    """Yield the rows of every table among some lines; below its head stands a line of dashes."""
    columns: list[str] | None = None
    before: str | None = None
    for at, text in lines:
        if not text.lstrip().startswith("|"):
            columns = before = None
            continue
        if columns is not None:
            yield _row(at, columns, _cells(text))
        elif before is not None and "-" in text and _RULE.match(text):
            columns = [cell.casefold() for cell in _cells(before)]
        before = text


def _row(at: int, columns: list[str], cells: list[str]) -> Row:
    if len(cells) != len(columns):
        wanted, found = len(columns), len(cells)
        return Row(at, {}, f"has {found} cells where the table has {wanted}")
    return Row(at, dict(zip(columns, cells, strict=True)))


def _cells(text: str) -> list[str]:
    text = text.strip().removeprefix("|")
    text = text[:-1] if _BAR.search(text[-1:]) and not text.endswith("\\|") else text
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(text)]
