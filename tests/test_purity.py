"""The inner rings are pure: their imports stand on a list, and they open, print and run nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "holdfast"

STDLIB = frozenset(
    {
        "__future__",
        "base64",
        "bisect",
        "collections",
        "collections.abc",
        "contextlib",
        "dataclasses",
        "decimal",
        "difflib",
        "enum",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "types",
        "typing",
        "unicodedata",
    }
)
PACKAGES = {
    "kernel": ("msgspec", "holdfast.kernel"),
    "stores": ("msgspec", "holdfast.kernel", "holdfast.stores"),
    "views": ("msgspec", "holdfast.kernel", "holdfast.stores", "holdfast.views"),
}
BANNED_NAMES = frozenset({"__import__", "eval", "exec", "input", "open", "print"})

PRESENT = [ring for ring in PACKAGES if (PACKAGE / ring).is_dir()]


def test_the_kernel_is_looked_at() -> None:
    assert "kernel" in PRESENT
    assert list((PACKAGE / "kernel").rglob("*.py")) != []


@pytest.mark.parametrize("ring", PRESENT)
def test_a_pure_ring_has_no_effects(ring: str) -> None:
    faults = [
        f"{path.relative_to(PACKAGE)}:{fault}"
        for path in sorted((PACKAGE / ring).rglob("*.py"))
        for fault in impurities(path.read_text(encoding="utf-8"), ring)
    ]
    assert faults == []


@pytest.mark.parametrize(
    ("snippet", "faults"),
    [
        ("import os", ["1: imports os"]),
        ("import os.path as p", ["1: imports os.path"]),
        ("from time import time", ["1: imports time"]),
        ("import json, random", ["1: imports random"]),
        ("import concurrent.futures", ["1: imports concurrent.futures"]),
        ("from holdfast import storage", ["1: imports holdfast.storage"]),
        ("import holdfast", ["1: imports holdfast"]),
        ("from holdfast.kernelx import y", ["1: imports holdfast.kernelx"]),
        ("from . import clock", ["1: imports relatively"]),
        ("import holdfast.stores.sessions", ["1: imports holdfast.stores.sessions"]),
        ("def f():\n    import sqlite3", ["2: imports sqlite3"]),
        ("print('x')", ["1: uses print"]),
        ("read = open\nread('x')", ["1: uses open"]),
        ("__import__('os')", ["1: uses __import__"]),
        ("x = eval(y)\nexec(x)", ["1: uses eval", "2: uses exec"]),
    ],
)
def test_an_effect_in_the_kernel_is_found(snippet: str, faults: list[str]) -> None:
    assert list(impurities(snippet, "kernel")) == faults


@pytest.mark.parametrize(
    "snippet",
    [
        "import collections.abc\nfrom collections.abc import Iterator",
        "import msgspec.json",
        "from holdfast import kernel",
        "from holdfast.kernel.errors import HoldfastError",
        "class File:\n    def open(self): ...\n\nFile().open()",
    ],
)
def test_pure_code_passes(snippet: str) -> None:
    assert list(impurities(snippet, "kernel")) == []


def test_a_store_may_import_stores() -> None:
    assert list(impurities("from holdfast.stores import sessions", "stores")) == []


def impurities(source: str, ring: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                for alias in node.names:
                    if not _may_import(alias.name, ring):
                        yield f"{node.lineno}: imports {alias.name}"
            case ast.ImportFrom(module=str(module), level=0):
                for name in _modules_of(node, module):
                    if not _may_import(name, ring):
                        yield f"{node.lineno}: imports {name}"
            case ast.ImportFrom():
                yield f"{node.lineno}: imports relatively"
            case ast.Name(id=name, ctx=ast.Load()) if name in BANNED_NAMES:
                yield f"{node.lineno}: uses {name}"


def _modules_of(node: ast.ImportFrom, module: str) -> list[str]:
    """Name what is imported; `from holdfast import x` means the package x, not holdfast."""
    if module == "holdfast":
        return [f"holdfast.{alias.name}" for alias in node.names]
    return [module]


def _may_import(module: str, ring: str) -> bool:
    return module in STDLIB or any(
        module == package or module.startswith(f"{package}.") for package in PACKAGES[ring]
    )
