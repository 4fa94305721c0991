"""Our reading of TypeScript beside the compiler's; also `python -m bench.code_oracle_ts [FOLDER]`.

Every definition that the TypeScript compiler's parser finds in the sources of PACKAGES, or below
FOLDER, must be found with the same qualified name and the same lines. Needs node and npm: the
compiler and the packages are installed under bench/.scratch. What differs is listed.

Files that the grammar cannot parse and the compiler can are listed and counted apart: there the
reading says that it has errors, and nothing is claimed. The grammar (0.23) stumbles over `in` and
`out` before a type parameter, `global {` within a `declare module`, a type like `keyof readonly T`
and a default export of a function without a name or a body.

Exit codes: 0 all agree, 1 there are differences without a reason, 2 it could not be measured.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.code_oracle import as_result
from bench.harness import SCRATCH, CannotMeasureError, Options, Result, end_round
from holdfast.code import CouldNotLook, language_of, read_symbols

NAME = "code-oracle-ts"
TITLE = "Definitions of TypeScript beside the compiler's parser"

PACKAGES: Final = ("typescript@5", "@types/node@22", "ethers@6", "rxjs@7", "zod@4")
"""The compiler, with its declarations of all that browsers have, and large packages that ship their
sources."""

_NUMBER: Final = re.compile(r"#\d+(?=\.|$)")


def run(options: Options) -> Result:
    """Compare the packages; in a quick run the last of them."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise CannotMeasureError("node and npm are needed")
    try:
        counts, told = compare(None, options.pick(PACKAGES, PACKAGES[-1:]))
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotMeasureError(f"the compiler or a package cannot be had: {error}") from error
    end_round()
    return as_result(NAME, TITLE, __doc__ or "", counts, told)


def main(folder: Path | None) -> int:
    """Compare and print a table."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("node and npm are needed")
        return 2
    counts, told = compare(folder)
    print(*told, sep="\n")
    for what, count in counts.items():
        print(f"{count:>8}  {what}")
    return 1 if counts["different"] or not counts["definitions"] else 0


def compare(
    folder: Path | None, packages: Sequence[str] = PACKAGES
) -> tuple[Counter[str], list[str]]:
    """Return what agrees and what does not, counted, and each difference."""
    home = installed()
    folders = [folder] if folder else [home / name.rpartition("@")[0] for name in packages]
    counts: Counter[str] = Counter()
    told: list[str] = []
    for place in folders:
        for line in _by_the_compiler(place, home):
            told += _compare(line, place, counts)
    return counts, told


def installed() -> Path:
    """Return the modules of node, with the compiler; installed once."""
    home = SCRATCH / "npm"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules" / "typescript").is_dir():
        command = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--legacy-peer-deps",
        ]
        subprocess.run([*command, "--prefix", str(home), *PACKAGES], check=True)
    return home / "node_modules"


def _by_the_compiler(folder: Path, home: Path) -> Iterator[dict[str, Any]]:
    script = Path(__file__).parent / "definitions.cjs"
    run = subprocess.run(
        ["node", str(script), str(folder)],
        env={**os.environ, "NODE_PATH": str(home)},
        stdout=subprocess.PIPE,
        check=True,
    )
    for line in run.stdout.splitlines():
        yield json.loads(line)


def _compare(theirs: dict[str, Any], folder: Path, counts: Counter[str]) -> Iterator[str]:
    path = Path(theirs["place"])
    text = path.read_bytes().decode("utf-8")
    language = language_of(path.name)
    assert language is not None
    try:
        reading = read_symbols(text, language)
    except CouldNotLook as refused:
        counts["refused"] += 1
        yield f"{path.relative_to(folder)}: {refused.what}"
        return
    expected = Counter(map(tuple, theirs["definitions"]))
    if reading.errors and not theirs["errors"]:
        counts["files with errors for the grammar alone"] += 1
        counts["definitions in files with errors"] += expected.total()
        yield f"{path.relative_to(folder)}: has errors for the grammar"
        return
    counts["files"] += 1
    counts["definitions"] += expected.total()
    ours = Counter(
        (_NUMBER.sub("", s.qualified), s.start_line, s.end_line) for s in reading.symbols
    )
    for what, which in (("theirs", expected - ours), ("ours", ours - expected)):
        for definition in which.elements():
            counts["different"] += 1
            yield f"{path.relative_to(folder)}: {definition} is only {what}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
