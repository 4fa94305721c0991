"""Reading code has no effects: text in, values out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import holdfast.code

FOLDER = Path(holdfast.code.__file__).parent
BANNED = frozenset(
    {"os", "pathlib", "subprocess", "socket", "time", "random", "threading", "asyncio", "tempfile"}
)
OWN_FILES = frozenset({"grammars.py", "patterns.py"})
"""These read what ships beside them, and nothing else."""


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_a_module_reaches_no_files_and_no_processes(path: Path) -> None:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                found |= {alias.name.split(".")[0] for alias in node.names} & BANNED
            case ast.ImportFrom(module=str(module)):
                found |= {module.split(".")[0]} & BANNED
            case ast.Name(id=("open" | "print" | "eval" | "exec") as name):
                found.add(name)
            case _:
                pass
    assert found == ({"os", "open"} if path.name in OWN_FILES else set())
