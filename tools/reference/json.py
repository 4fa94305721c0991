"""The reference of `--json`: every command, run on a small project, with what it printed.

What differs from run to run is replaced (ids, hashes, times, sizes, machine paths), long lists and
texts are cut and say by how much. What a command prints is otherwise exactly this.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Final

from holdfast.cli.root import root
from tools.reference.session import STEPS, WITHOUT, Step

ITEMS_SHOWN: Final = 2
TEXT_CHARS_SHOWN: Final = 160
LINES_SHOWN: Final = 2
DIFF_LINES_SHOWN: Final = 3

INTRODUCTION = """\
# JSON output

<!-- Written by `make docs`: the commands below were run, in this order, in one small project. -->

Every command but `completion` takes `--json` and then prints JSON to standard output: one value,
or one value a line where that is said. Talk goes to standard error.
Exit codes: 0 done, 1 no, 2 error or misuse.
Fields may be added; those that are here keep their names and meanings.

An error is `{"error": {"kind", "what", "meaning", "remedy"}}`, with exit code 2.

In the examples `<id 1>` stands for a UUID, the same one wherever it has the same number, `<hash>`
for hex digits of a hash or a random name, `<time>` for a time in UTC, `<n>` for a number that
depends on the machine or the moment. A list of more than {items} items and a text of more than
{chars} characters are cut here, and say by how much; the commands themselves cut neither.
""".replace("{items}", str(ITEMS_SHOWN)).replace("{chars}", str(TEXT_CHARS_SHOWN))

HERE: Final = Path(__file__).parents[2]

_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?::\d+)?\b")
_HASH = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,64}\b")
_TIME = re.compile(r"\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?)?")
_EXAMPLE = re.compile(r"^## ([^\n]+)\n.*?```json\n(.*?)```", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"```json\n.*?```", re.DOTALL)
_DAY = re.compile(r"(?<=_)20\d{6}(?=_)")
_MACHINE = re.compile(
    r"(_(bytes|ms|s|us)$)|^(bytes|size|pid|seconds|version|interpreter|took|age|rate|compression)$"
)


def page() -> str:
    """Run every step and return the page."""
    with tempfile.TemporaryDirectory() as folder, _in(Path(folder).resolve()) as base:
        parts = list(_sections(Scrub(base)))
    return "\n".join([INTRODUCTION, *parts, _without()])


def _sections(scrub: Scrub) -> Iterator[str]:
    """Yield what is shown of each step, one after the other in one project."""
    answers: dict[str, Any] = {}
    for step in STEPS:
        typed = step.filled(answers)
        step.before(Path.cwd())
        ran = _run(shlex.split(typed)[1:])
        if ran.code not in step.codes or not ran.out:
            raise SystemExit(f"{typed}: exit code {ran.code}\n{ran.out}\n{ran.err}")
        values = [json.loads(line) for line in ran.out.splitlines()]
        answers[step.name or ""] = values[0]
        if step.name is not None:
            yield _section(step, scrub.text(typed), ran.code, [scrub.value(one) for one in values])


def _section(step: Step, typed: str, code: int, values: list[Any]) -> str:
    shown = [json.dumps(value, indent=2, ensure_ascii=False) for value in values]
    text = "\n".join(shown[:LINES_SHOWN])
    more = f"\n… {len(shown) - LINES_SHOWN} more lines" if len(shown) > LINES_SHOWN else ""
    notes = [f"Exit code {code}."] if code else []
    notes += ["One value a line."] if step.lines or len(shown) > 1 else []
    note = f"\n{' '.join(notes)}\n" if notes else ""
    return f"## {step.name}\n{note}\n```text\n$ {typed}\n```\n\n```json\n{text}{more}\n```\n"


def shape(text: str) -> dict[str, set[str]]:
    """Return the paths of all keys in the examples, by command: what a script relies on.

    What stands around the examples is under an empty name.
    """
    found: dict[str, set[str]] = {"": set(_BLOCK.sub("", text).splitlines())}
    for name, block in re.findall(
        r"^## (.+?)\n.*?```json\n(.*?)```", text, re.DOTALL | re.MULTILINE
    ):
        rest, found[name] = block.split("\n… ")[0], set()
        while rest := rest.strip():
            value, end = json.JSONDecoder().raw_decode(rest)
            found[name].update(_paths(value, ""))
            rest = rest[end:]
    return found


def _paths(value: Any, at: str) -> Iterator[str]:
    """Yield the path of every key; names that stand for something of a run are one name."""
    if isinstance(value, list):
        for one in value:
            yield from _paths(one, f"{at}[]")
    elif isinstance(value, dict):
        for key, one in value.items():
            path = f"{at}.{re.sub('<[^>]+>', '<>', key)}"
            yield path
            yield from _paths(one, path)


def _without() -> str:
    rows = "\n".join(f"| `{name}` | {why} |" for name, why in WITHOUT.items())
    return (
        "## Commands that serve\n\n"
        "These go on until they are ended, or answer in another's form.\n\n"
        f"| command | what `--json` does |\n|---|---|\n{rows}\n"
    )


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


def _run(arguments: list[str]) -> Ran:
    """Run one command in this process: a hundred processes would take a minute."""
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            root.main(arguments, prog_name="holdfast", standalone_mode=True)
        except SystemExit as end:
            code = int(end.code or 0)
    return Ran(code, _text(out), _text(err))


def _text(stream: TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _in(folder: Path) -> Iterator[Path]:
    """Work in a folder of its own, with nothing of this machine's user in the environment."""
    project = folder / "shop"
    project.mkdir()
    before, cwd = dict(os.environ), Path.cwd()
    foreign = [
        name for name in before if name.startswith(("HOLDFAST_", "XDG_", "CLAUDE_", "CODEX"))
    ]
    for name in foreign:
        del os.environ[name]
    os.environ["HOME"] = str(folder)
    os.chdir(project)
    try:
        yield folder
    finally:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(before)


@dataclass
class Scrub:
    """Replaces what differs from run to run; the same value by the same name."""

    base: Path
    seen: dict[str, str] = field(default_factory=dict)

    def value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value without what is of this run, and cut."""
        match value:
            case bool() | None:
                return value
            case int() | float() if isinstance(value, float) or _MACHINE.search(key):
                return value if value in (0, 1) else "<n>"
            case str() if key == "diff":
                return self.text("\n".join(value.splitlines()[:DIFF_LINES_SHOWN])) + "\n…"
            case str():
                return self.text("<n>" if _MACHINE.search(key) and key != "version" else value)
            case list():
                shown = [self.value(one, key) for one in value[:ITEMS_SHOWN]]
                more = len(value) - ITEMS_SHOWN
                return [*shown, f"… {more} more"] if more > 0 else shown
            case Mapping():
                of = {name: key if _MACHINE.search(key) else name for name in value}
                return {self.text(name): self.value(one, of[name]) for name, one in value.items()}
            case _:
                return value

    def text(self, text: str) -> str:
        """Return a text without what is of this run, and cut."""
        for path, name in ((self.base / "shop", "."), (self.base, ".."), (HERE, "…")):
            text = text.replace(str(path), name)
        text = _ID.sub(self._named, text)
        text = _HASH.sub("<hash>", text)
        text = _DAY.sub("<day>", _TIME.sub("<time>", text))
        if len(text) <= TEXT_CHARS_SHOWN:
            return text
        return f"{text[:TEXT_CHARS_SHOWN]}… {len(text) - TEXT_CHARS_SHOWN} more characters"

    def _named(self, found: re.Match[str]) -> str:
        return self.seen.setdefault(found[0], f"<id {len(self.seen) + 1}>")
