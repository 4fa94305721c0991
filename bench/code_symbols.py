"""Read the definitions of a block of about 300 lines, warm.

`holdfast.code.read_symbols`: the text checked and encoded, parsed, the definitions found, named,
placed and hashed, marks of something left out looked for. Beside it the bare Tree-sitter parse of
the same bytes with the same grammar, which is part of ours. Python's blocks are 280 to 330 lines of
whole definitions from modules of the standard library. Those of the other
languages are the golden texts of the tests, repeated: with a definition on almost every line they
are the worst case, and nothing is demanded of them. A parse worker that is warm does the same in
a process of its own, with the text and the answer sent over pipes.
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from bench.harness import Figure, Measured, Options, Result, Row, ratios, side_by_side, spread_of
from holdfast.code import grammars, read_symbols
from holdfast.workers import ParseWorker

NAME = "code-symbols"
TITLE = "Read the definitions of a block of code"

LINES: Final = range(280, 331)
MODULES: Final = ("argparse.py", "inspect.py", "pathlib.py", "threading.py", "typing.py")
LANGUAGES: Final = ("typescript", "go", "rust", "java", "cpp")
T = TypeVar("T", str, bytes)

GOLDEN: Final = Path(__file__).parents[1] / "tests" / "code" / "golden"


def run(options: Options) -> Result:
    """Measure."""
    repeats = options.pick(200, 20)
    blocks = {"python": _python_blocks()}
    blocks |= {language: [_repeated(language)] for language in LANGUAGES}
    figures, rows = [], []
    with ParseWorker() as worker:
        for language, texts in blocks.items():
            found = side_by_side(_subjects(language, texts, repeats, worker), options.rounds)
            demand = 3 if language == "python" else None
            ours = ratios(found["holdfast"], found["bare parse"], "block_us")
            figures.append(Figure(f"{_called(language)} : bare parse", ours, at_most=demand))
            theirs = ratios(found["worker"], found["bare parse"], "block_us")
            figures.append(Figure(f"{_called(language)}, by a warm worker : bare parse", theirs))
            rows += [
                Row(f"{language}, {name}", "time for a block", "µs", spread_of(rounds, "block_us"))
                for name, rounds in found.items()
            ]
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def _called(language: str) -> str:
    return language if language == "python" else f"{language}, all definitions"


def _subjects(
    language: str, texts: list[str], repeats: int, worker: ParseWorker
) -> dict[str, Callable[[], Measured]]:
    from tree_sitter import Parser

    parser = Parser(grammars.grammar(language))
    sources = [text.encode() for text in texts]
    return {
        "holdfast": lambda: _timed(texts, repeats, lambda text: read_symbols(text, language)),
        "bare parse": lambda: _timed(sources, repeats, parser.parse),
        "worker": lambda: _timed(texts, repeats, lambda text: worker.read_symbols(text, language)),
    }


def _timed(blocks: list[T], repeats: int, read: Callable[[T], object]) -> Measured:
    before = time.perf_counter()
    for _ in range(repeats):
        for block in blocks:
            read(block)
    return {"block_us": (time.perf_counter() - before) / repeats / len(blocks) * 1e6}


def _python_blocks() -> list[str]:
    """Return one block of whole definitions from each module."""
    library = Path(sysconfig.get_paths()["stdlib"])
    blocks = [_block((library / name).read_text(encoding="utf-8")) for name in MODULES]
    if any(read_symbols(block, "python").errors for block in blocks):
        raise AssertionError("a block is not whole")
    return blocks


def _block(text: str) -> str:
    lines = text.split("\n")
    cuts = [n for n, line in enumerate(lines) if line.startswith(("def ", "class "))]
    windows = ((first, last) for first in cuts for last in cuts if last - first in LINES)
    first, last = next(windows)
    return "\n".join(lines[first:last])


def _repeated(language: str) -> str:
    text = (GOLDEN / f"{language}.txt").read_text(encoding="utf-8")
    whole = text.split("=== whole\n")[1].partition("--- read")[0]
    return whole * (LINES.start // whole.count("\n") + 1)
