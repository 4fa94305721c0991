"""The statements of `queries.sql`, and of files like it, by name."""

from __future__ import annotations

import os
import re
from typing import Final

_HERE: Final = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib costs a hook 3 ms
_NAMED: Final = re.compile(r"^-- name: (\w+)\n-- .*\n", re.MULTILINE)
"""The name of a statement, and what it is for."""


def read_sql(name: str) -> str:
    """Return the text of an SQL file of this package."""
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


def statements(text: str) -> dict[str, str]:
    """Return the statements of a text by their names."""
    _, *parts = _NAMED.split(text)
    return {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}


SQL: Final = statements(read_sql("queries.sql"))
