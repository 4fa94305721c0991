"""What is true of a text, by readers that are not ours: every definition, and its exact slice.

Python is read by `ast`, TypeScript and JavaScript by the TypeScript compiler, which leaves its
findings as offsets. A slice begins with the decorators and ends with the last statement. Comments
at its edges, and a `;` behind it, belong to it or not by our own convention, so both are taken for
right; nothing else is.
A value of a module is a definition where it first stands, unless a function or class has its name.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Slice(NamedTuple):
    """Where a definition stands: bytes of the text, the end exclusive."""

    starts: tuple[int, ...]
    """Where it may begin: at its comments, the first one first, or at its code, the last."""
    end: int

    @property
    def code(self) -> int:
        """Return where its code begins."""
        return self.starts[-1]


class Truth:
    """All definitions of a text, by their qualified names."""

    def __init__(self, text: str, slices: Mapping[str, Slice], comment: str) -> None:
        self.text = text
        self.slices = slices
        self._comment = comment
        self._source = text.encode()
        self._exact = {
            name: _digest(self._source[place.starts[0] : place.end])
            for name, place in slices.items()
        }

    def holds(self, name: str, digest: str | None) -> bool:
        """Tell whether a digest is that of a definition's text."""
        if name not in self.slices:
            return False
        return digest == self._exact[name] or digest in set(self._with_comments(name))

    def is_bare(self, name: str) -> bool:
        """Tell whether a definition has no comments at its edges."""
        starts, end = self.slices[name]
        return len(starts) == 1 and not any(self._comments_behind(end))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Truth) and self._exact == other._exact

    def __hash__(self) -> int:
        return hash(self.text)

    def _with_comments(self, name: str) -> Iterator[str]:
        starts, end = self.slices[name]
        closed = [end + 1] if self._source[end : end + 1] == b";" else []
        for last in (end, *closed, *self._comments_behind(end)):
            for start in starts:
                yield _digest(self._source[start:last])

    def _comments_behind(self, end: int) -> Iterator[int]:
        """Yield the ends of the comments that follow, each on a line of its own."""
        at = end
        for line in self._source[end:].splitlines(keepends=True):
            bare = line.strip()
            at += len(line)
            if bare and not bare.startswith(self._comment.encode()):
                return
            if bare:
                yield at - len(line) + len(line.rstrip())


class History(NamedTuple):
    """One file, as some releases in a row have it; each defines something else than the last."""

    package: str
    path: str
    language: str
    texts: tuple[Truth, ...]


def _digest(source: bytes) -> str:
    return sha256(source).hexdigest()


def of_offsets(text: str, found: Iterable[tuple[str, list[int], int]]) -> Truth:
    """Return what the TypeScript compiler found."""
    places = {name: Slice(tuple(starts), end) for name, starts, end in found}
    return Truth(text, places, "//")


def of_python(text: str) -> Truth:
    """Return what Python's own parser finds; raises SyntaxError where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    lines = _Lines(text)
    found = dict(_below(tree, "", Counter(), lines))
    for node in tree.body:
        name = _value(node)
        if name is not None:
            found.setdefault(name, _slice(node, lines))
    return Truth(text, found, "#")


class _Lines:
    """Lines of a text: where they begin, and which are nothing but a comment."""

    def __init__(self, text: str) -> None:
        self._lines = [line.encode() for line in text.split("\n")]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._comments = set(_comment_lines(text))

    def at(self, line: int, column: int) -> int:
        """Return the offset of a place; lines count from 1, columns are bytes."""
        return self._starts[line - 1] + column

    def starts(self, line: int) -> tuple[int, ...]:
        """Return where what begins in a line may begin, with the comments directly above it."""
        first = line
        while first - 1 in self._comments:
            first -= 1
        return tuple(self.at(one, self._indent(one)) for one in range(first, line + 1))

    def _indent(self, line: int) -> int:
        held = self._lines[line - 1]
        return len(held) - len(held.lstrip())


def _comment_lines(text: str) -> Iterator[int]:
    ended = text if text.endswith("\n") else text + "\n"
    for token in tokenize.generate_tokens(io.StringIO(ended).readline):
        alone = token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
        if alone and not token.string.startswith("#!"):
            yield token.start[0]


def _below(
    node: ast.AST, prefix: str, taken: Counter[str], lines: _Lines
) -> Iterator[tuple[str, Slice]]:
    for child in sorted(ast.iter_child_nodes(node), key=_position):
        if not isinstance(child, Definition):
            yield from _below(child, prefix, taken, lines)
            continue
        base = prefix + child.name
        taken[base] += 1
        name = base if taken[base] == 1 else f"{base}#{taken[base]}"
        yield name, _slice(child, lines)
        yield from _below(child, f"{name}.", taken, lines)


def _value(node: ast.stmt) -> str | None:
    """Return the name that a statement of the module gives a value."""
    target: ast.AST | None = None
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    elif type(node).__name__ == "TypeAlias":
        target = getattr(node, "name", None)
    return target.id if isinstance(target, ast.Name) else None


def _slice(node: ast.AST, lines: _Lines) -> Slice:
    first, column = _position(node)
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        first = min(one.lineno for one in decorators)
        column = -1
    end = lines.at(getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
    starts = lines.starts(first)
    own = starts[-1] if column < 0 else lines.at(first, column)
    return Slice((*starts[:-1], own) if own == starts[-1] else (own,), end)


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
