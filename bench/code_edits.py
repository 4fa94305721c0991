"""Apply edits to what changed between releases of 26 packages: is the result the true one?

500 files that two consecutive releases of a package both have, with other text. From the text
before and the text after, the change is written in every form in which code crosses a wire, by
makers that share no code with the readers; diffs are also made by git. The form is then found in
the answer, or read from the tool call, and applied to the text before. Each time the result is
the text after, byte for byte; or it was refused, with a reason; or it is wrong, and none may be.
Some forms have no words for some changes: a fenced block always ends with a newline.

Beside it, texts made to be hard to read, each once and at four times its length: a reader that
takes linear time takes about four times as long, one that takes quadratic time takes sixteen.
"""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness import (
    SCRATCH,
    CannotMeasureError,
    Figure,
    Options,
    Result,
    Row,
    say,
    scratch_folder,
    spread,
)
from holdfast.code.edits import Applied, Refused, apply, find_edits, from_tool_call
from tests.code.edits.making import MAKERS, Call, Sent

NAME = "code-edits"
TITLE = "Apply edits to 500 real changes"

PACKAGES: Final = SCRATCH / "packages"
PAIRS: Final = 500
FILE_CHARS_MAX: Final = 400_000
SUFFIXES: Final = (".py", ".pyi", ".md", ".rst", ".txt", ".html", ".js", ".css", ".toml", ".json",
                   ".cfg", ".jinja", ".tmpl", ".xml", ".po", ".scss", ".ts")  # fmt: skip
RELEASES: Final = """
    attrs 24.3.0 25.1.0, celery 5.4.0 5.5.0, click 8.1.8 8.2.0, django 5.0.13 5.0.14,
    docutils 0.20.1 0.21, flask 2.3.3 3.0.0, httpx 0.27.2 0.28.0, mkdocs 1.5.3 1.6.0,
    networkx 3.3 3.4, paramiko 3.5.0 3.5.1, pip 24.3.1 25.0, poetry 1.8.5 2.0.0,
    pydantic 2.9.2 2.10.0, pygments 2.18.0 2.19.0, pytest 8.3.5 8.4.0, requests 2.31.0 2.32.0,
    rich 13.9.4 14.0.0, scrapy 2.11.2 2.12.0, sphinx 8.1.3 8.2.0, sqlglot 25.33.0 25.34.0,
    starlette 0.45.3 0.46.0, textual 0.88.1 0.89.0, tox 4.23.2 4.24.0, twisted 24.10.0 24.11.0,
    urllib3 2.2.3 2.3.0, werkzeug 3.0.6 3.1.0
"""

HOSTILE: Final[Mapping[str, Callable[[int], str]]] = {
    "backticks": lambda chars: "`" * chars,
    "fences": lambda chars: "```\n" * (chars // 4),
    "quotes": lambda chars: ">" * chars,
    "list marks": lambda chars: "* " * (chars // 2) + "x",
    "nested lists": lambda chars: ("- " * 40 + "a\n") * (chars // 82),
    "SEARCH marks": lambda chars: "<<<<<<< SEARCH\n" * (chars // 15),
    "dividers": lambda chars: "<<<<<<< SEARCH\n" + "=======\n" * (chars // 8),
    "opened tags": lambda chars: "<tool_call>\n" * (chars // 12),
    "opened values": lambda chars: "<write_to_file>\n" + "<diff>\n" * (chars // 7),
    "diff headers": lambda chars: "--- a\n+++ b\n@@ -1 +1 @@\n" * (chars // 24),
    "patch headers": lambda chars: "*** Begin Patch\n*** Update File: x\n@@\n-a\n" * (chars // 41),
    "info string": lambda chars: "```" + " title=" * (chars // 7) + "\nx\n```\n",
    "elisions": lambda chars: "a.py\n```\n" + "# ... \n" * (chars // 7) + "```\n",
}


class Pair(NamedTuple):
    """One file in two consecutive releases."""

    package: str
    name: str
    before: str
    after: str


def run(options: Options) -> Result:
    """Measure."""
    pairs = _pairs(options.pick(PAIRS, 50))
    tally: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    with scratch_folder() as folder:
        makers = {**MAKERS, "git diff": lambda old, new: _git_diff(folder, old or "", new)}
        for form, make in makers.items():
            tally[form] = Counter(_outcome(make, pair, reasons) for pair in pairs)
            say(".")
    growth = [_growth(make, options.pick(1_000_000, 100_000)) for make in HOSTILE.values()]
    total = sum(tally.values(), Counter[str]())
    applied = total["identical"] + total["refused"] + total["wrong"]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        1,
        figures=[
            _count("wrong applications", total["wrong"], at_most=0),
            _count("edits applied or refused", applied, at_least=len(pairs) * len(tally) / 2),
            _count("identical to the true result", 100 * total["identical"] / applied, unit="%"),
            Figure("time for four times the hostile text", spread(growth), at_most=8),
        ],
        rows=[
            Row(form, what, "", spread([counted[what]]))
            for form, counted in tally.items()
            for what in ("identical", "refused", "no words for it", "wrong")
        ],
        notes=[f"{count} refused: {reason}" for reason, count in reasons.most_common(12)],
    )


def _count(
    what: str, number: float, *, unit: str = "", at_least: float | None = None,
    at_most: float | None = None,
) -> Figure:  # fmt: skip
    return Figure(what, spread([number]), unit, at_least=at_least, at_most=at_most)


def _outcome(
    make: Callable[[str | None, str], Sent | None], pair: Pair, reasons: Counter[str]
) -> str:
    sent = make(pair.before, pair.after)
    if sent is None:
        return "no words for it"
    edits = (
        from_tool_call(sent.name, sent.arguments) if isinstance(sent, Call) else find_edits(sent)
    )
    text: str | None = pair.before
    for edit in edits:
        done = apply(edit, text)
        if isinstance(done, Refused):
            reasons[_kind(done.reason)] += 1
            return "refused"
        assert isinstance(done, Applied)
        text = done.text
    if not edits or text != pair.after:
        say(f"\nwrong: {pair.package} {pair.name}\n")
        return "wrong"
    return "identical"


def _kind(reason: str) -> str:
    """Return a reason without what differs from file to file."""
    if "is sought, and" in reason:
        return "other lines stand there"
    head = reason.partition(":")[0]
    return "".join("N" if char.isdigit() else char for char in head)[:100]


def _growth(make: Callable[[int], str], chars: int) -> float:
    times = []
    for size in (chars, 4 * chars):
        text = make(size)
        before = time.perf_counter()
        for edit in find_edits(text)[:100]:
            apply(edit, "a\n")
        times.append(time.perf_counter() - before)
    return times[1] / max(times[0], 0.01)  # below that it is the clock that is measured


def _git_diff(folder: Path, before: str, after: str) -> str:
    """Let git spell the difference."""
    for side, text in (("a", before), ("b", after)):
        (folder / side).mkdir(exist_ok=True)
        (folder / side / "file.py").write_bytes(text.encode())
    command = ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--no-color",
               "--no-ext-diff", "--text", "--no-prefix", "a/file.py", "b/file.py"]  # fmt: skip
    found = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return "The change:\n\n" + found.stdout.decode()


def _pairs(count: int) -> list[Pair]:
    """Take as many pairs as are wanted, in turn from each package."""
    by_package = []
    for release in RELEASES.split(","):
        package, *versions = release.split()
        before, after = (files_of(wheel(package, version)) for version in versions)
        by_package.append(list(_changed(package, before, after)))
    found: list[Pair] = []
    for turn in range(max(map(len, by_package))):
        found += [pairs[turn] for pairs in by_package if turn < len(pairs)]
    if len(found) < count:
        raise CannotMeasureError(f"only {len(found)} files differ between the releases")
    return found[:count]


def _changed(package: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Pair]:
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield Pair(package, name, before[name], after[name])


def wheel(package: str, version: str) -> Path:
    """Return a wheel, downloaded once."""
    PACKAGES.mkdir(parents=True, exist_ok=True)
    if _downloaded(package, version) is None:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
               "--no-deps", "--only-binary=:all:", "--dest", str(PACKAGES)]  # fmt: skip
        subprocess.run([*pip, f"{package}=={version}"], check=False, capture_output=True)
    found = _downloaded(package, version)
    if found is None:
        raise CannotMeasureError(f"{package} {version} cannot be downloaded")
    return found


def _downloaded(package: str, version: str) -> Path | None:
    wanted = f"{package}-{version}-"
    return next((path for path in PACKAGES.iterdir() if path.name.lower().startswith(wanted)), None)


def files_of(wheel: Path) -> dict[str, str]:
    """Return the texts in a wheel, by their paths."""
    found: dict[str, str] = {}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            name = entry.filename
            if ".dist-info/" in name or not name.endswith(SUFFIXES):
                continue
            try:
                text = archive.read(entry).decode()
            except UnicodeDecodeError:
                continue
            if len(text) <= FILE_CHARS_MAX:
                found[name] = text
    return found
