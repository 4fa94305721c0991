"""A `ck` for tests: says what the real one (0.8.1) says where holdfast asks it, word for word.

Which day it has is said when it is installed: see DAYS. What it was asked stands in a file beside
it. Run as a script it needs nothing but the standard library.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

DAYS: Final = {
    "none": "nothing reaches the threshold",
    "hit": "one stretch does",
    "no-model": "it was built without a model: every score is zero",
    "empty": "nothing is near, and it names nothing that it compared",
    "error": "its index cannot be read; exit code 1, as for none",
    "usage": "it does not know an option",
    "panic": "it dies after the first hit",
    "chatty": "a warning stands between the hits",
    "silent": "it ends well and says nothing",
    "unindexed": "nothing is near, and it has no file in its index",
    "hangs": "it never ends",
}
CALLS: Final = "recorded-ck.jsonl"
NEAREST: Final = "0.312"
SCORE: Final = 0.61
_HEAD: Final = """\
\u2139 Semantic search: top 100 results, threshold \u22650.4
\U0001f916 Model: BAAI/bge-small-en-v1.5 (alias 'bge-small', 384 dims)
\U0001f4cf FastEmbed Config: 512 token limit
\U0001f4c4 Chunk Config: 400 tokens target, 80 token overlap (~20%)
"""
_NONE: Final = "No matches found\n"
_BENEATH: Final = "\n(nearest match beneath the threshold)\n"


def install(folder: Path, day: str) -> Path:
    """Put a `ck` into a folder that a test puts on the path, and return it."""
    assert day in DAYS, day
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "ck"
    words = f'"{sys.executable}" -IS "{Path(__file__).resolve()}" {day} "{folder / CALLS}"'
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    return program


def calls(program: Path) -> list[list[str]]:
    """Return what it was asked, in order."""
    return [json.loads(line) for line in (program.parent / CALLS).read_text().splitlines()]


def main(day: str, kept: str, asked: Sequence[str]) -> int:
    """Answer one call."""
    with Path(kept).open("a") as file:
        file.write(json.dumps(list(asked)) + "\n")
    return _status(day) if "--status-json" in asked else _search(day)


def _status(day: str) -> int:
    files = 0 if day == "unindexed" else 4
    print(json.dumps({"index_exists": files > 0, "path": ".", "total_files": files}, indent=2))
    return 0


def _search(day: str) -> int:
    if day == "usage":
        sys.stderr.write("error: unexpected argument '--sem' found\n\nUsage: ck [PATTERN]\n")
        return 2
    sys.stderr.write(_HEAD)
    near = Path.cwd() / "src" / "a.py"
    match day:
        case "hangs":
            signal.pause()
        case "none" | "no-model" | "unindexed":
            score = "0.000" if day == "no-model" else NEAREST
            sys.stderr.write(f"{_NONE}{_BENEATH}[{score}] {near}:1:def rotate_tokens():\n")
            return 1
        case "empty":
            sys.stderr.write(_NONE)
            return 1
        case "error":
            why = "Index error: No embeddings found. Run 'ck --index' first with embeddings."
            sys.stderr.write(f"DETAILED ERROR: {why}\nDEBUG: Error occurred in main\n")
            return 1
        case "panic":
            print(_hit(near))
            sys.stderr.write("thread 'main' panicked at ck-engine/src/lib.rs:1:1:\n")
            return 101
        case "chatty":
            print("2026-11-15T12:00:00Z  WARN ck_index: Failed to index src/b.py")
        case _:
            pass
    if day != "silent":
        print(_hit(near))
    return 0


def _hit(path: Path) -> str:
    span = {"byte_start": 0, "byte_end": 70, "line_start": 1, "line_end": 3}
    found = {"path": str(path), "span": span, "language": "python", "score": SCORE}
    return json.dumps(found, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
