"""The golden files: texts of each language, and what is to be read from them.

    === title
    the text
    --- read
    [errors] [elided]
    1-8 class Queue [errors] [elided]

`python -m tests.code.golden` writes what is read now; look at the difference before you keep it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from holdfast.code import Reading, Symbol, read_symbols

FOLDER: Final = Path(__file__).parent / "golden"
_CASE: Final = "=== "
_READ: Final = "--- read\n"


class Case(NamedTuple):
    """One text of a golden file."""

    language: str
    title: str
    text: str
    expected: str


def cases() -> list[Case]:
    """Return all texts of all languages."""
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in cases_of(path)]


def cases_of(path: Path) -> list[Case]:
    """Return the texts of one golden file."""
    _, *parts = ("\n" + path.read_text(encoding="utf-8")).split("\n" + _CASE)
    found = []
    for part in parts:
        title, _, rest = part.partition("\n")
        text, _, expected = (rest + "\n").partition(_READ)
        found.append(Case(path.stem, title, text, expected.strip()))
    return found


def spelled(reading: Reading) -> str:
    """Return a reading as golden files have it."""
    flags = _flags(reading)
    return "\n".join([flags or "clean", *map(_line, reading.symbols)])


def _line(symbol: Symbol) -> str:
    place = f"{symbol.start_line}-{symbol.end_line}"
    return f"{place} {symbol.kind} {symbol.qualified} {_flags(symbol)}".rstrip()


def _flags(of: Reading | Symbol) -> str:
    return " ".join(name for name in ("errors", "elided") if getattr(of, name))


def main() -> None:
    """Write the golden files anew."""
    for path in sorted(FOLDER.glob("*.txt")):
        parts = []
        for case in cases_of(path):
            read = spelled(read_symbols(case.text, case.language))
            parts.append(f"{_CASE}{case.title}\n{case.text}{_READ}{read}\n")
        path.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
