"""Our reading of Python beside Python's own; also `python -m bench.code_oracle [FOLDER]`.

Every function and class that `ast` finds in the standard library, or in FOLDER, must be found with
the same qualified name and the same lines. What may differ, and is counted apart:

- the last line: a comment that is indented like a body and follows it is part of the body for us,
  and nothing for `ast`.
- the first line: by the same rule such a comment directly above belongs to what is before it.
- files that the grammar cannot parse: the reading says that it has errors, and they are listed.

Exit codes: 0 all agree, 1 a difference without such a reason, or a file that was refused.
"""

from __future__ import annotations

import ast
import io
import sys
import sysconfig
import time
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from bench.harness import Figure, Options, Result, Row, end_round, spread
from holdfast.code import CouldNotLook, read_symbols

NAME = "code-oracle"
TITLE = "Definitions of Python beside Python's own parser"

DIFFERENCES_LISTED: Final = 60

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Place: TypeAlias = tuple[str, int, int]

EXPLAINED: frozenset[str] = frozenset(
    {"comment behind the last statement", "comment indented like the body before"}
)

LEFT_OUT: tuple[str, ...] = ("site-packages", "lib2to3/tests/data", "test/tokenizedata/bad")
"""Not the library's, or not Python 3 on purpose."""


def run(options: Options) -> Result:
    """Compare the standard library; in a quick run the modules at its top."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    counts, told = compare(folder, options.pick(files_in(folder), sorted(folder.glob("*.py"))))
    end_round()
    return as_result(NAME, TITLE, __doc__ or "", counts, told)


def main(folder: Path) -> int:
    """Compare all files below a folder and print a table."""
    began = time.monotonic()
    counts, told = compare(folder, files_in(folder))
    print(*told, sep="\n")
    for what, count in counts.items():
        print(f"{count:>8}  {what}")
    print(f"{time.monotonic() - began:>8.1f}  seconds")
    wrong = counts["different"] + counts["refused"]
    return 1 if wrong or not counts["definitions"] else 0


def as_result(
    name: str, title: str, method: str, counts: Counter[str], told: Sequence[str]
) -> Result:
    """Return what was compared: how much agrees, every count, and the differences, listed."""
    wrong = counts["different"] + counts["refused"]
    share = 100 * (1 - wrong / counts["definitions"]) if counts["definitions"] else 0.0
    figures = [
        Figure(
            "in files that both parse, definitions with the same name and lines, or explained",
            spread([share]),
            "%",
            at_least=100,
        ),
    ]
    rows = [Row(what, "count", "", spread([float(n)])) for what, n in counts.items()]
    listed = [f"- {line}" for line in told[:DIFFERENCES_LISTED]]
    if len(told) > DIFFERENCES_LISTED:
        listed.append(f"- and {len(told) - DIFFERENCES_LISTED:,} more, the last ones")
    notes = ["\n".join(["Listed:", "", *listed])] if listed else []
    return Result(name, title, method, 1, figures=figures, rows=rows, notes=notes)


def compare(folder: Path, paths: Sequence[Path]) -> tuple[Counter[str], list[str]]:
    """Return how many definitions agree and how many do not, by reason, and what is not explained.

    Files that the grammar has errors in are named as well.
    """
    counts: Counter[str] = Counter()
    told = []
    for path in paths:
        text = text_of(path)
        if text is None:
            counts["files that are not Python for Python"] += 1
            continue
        counts["files"] += 1
        for reason, detail in differences(text, counts):
            counts[reason] += 1
            if reason not in EXPLAINED:
                told.append(f"{path.relative_to(folder)}: {reason}: {detail}")
    return counts, told


def files_in(folder: Path) -> list[Path]:
    """Return the Python files that are meant to be read."""
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not any(part in path.as_posix() for part in LEFT_OUT)
    ]


def text_of(path: Path) -> str | None:
    """Return the text of a file that Python itself can parse, else None."""
    try:
        with tokenize.open(path) as file:
            text = file.read()
        parse(text)
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return None
    return text


def differences(text: str, counts: Counter[str]) -> Iterator[tuple[str, str]]:
    """Yield each definition that the two readings do not agree on, with the reason."""
    lines = text.split("\n")
    expected = list(of_ast(text))
    counts["definitions"] += len(expected)
    try:
        reading = read_symbols(text, "python")
    except CouldNotLook as refused:
        yield "refused", str(refused)
        return
    if reading.errors:
        yield "files with errors for the grammar", "the reading says so"
        counts["definitions"] -= len(expected)
        counts["definitions in files with errors"] += len(expected)
        return
    found = {
        symbol.qualified: (symbol.qualified, symbol.start_line, symbol.end_line)
        for symbol in reading.symbols
        if symbol.kind not in ("variable", "type")
    }
    for place in expected:
        ours = found.pop(place[0], None)
        if ours != place:
            yield _reason(ours, place, lines), f"{place} for ast, {ours} for us"
    for extra in found.values():
        yield "different", f"{extra} is nothing for ast"


def _reason(ours: Place | None, theirs: Place, lines: list[str]) -> str:
    if ours is None or ours[0] != theirs[0]:
        return "different"
    if ours[1:2] == theirs[1:2] and ours[2] > theirs[2]:
        behind = lines[theirs[2] : ours[2]]
        if all(not line.strip() or _is_comment(line) for line in behind):
            return "comment behind the last statement"
    if ours[2:] == theirs[2:] and ours[1] > theirs[1]:
        above, first = lines[theirs[1] - 1 : ours[1] - 1], lines[ours[1] - 1]
        if all(_indent(line) > _indent(first) for line in above):
            return "comment indented like the body before"
    return "different"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def of_ast(text: str) -> Iterator[Place]:
    """Yield what Python's own parser finds, in order."""
    comments = _comment_lines(text)
    taken: Counter[str] = Counter()
    yield from _below(parse(text), "", taken, comments)


def _below(node: ast.AST, prefix: str, taken: Counter[str], comments: set[int]) -> Iterator[Place]:
    for child in sorted(ast.iter_child_nodes(node), key=_position):
        if isinstance(child, Definition):
            base = f"{prefix}{child.name}"
            taken[base] += 1
            name = base if taken[base] == 1 else f"{base}#{taken[base]}"
            yield name, _first_line(child, comments), child.end_lineno or 0
            yield from _below(child, f"{name}.", taken, comments)
        else:
            yield from _below(child, prefix, taken, comments)


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _first_line(node: Definition, comments: set[int]) -> int:
    line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    while line - 1 in comments:
        line -= 1
    return line


def _comment_lines(text: str) -> set[int]:
    """Return the lines that hold nothing but a comment, but not a `#!` line."""
    if not text.endswith("\n"):
        text += "\n"
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT
        and not token.line[: token.start[1]].strip()
        and not token.string.startswith("#!")
    }


def parse(text: str) -> ast.Module:
    """Parse without the warnings that old code brings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_paths()["stdlib"])))
