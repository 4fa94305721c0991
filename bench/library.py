"""Entries of a wished size, made of real text: the Python standard library's own sources.

Synthetic in that nobody worked so; real in that every word was written by people for a purpose.
Prompts, answers and decisions are docstrings, commands show stretches of files as `sed` would, file
changes carry unified diffs between functions that stand side by side, errors carry tracebacks
through real lines with their real numbers. No line of the sources is used twice, and no function
whose text came before. There are two other ways to use it. With `distinct`, lines that merely look
the same are left out too, `else:` and `return x` wherever they come again: no longer how code
reads, but the least that a compressor can get. With `again`, that share of the code is code that
was shown a short while ago: agents look at what they then change, and again when it fails.
Envelopes are the ledger's own: each entry has its own UUIDv7, time, and hashes.
"""

from __future__ import annotations

import ast
import difflib
import random
import sysconfig
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from bench.harness import CannotMeasureError
from holdfast.kernel import canonical
from holdfast.ledger.ledger import Draft

ENVELOPE_BYTES: Final = 460
"""What an entry takes beside its data, about."""

SESSION_ENTRIES: Final = 120
AGAIN_ENTRIES: Final = 20
"""How long ago code may have been shown that is shown again, in entries with code."""

Data: TypeAlias = dict[str, Any]


class Function(msgspec.Struct, frozen=True):
    """A function of the standard library without its docstring, its lines with their numbers."""

    path: str
    name: str
    lines: tuple[tuple[int, str], ...]


def drafts(
    count: int, entry_bytes: int, *, distinct: bool = False, again: float = 0, seed: int = 1
) -> Iterator[Draft]:
    """Yield entries of about so many bytes as they are stored, on average."""
    sources = Sources(random.Random(seed), distinct=distinct, again=again)
    making = _Making(sources, random.Random(seed))
    data_bytes = entry_bytes - ENVELOPE_BYTES
    for number in range(count):
        yield making.draft(data_bytes, f"library-{number // SESSION_ENTRIES}")


class Sources:
    """The text there is: functions in the order of their files, and prose. Files by chance."""

    def __init__(self, chance: random.Random, *, distinct: bool, again: float) -> None:
        self._root = Path(sysconfig.get_paths()["stdlib"])
        paths = (path for path in self._root.rglob("*.py") if "site-packages" not in path.parts)
        self._paths = sorted(paths)
        chance.shuffle(self._paths)
        self._chance = chance
        self._distinct = distinct
        self._again = again
        self._lately: deque[list[Function]] = deque(maxlen=AGAIN_ENTRIES)
        self._seen: set[str] = set()
        self._code: deque[Function] = deque()
        self._prose: deque[str] = deque()

    def code(self, room: int) -> list[Function]:
        """Return functions with at least so many characters between them, or some shown lately."""
        if self._lately and self._chance.random() < self._again:
            return self._chance.choice(self._lately)
        taken: list[Function] = []
        while room > 0:
            while not self._code:
                self._read_file()
            taken.append(self._code.popleft())
            room -= sum(len(line) + 1 for _, line in taken[-1].lines)
        self._lately.append(taken)
        return taken

    def prose(self, room: int) -> list[str]:
        """Return lines of docstrings with at least so many characters between them."""
        taken: list[str] = []
        while room > 0:
            while not self._prose:
                self._read_file()
            taken.append(self._prose.popleft())
            room -= len(taken[-1]) + 1
        return taken

    def _read_file(self) -> None:
        if not self._paths:
            raise CannotMeasureError("the standard library has too little text")
        path = self._paths.pop()
        try:
            text = path.read_text(encoding="utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # tests of Python have odd spellings on purpose
                tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return  # sources that are wrong on purpose
        name = f"lib/{path.relative_to(self._root)}"
        numbered = list(enumerate(text.splitlines(), 1))
        done = 0
        for node in _nodes(tree):
            doc, first = _doc(node)
            self._add_prose(doc)
            if isinstance(node, ast.FunctionDef) and first >= done:
                done = node.end_lineno or first
                self._add_code(name, node.name, numbered[first:done])

    def _add_prose(self, doc: str) -> None:
        if self._is_fresh(doc):
            lines = [line for line in doc.splitlines() if line.strip()]
            self._prose += [line for line in lines if not self._distinct or self._is_fresh(line)]

    def _add_code(self, path: str, name: str, lines: list[tuple[int, str]]) -> None:
        if not self._is_fresh("\n".join(line for _, line in lines)):
            return
        if self._distinct:
            lines = [pair for pair in lines if self._is_fresh(pair[1])]
        if len(lines) >= 3:
            self._code.append(Function(path, name, tuple(lines)))

    def _is_fresh(self, text: str) -> bool:
        key = " ".join(text.split())
        if not key or key in self._seen:
            return False
        self._seen.add(key)
        return True


_Node: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef


def _nodes(tree: ast.Module) -> list[_Node]:
    """Return what may have a docstring, in the order of the file."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return sorted(found, key=lambda node: getattr(node, "lineno", 0))


def _doc(node: _Node) -> tuple[str, int]:
    """Return the docstring, and after which line the rest begins."""
    doc = ast.get_docstring(node)
    if doc is None:
        return "", getattr(node, "lineno", 1) - 1
    return doc, node.body[0].end_lineno or 0


class _Making:
    """Makes entries out of text, each word of it once."""

    def __init__(self, sources: Sources, chance: random.Random) -> None:
        self.sources = sources
        self._chance = chance

    def draft(self, data_bytes: int, session_id: str) -> Draft:
        """Make one entry; sizes differ, as they do, from a third to some five thirds."""
        kind, make = self._chance.choices(_KINDS, weights=_WEIGHTS)[0]
        room = round(data_bytes * self._chance.uniform(0.35, 1.65))
        return Draft(kind, make(self, room), session_id)

    def prose(self, room: int) -> str:
        """Return docstrings, cut at the end of a line."""
        return _cut(self.sources.prose(room), room)

    def hash(self) -> str:
        return self._chance.randbytes(32).hex()

    def number(self, most: int) -> int:
        return self._chance.randint(1, most)

    def choice(self, texts: tuple[str, ...]) -> str:
        return self._chance.choice(texts)


def _words(making: _Making, room: int) -> Data:
    return {"text": making.prose(room)}


def _decision(making: _Making, room: int) -> Data:
    lines = making.prose(room).split("\n")
    third = max(len(lines) // 3, 1)
    return {
        "question": lines[0],
        "choice": "\n".join(lines[1 : third + 1]) or lines[0],
        "reasoning": "\n".join(lines[third + 1 :]),
        "alternatives": lines[-1:],
        "confidence": making.number(100) / 100,
    }


def _command(making: _Making, room: int) -> Data:
    """Show a stretch of a file as an agent does before it changes something."""
    shown = making.sources.code(room)
    path, lines = shown[0].path, [pair for one in shown for pair in one.lines]
    command = making.choice(
        (
            f"sed -n '{lines[0][0]},{lines[-1][0]}p' {path}",
            f"grep -n -A{len(lines)} 'def {shown[0].name}' {path}",
            f"python -m pytest {path} -k {shown[0].name} -q",
        )
    )
    form = "{0}:{1}" if command.startswith("grep") else "{1}"
    return {
        "command": command,
        "exit_code": int(making.choice(("0", "0", "0", "1"))),
        "output": _cut([form.format(*pair) for pair in lines], room - len(command)),
        "duration_ms": making.number(9_000),
    }


def _change(making: _Making, room: int) -> Data:
    """Replace each function by its neighbour."""
    taken = making.sources.code(room)
    path, old, new = taken[0].path, _text(taken[::2]), _text(taken[1::2])
    diff = list(difflib.unified_diff(old, new, path, path, lineterm="", n=3))
    size = making.number(90_000)
    return {
        "path": path,
        "action": "modify",
        "size_before": size,
        "size_after": size + making.number(4_000),
        "lines_changed": len(diff),
        "diff_summary": _cut(diff, room - 200),
        "hash_after": making.hash(),
    }


def _error(making: _Making, room: int) -> Data:
    """Fail somewhere deep down: each frame names a real line, which stands below it."""
    frames = []
    for one in making.sources.code(room // 3):
        for number, line in one.lines:
            frames += [f'  File "{one.path}", line {number}, in {one.name}', f"    {line.strip()}"]
    kind = making.choice(("ValueError", "KeyError", "TypeError", "OSError", "AssertionError"))
    return {
        "error_type": kind,
        "message": making.prose(120),
        "context": _cut(["Traceback (most recent call last):", *frames], room - 300),
        "resolution": making.prose(100),
        "prevention": None,
    }


_KINDS: Final[tuple[tuple[str, Callable[[_Making, int], Data]], ...]] = (
    ("prompt_given", _words),
    ("agent_said", _words),
    ("decision", _decision),
    ("command_ran", _command),
    ("file_change", _change),
    ("error", _error),
)
_WEIGHTS: Final = (1, 2, 2, 4, 4, 1)


def _text(taken: list[Function]) -> list[str]:
    return [line for one in taken for _, line in one.lines]


def _cut(lines: list[str], room: int) -> str:
    """Join lines as long as they fit, as they will be spelled."""
    kept: list[str] = []
    for line in lines:
        room -= len(canonical.encode(line)) - 1
        if room < 0 and kept:
            break
        kept.append(line)
    return "\n".join(kept)
