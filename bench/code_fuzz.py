"""Read mutated files until one crashes or hangs: `python -m bench.code_fuzz [COUNT] [SEED]`.

COUNT texts, 100,000 unless told, each one of the golden texts of the tests or of the modules of the
standard library with pieces cut, doubled, swapped, joined to another's or replaced by noise. A
parse worker reads each. A reading and a refusal are both right; a worker that was killed is counted
and its text is kept under bench/.scratch. Exit codes: 0 none, 1 a worker died or hung.
"""

from __future__ import annotations

import random
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.harness import SCRATCH
from holdfast.code import CouldNotLook
from holdfast.workers import ParseWorker

NOISE: Sequence[str] = (
    *"{}()[]<>\"'`;:,.#@$%&*-+=/\\|~^!?\n\t ",
    "\n\n", "...", "…", "/*", "*/", "//", "<!--", "-->", '"""', "'''", "${", "<<EOF", "\r\n",
    "\ufeff", "é", "𝄞", "\u2028", "def ", "class ", "function ", "if ", "end\n", "    ", "=>", "::",
    "# rest unchanged", "template<", "#define x \\\n", "---\n", "- ", "key: ", "0x", "1e9",
)  # fmt: skip
TEXT_CHARS_MAX = 20_000


def mutated(text: str, chance: random.Random, times: int) -> str:
    """Return a text with so many pieces cut, doubled, moved or replaced."""
    for _ in range(times):
        first, last = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        last = min(last, first + chance.choice((1, 5, 40, 400)))
        piece = text[first:last]
        match chance.randrange(5):
            case 0:
                text = text[:first] + text[last:]
            case 1:
                text = text[:last] + piece * chance.choice((1, 2, 20)) + text[last:]
            case 2:
                text = text[:first] + chance.choice(NOISE) * chance.choice((1, 3)) + text[last:]
            case 3:
                text = text[:first] + piece[::-1] + text[last:]
            case _:
                at = chance.randrange(len(text) + 1)
                text = text[:at] + piece + text[at:]
        text = text[:TEXT_CHARS_MAX]
    return text


def main(count: int, seed: int) -> int:
    """Fuzz and print what came of it."""
    chance = random.Random(seed)
    texts = _texts()
    outcomes: Counter[str] = Counter()
    began = time.monotonic()
    with ParseWorker() as worker:
        for number in range(count):
            language, text = chance.choice(texts)
            if chance.random() < 0.1:
                language = chance.choice(texts)[0]  # the wrong one
            text = mutated(text, chance, chance.randrange(1, 20))
            outcome = _outcome(worker, text, language)
            outcomes[outcome] += 1
            if outcome.startswith("killed"):
                _keep(text, language, number)
            if number % 10_000 == 9_999:
                print(f"{number + 1} after {time.monotonic() - began:.0f} s", flush=True)
    for outcome, times in outcomes.most_common():
        print(f"{times:>8}  {outcome}")
    print(f"{time.monotonic() - began:>8.0f}  seconds, seed {seed}")
    return 1 if any(outcome.startswith("killed") for outcome in outcomes) else 0


def _outcome(worker: ParseWorker, text: str, language: str) -> str:
    try:
        reading = worker.read_symbols(text, language)
    except CouldNotLook as refused:
        return "refused" if worker.pid is not None else f"killed: {refused.what}"
    return "read, with errors" if reading.errors else "read"


def _keep(text: str, language: str, number: int) -> None:
    SCRATCH.mkdir(exist_ok=True)
    (SCRATCH / f"killed-{number}.{language}").write_text(text, encoding="utf-8")


def _texts() -> list[tuple[str, str]]:
    """Return the golden texts, and some Python in the size that people write it in."""
    golden = Path(__file__).parents[1] / "tests" / "code" / "golden"
    found = []
    for path in sorted(golden.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            found.append((path.stem, part.partition("\n")[2].partition("--- read")[0]))
    library = Path(sysconfig.get_paths()["stdlib"])
    for name in ("heapq.py", "json/decoder.py", "textwrap.py", "types.py"):
        found.append(("python", (library / name).read_text(encoding="utf-8")[:TEXT_CHARS_MAX]))
    return found


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*given, *(100_000, 1)[len(given) :]))
