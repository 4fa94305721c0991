"""Write the generated parts of the docs anew: the references, from the code itself.

With `--check` nothing is written; the exit code says whether they are current.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tools.reference import cli, config, json, python

DOCS: Final = Path(__file__).parent.parent / "docs"

PAGES: Final[dict[str, Callable[[], str]]] = {
    "cli.md": cli.page,
    "reference/config.md": config.page,
    "reference/python.md": python.page,
    "reference/json.md": json.page,
}


def stale() -> list[str]:
    """Return the pages that are not what the code says now."""
    return [name for name, page in PAGES.items() if not _is_current(name, page())]


def _is_current(name: str, text: str) -> bool:
    path = DOCS / name
    current = path.read_text() if path.exists() else ""
    if name == "reference/json.md":  # its values are those of one run on one machine
        return json.shape(current) == json.shape(text)
    return current == text


def main(arguments: list[str]) -> int:
    """Write the references, or compare them."""
    if "--check" in arguments:
        found = stale()
        for name in found:
            print(f"docs/{name} is not current: run `make docs`", file=sys.stderr)
        return int(bool(found))
    for name, page in PAGES.items():
        text = page()
        if _is_current(name, text):
            continue
        (DOCS / name).write_text(text)
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
