"""The statements of `queries.sql`, by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

_HERE: Final = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib costs a hook 3 ms
_NAMED: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


def read_sql(name: str) -> str:
    """Return the text of an SQL file of this package."""
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


def named_statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the statements of an SQL text, each with the name that stands above it."""
    parts = _NAMED.split(text)
    for name, statement in zip(parts[1::2], parts[2::2], strict=True):
        yield name, statement.partition("\n")[2].strip()


SQL: Final = dict(named_statements(read_sql("queries.sql")))
