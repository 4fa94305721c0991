"""An entry on one line, and its data on a page, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.cli.output import visible
from holdfast.kernel.entry import Entry
from holdfast.views.entry_lines import line_of, spell

SUMMARY_CHARS_MAX: Final = 100


def summarise(entry: Entry) -> str:
    """Say what an entry is about, on one line; what is cut off is counted."""
    return shorten(line(entry))


def line(entry: Entry) -> str:
    """Say what an entry is about, on one line, however long."""
    return visible(line_of(entry.type, entry.value()))


def shorten(text: str) -> str:
    """Cut a long line, and say how much is gone."""
    if len(text) <= SUMMARY_CHARS_MAX:
        return text
    return f"{text[:SUMMARY_CHARS_MAX]}… (+{len(text) - SUMMARY_CHARS_MAX} characters)"


def lay_out(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a value, one field a line, nested ones further in."""
    match value:
        case {"$artifact": str(sha256), "bytes": int(size), "erased": True}:
            yield f"{indent}({size:,} bytes, {sha256[:12]}, were erased)"
        case {"$artifact": str(sha256), "bytes": int(size), "form": "bytes"}:
            yield f"{indent}({size:,} bytes of a file, {sha256[:12]}; `restore --file` has them)"
        case {"$artifact": str(sha256), "bytes": int(size)}:
            yield f"{indent}({size:,} bytes in the vault, {sha256[:12]}; --full shows them)"
        case Mapping() if value:
            for key, part in value.items():
                yield from _field(f"{indent}{visible(key)}:", part, indent)
        case list() if value:
            for part in value:
                yield from _field(f"{indent}-", part, indent)
        case _:
            for line in visible(spell(value), lines=True).split("\n"):
                yield f"{indent}{line}"


def _field(label: str, value: Any, indent: str) -> Iterator[str]:
    lines = list(lay_out(value, indent + "  "))
    nested = isinstance(value, (dict, list)) and value and "$artifact" not in value
    if nested or len(lines) > 1:
        yield label
        yield from lines
    else:
        yield f"{label} {lines[0].strip()}"
