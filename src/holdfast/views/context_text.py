"""A working set as lines of text for a model: what it has, and how much it left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.kernel import canonical
from holdfast.views.wording import one_line


def context_text(value: Mapping[str, Any]) -> str:
    """Return the text; what a working set has about itself (policy, pins) is not in it."""
    return "\n".join(_lines(value))


def _lines(value: Mapping[str, Any]) -> Iterator[str]:
    place = {name: part for name, part in value["story"].items() if part is not None}
    if place:
        yield "story: " + ", ".join(f"{name} {one_line(part)}" for name, part in place.items())
    for kind, names in value["pending"]["by_kind"].items():
        yield f"pending {one_line(kind)}: {', '.join(one_line(name) for name in names)}"
    if value["pending"]["left_out"]:
        yield f"pending: +{value['pending']['left_out']} older"
    if "cut_to_chars" in value:
        yield f"(names above are cut at the end, to {value['cut_to_chars']} characters)"
    for section in value["sections"]:
        for item in section["items"]:
            yield f"{section['name']}: {canonical.encode(item).decode()}"
        if section["left_out"]:
            yield f"{section['name']}: +{section['left_out']} left out"
