"""Hold 1,000 citations over 300 files against those files, as `ground --all` does.

The files are modules of Python's library in a project of their own; the citations are lines of
them, spread by chance. Beside it, in the same round: reading the 300 files once with
`Path.read_text`, and parsing their texts once, bare (Tree-sitter makes the tree, nothing is looked
up in it) and with the definitions read (`holdfast.code.read_symbols`, in the same process). Our
citations are looked at by a checker as a command has it: files are read below the project's root,
links followed with care; for quotes that moved they are parsed by a worker in a process of its own,
which is warm. The time to start it is a row of its own. In the second half every file got lines
above the quotes, so each quote moved; in the third every quoted line was edited.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.code_corpus import modules
from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from holdfast.code import grammars, read_symbols
from holdfast.evidence.checking import Checker
from holdfast.evidence.citations import Cited, parse, spell
from holdfast.evidence.project_files import ProjectFiles
from holdfast.workers import ParseWorker

NAME = "grounding"
TITLE = "Hold citations against the files they quote"

FILES: Final = 300
CITATIONS: Final = 1_000
LINES_MIN: Final = 40
STATES: Final = ("exact", "moved", "changed")


def run(options: Options) -> Result:
    """Measure."""
    texts = _texts(options.pick(FILES, 30))
    cited = _citations(texts, options.pick(CITATIONS, 100))
    with scratch_folder() as folder, ParseWorker() as worker:
        started = _started(worker)
        projects = {state: _project(folder / state, texts, cited, state) for state in STATES}
        subjects = _subjects(projects, cited, worker)
        found = side_by_side(subjects, options.rounds)
    figures = [
        Figure("all exact : reading", ratios(found["exact"], found["read"], "ms"), at_most=3),
        Figure("all moved : parsing", ratios(found["moved"], found["parse"], "ms"), at_most=2),
        Figure("all changed : parsing", ratios(found["changed"], found["parse"], "ms"), at_most=2),
        Figure("all moved : bare parse", ratios(found["moved"], found["bare parse"], "ms")),
        Figure("all changed : reading", ratios(found["changed"], found["read"], "ms")),
    ]
    rows = [Row(name, "time", "ms", spread_of(found[name], "ms")) for name in subjects]
    rows.append(Row("parse worker", "time to start", "ms", spread([started])))
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def _subjects(
    projects: dict[str, ProjectFiles], cited: list[Cited], worker: ParseWorker
) -> dict[str, Callable[[], Measured]]:
    from tree_sitter import Parser

    root = projects["moved"].root
    paths = sorted(root.rglob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    sources = [text.encode() for text in texts]
    parser = Parser(grammars.grammar("python"))
    read = sorted(projects["exact"].root.rglob("*.py"))
    return {
        "read": lambda: _timed(lambda: [path.read_text(encoding="utf-8") for path in read]),
        "exact": lambda: _checked(projects["exact"], cited, worker, "exact"),
        "bare parse": lambda: _timed(lambda: [parser.parse(source) for source in sources]),
        "parse": lambda: _timed(lambda: [read_symbols(text, "python") for text in texts]),
        "moved": lambda: _checked(projects["moved"], cited, worker, "moved"),
        "changed": lambda: _checked(projects["changed"], cited, worker, "changed"),
    }


def _checked(files: ProjectFiles, cited: list[Cited], worker: ParseWorker, state: str) -> Measured:
    checker = Checker(files, lambda text: text, worker.read_symbols)
    before = time.perf_counter()
    checked = checker.check(cited)
    took = time.perf_counter() - before
    if {one.state for one in checked} != {state}:
        raise AssertionError(f"not every quote is {state}")
    return {"ms": took * 1e3}


def _timed(work: Callable[[], object]) -> Measured:
    before = time.perf_counter()
    work()
    return {"ms": (time.perf_counter() - before) * 1e3}


def _started(worker: ParseWorker) -> float:
    return _timed(lambda: worker.read_symbols("x = 1\n", "python"))["ms"]


def _texts(count: int) -> list[tuple[str, str]]:
    """Return modules that are long enough, by chance, the same each time."""
    long = [(path, text) for path, text in modules() if text.count("\n") > LINES_MIN]
    plain = [one for one in long if not {"\r", "\ufffd"} & set(one[1]) and _usable(one[1])]
    if len(plain) < count:
        raise CannotMeasureError("the standard library has too few modules")
    return random.Random(1).sample(plain, count)


def _citations(texts: list[tuple[str, str]], count: int) -> list[Cited]:
    """Return citations of lines that stand once in their file: some in each file."""
    chance = random.Random(2)
    usable = {path: _usable(text) for path, text in texts}
    chosen = [(path, chance.choice(lines)) for path, lines in usable.items()]
    places = {(path, line) for path, lines in usable.items() for line in lines}
    chosen += chance.sample(sorted(places.difference(chosen)), count - len(chosen))
    chance.shuffle(chosen)
    split = {path: text.split("\n") for path, text in texts}
    written = [spell(split[path][line - 1].strip(), path, line) for path, line in chosen]
    return [one for text in written for one in parse(text)]


def _usable(text: str) -> list[int]:
    lines = text.split("\n")
    return [
        number
        for number, line in enumerate(lines, 1)
        if len(line.strip()) > 12
        and sum(map(str.isalnum, line)) > 6  # a row of signs proves nothing
        and "`" not in line
        and text.count(line.strip()) == 1
    ]


def _project(
    root: Path, texts: list[tuple[str, str]], cited: list[Cited], state: str
) -> ProjectFiles:
    """Write the modules, with every quote moved or edited."""
    for path, text in texts:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        lines = text.split("\n")
        if state == "moved":
            lines[:0] = ["# above"] * 7
        if state == "changed":
            for one in cited:
                if one.path == path:
                    lines[one.line - 1] = lines[one.line - 1].replace(one.quote, "pass  # edited")
        (root / path).write_text("\n".join(lines), encoding="utf-8")
    return ProjectFiles(root, root)
