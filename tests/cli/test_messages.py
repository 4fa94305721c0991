"""What messages may not do: suggest a command that destroys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"

DESTRUCTIVE_COMMANDS = re.compile(
    r"\brm\s|\bgit (reset|clean|checkout|restore|push)\b|\bdrop table\b|\bdelete from\b"
    r"|\btruncate\b|\bunlink\b|--force|\bmkfs\b|\bdd if=",
    re.IGNORECASE,
)
DESTRUCTIVE_ADVICE = re.compile(
    r"\b(rm|delete|drop|reset|remove|erase|wipe|purge|truncate|overwrite|discard|force)\b",
    re.IGNORECASE,
)
MESSAGE_CHARS_MAX = 500
SPEAKERS = {"talk", "say", "_refused", "_refusal", "_text_refusal", "Check", "_check"}


@pytest.mark.lesson("N13")
def test_no_message_suggests_a_destructive_command() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {text!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if "testing" not in path.parts
        for text in suggestions(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.lesson("N13")
@pytest.mark.parametrize(
    "source",
    [
        'raise Damaged("It is damaged.", remedy="Delete the folder and start again.")',
        'raise Damaged("It is damaged.", remedy=f"Run: rm -rf {folder}")',
        'raise Damaged("It is damaged. Run git reset --hard.")',
        'talk("Drop the table and try again.")',
        'Check("log", False, "too long", "Remove the log.")',
    ],
)
def test_a_message_that_does_is_found(source: str) -> None:
    assert list(suggestions(source)) != []


def test_messages_are_looked_at_and_not_code() -> None:
    assert list(suggestions('"""Delete nothing."""\nkind = "delete"')) == []
    assert list(suggestions('x = Fault(1, "a", remedy="Run `holdfast verify`.")')) == []


def suggestions(source: str) -> Iterator[str]:
    """Yield destructive commands in what is handed on, and destructive words in advice."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            said = [*node.args, *(word.value for word in node.keywords)]
            advice = [word.value for word in node.keywords if word.arg in ("remedy", "meaning")]
            if isinstance(node.func, ast.Name) and node.func.id in SPEAKERS:
                advice += node.args
            for pattern, parts in ((DESTRUCTIVE_COMMANDS, said), (DESTRUCTIVE_ADVICE, advice)):
                yield from (text for part in parts for text in texts(part) if pattern.search(text))


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression; longer ones are lists of words, not messages."""
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and len(value) <= MESSAGE_CHARS_MAX:
            yield value
