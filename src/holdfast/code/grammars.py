"""Tree-sitter grammars and our queries, loaded when a language is first read.

Each grammar is a package of its own. One that is not there is `CouldNotLook`, so that nobody takes
a file for empty because a package is missing.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.code.languages import LANGUAGES
from holdfast.kernel.errors import CouldNotLook

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

    Captures: TypeAlias = dict[str, list[Node]]

_QUERIES: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries")  # noqa: PTH100, PTH118, PTH120 - pathlib costs a hook 3 ms


def parse(source: bytes, language: str) -> Tree:
    """Return the syntax tree of a text, with its errors."""
    spoken = grammar(language)
    from tree_sitter import Parser

    return Parser(spoken).parse(source)


def matches(root: Node, language: str) -> list[tuple[int, Captures]]:
    """Return what the query of the language finds below a node."""
    query = definitions(language)
    from tree_sitter import QueryCursor

    return QueryCursor(query).matches(root)


@cache
def grammar(language: str) -> Language:
    """Return the grammar of a language."""
    entry = LANGUAGES[language]
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(entry.package), entry.function)())
    except ImportError as error:
        raise CouldNotLook(
            f"The grammar for {language} ({entry.package.replace('_', '-')}) is not installed.",
            meaning="The code was not looked at; what it defines is not known.",
            remedy="Install holdfast with its extra `code`.",
        ) from error


@cache
def definitions(language: str) -> Query:
    """Return the query that finds the definitions of a language."""
    from tree_sitter import Query

    texts = [_query_text(name) for name in LANGUAGES[language].queries]
    return Query(grammar(language), "\n".join(texts))


def _query_text(name: str) -> str:
    with open(os.path.join(_QUERIES, f"{name}.scm"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()
