"""List every requirement and lesson with the tests that prove it.

The numbers come from the tables in ../shared when they are there, else from the copy in
docs/requirements.json, which `--update` writes. Marks are read from the source of the tests;
nothing is imported or run, so a test counts once, however many parameters it has.
Exit codes: 0 done, 1 a wrong mark or (with STRICT=1) a number without a test, 2 no numbers.
"""

import argparse
import ast
import difflib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = Path("docs/requirements.json")
TABLES = {"requirements": "requirements.md", "lessons": "lessons.md"}
KIND_BY_MARK = {"req": "requirements", "lesson": "lessons"}
TITLE_WORDS_MAX = 8
TESTS_SHOWN_MAX = 3
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \|", re.MULTILINE)

# Requirements and lessons are two namespaces: kind, then number, then title.
Numbers = dict[str, dict[str, str]]
# Kind, then number, then the tests that carry it.
Proofs = dict[str, dict[str, list[str]]]
TestNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Mark:
    """One argument of a mark on one test; `number` is None when it is not a literal string."""

    kind: str
    number: str | None
    test: str


class NoNumbersError(Exception):
    """Neither the tables nor their copy can be read."""


def main(root: Path, argv: Sequence[str], environ: Mapping[str, str]) -> int:
    options = _parser().parse_args(argv)
    try:
        numbers = read_numbers(root)
    except NoNumbersError as error:
        print(error, file=sys.stderr)
        return 2
    if options.update:
        (root / COPY).write_text(render_copy(numbers), encoding="utf-8")
    elif (root / COPY).is_file() and (root / COPY).read_text("utf-8") != render_copy(numbers):
        print(f"{COPY} is out of date; write it anew with --update", file=sys.stderr)
    marks = list(collect_marks(root))
    faults = find_faults(marks, numbers)
    proofs = prove(marks, numbers)
    print(render_json(numbers, proofs) if options.json else render_text(numbers, proofs))
    if environ.get("STRICT") == "1":
        faults += [f"no test for {kind}: {', '.join(gaps)}" for kind, gaps in find_gaps(proofs)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def read_numbers(root: Path) -> Numbers:
    """Read the tables beside the repo, or the copy in it when they are not there."""
    tables = {kind: root.parent / "shared" / name for kind, name in TABLES.items()}
    if all(path.is_file() for path in tables.values()):
        return {kind: parse_table(path.read_text("utf-8")) for kind, path in tables.items()}
    if not (root / COPY).is_file():
        raise NoNumbersError(f"no numbers: neither the tables in ../shared nor {COPY} are there")
    copy: Numbers = json.loads((root / COPY).read_text("utf-8"))
    return copy


def parse_table(markdown: str) -> dict[str, str]:
    return {number: shorten(text) for number, text in ROW.findall(markdown)}


def shorten(text: str) -> str:
    words = text.split()
    if len(words) <= TITLE_WORDS_MAX:
        return text
    return " ".join(words[:TITLE_WORDS_MAX]).rstrip(",;:.(") + " …"


def collect_marks(root: Path) -> Iterator[Mark]:
    """Find the marks of all tests: on functions, on classes and in `pytestmark`."""
    for path in sorted((root / "tests").rglob("*.py")):
        module = ast.parse(path.read_text("utf-8"), filename=str(path))
        yield from _marks_in(module.body, path.relative_to(root).as_posix(), [])


def _marks_in(body: list[ast.stmt], place: str, outer: list[ast.Call]) -> Iterator[Mark]:
    inherited = outer + [mark for stmt in body for mark in _pytestmark(stmt)]
    for node in body:
        match node:
            case ast.ClassDef(name=name) if name.startswith("Test"):
                yield from _marks_in_class(node, f"{place}::{name}", inherited)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test"):
                    yield from _expand(inherited + _decorators(node), f"{place}::{name}")
            case _:
                pass


def _marks_in_class(node: ast.ClassDef, place: str, outer: list[ast.Call]) -> Iterator[Mark]:
    inherited = outer + _decorators(node)
    own = list(_marks_in(node.body, place, inherited))
    if own or any(_is_test(stmt) for stmt in node.body):
        yield from own
        return
    # Its tests are inherited, as from a conformance suite: the class stands for them.
    inherited += [mark for stmt in node.body for mark in _pytestmark(stmt)]
    yield from _expand(inherited, place)


def _is_test(stmt: ast.stmt) -> bool:
    return isinstance(stmt, TestNode) and stmt.name.lower().startswith("test")


def _pytestmark(stmt: ast.stmt) -> list[ast.Call]:
    match stmt:
        case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
            return _calls_of_marks(value)
        case ast.AnnAssign(target=ast.Name(id="pytestmark"), value=ast.expr() as value):
            return _calls_of_marks(value)
        case _:
            return []


def _decorators(node: TestNode) -> list[ast.Call]:
    return [call for decorator in node.decorator_list for call in _calls_of_marks(decorator)]


def _calls_of_marks(expression: ast.expr) -> list[ast.Call]:
    """Find `mark.req(…)` and `mark.lesson(…)`, also as the marks of a `pytest.param`."""
    return [
        node
        for node in ast.walk(expression)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in KIND_BY_MARK
        and ast.unparse(node.func.value) in ("mark", "pytest.mark")
    ]


def _expand(calls: Iterable[ast.Call], test: str) -> Iterator[Mark]:
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        arguments: list[ast.expr | None] = [*call.args] or [None]
        for argument in arguments:
            yield Mark(KIND_BY_MARK[call.func.attr], _literal(argument), test)


def _literal(argument: ast.expr | None) -> str | None:
    match argument:
        case ast.Constant(value=str(number)):
            return number
        case _:
            return None


def find_faults(marks: Iterable[Mark], numbers: Numbers) -> list[str]:
    return [
        f"{mark.test}: {_fault(mark, numbers)}"
        for mark in marks
        if mark.number not in numbers[mark.kind]
    ]


def _fault(mark: Mark, numbers: Numbers) -> str:
    if mark.number is None:
        return f"a mark for {mark.kind} needs its numbers as literal strings"
    nearest = difflib.get_close_matches(mark.number, numbers[mark.kind], n=1, cutoff=0.0)
    return f"{mark.number!r} is not in {mark.kind}; the nearest is {nearest[0]!r}"


def prove(marks: Iterable[Mark], numbers: Numbers) -> Proofs:
    """Give each number its tests, each test once."""
    tests: dict[tuple[str, str | None], dict[str, None]] = {}
    for mark in marks:
        tests.setdefault((mark.kind, mark.number), {})[mark.test] = None
    return {
        kind: {number: list(tests.get((kind, number), {})) for number in titles}
        for kind, titles in numbers.items()
    }


def find_gaps(proofs: Proofs) -> list[tuple[str, list[str]]]:
    gaps = [
        (kind, [number for number, tests in rows.items() if not tests])
        for kind, rows in proofs.items()
    ]
    return [(kind, missing) for kind, missing in gaps if missing]


def render_text(numbers: Numbers, proofs: Proofs) -> str:
    lines: list[str] = []
    for kind, rows in proofs.items():
        lines.append(kind)
        lines += [
            f"  {number:<4}{len(tests):>3}  {_shown(tests) or numbers[kind][number]}"
            for number, tests in rows.items()
        ]
    return "\n".join([*lines, summarise(proofs)])


def _shown(tests: Sequence[str]) -> str:
    names = [test.removeprefix("tests/") for test in tests]
    more = len(names) - TESTS_SHOWN_MAX
    return ", ".join(names[:TESTS_SHOWN_MAX]) + (f", and {more} more" if more > 0 else "")


def summarise(proofs: Proofs) -> str:
    proved = {kind: sum(1 for tests in rows.values() if tests) for kind, rows in proofs.items()}
    return (
        f"requirements {proved['requirements']} of {len(proofs['requirements'])} proved, "
        f"lessons {proved['lessons']} of {len(proofs['lessons'])}"
    )


def render_json(numbers: Numbers, proofs: Proofs) -> str:
    rows = {
        kind: {
            number: {"title": title, "tests": proofs[kind][number]}
            for number, title in titles.items()
        }
        for kind, titles in numbers.items()
    }
    return json.dumps({**rows, "summary": summarise(proofs)}, ensure_ascii=False, indent=2)


def render_copy(numbers: Numbers) -> str:
    return json.dumps(numbers, ensure_ascii=False, indent=2) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="requirements", description="number → tests")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--update", action="store_true", help=f"write {COPY} anew")
    return parser


if __name__ == "__main__":
    sys.exit(main(ROOT, sys.argv[1:], os.environ))
