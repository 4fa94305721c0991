"""The reference of settings, from the settings themselves."""

from __future__ import annotations

import types
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from holdfast.config import rules
from holdfast.config.model import KNOWN, Known, Settings

INTRODUCTION = """\
# Settings

<!-- Written by `make docs` from the settings themselves. -->

`holdfast config` shows every value and where it comes from; `holdfast config path` shows the files.
Later sources count more: the defaults, your own file, a project's `.loa.config.yaml`, the project's
`.holdfast/config.toml`, the environment.
A project is code that somebody else may have written: the last column says what its files may do.
An unknown key in a `config.toml` is an error that names the nearest right one.

```toml
[gate]
threshold = 1.0

[attention]
window = 200000
```
"""

_MAY: Final[dict[rules.Rule | None, str]] = {
    rules.either: "set it",
    rules.add: "add to it",
    rules.keep_on: "switch it on, not off",
    rules.users_own: "nothing: yours alone",
    rules.lower: "lower it",
    rules.higher: "raise it",
    rules.stricter: "make it stricter",
    None: "nothing: no file may hold it",
}


def page() -> str:
    """Return the page."""
    sections = get_type_hints(Settings)
    parts = [INTRODUCTION]
    for section, settings in groupby(KNOWN.items(), key=lambda one: one[0].partition(".")[0]):
        parts.append(f"## {section}\n\n{sections[section].__doc__}\n")
        parts.append("| setting | type | default | what it is | a project may |")
        parts.append("|---|---|---|---|---|")
        parts += (_row(name, known) for name, known in settings)
        parts.append("")
    return "\n".join(parts)


def _row(name: str, known: Known) -> str:
    about = known.about
    doc = about.doc if about.variable is None else f"{about.doc} Also `{about.variable}`."
    default = _literal(known.default)
    return f"| `{name}` | {_type(known.type)} | {default} | {doc} | {_MAY[about.rule]} |"


def _literal(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{msgspec.json.encode(value).decode()}`"


def _type(hint: Any) -> str:
    """Return a type in words, with its bounds."""
    base, bounds = _unwrapped(hint)
    if get_origin(base) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(base))
    if get_origin(base) in (Union, types.UnionType):
        return " or ".join(_type(part) for part in get_args(base) if part is not type(None))
    if get_origin(base) is tuple:
        return "list of strings"
    words = {int: "whole number", float: "number", bool: "true or false", str: "string"}[base]
    return f"{words}{bounds}"


def _unwrapped(hint: Any) -> tuple[Any, str]:
    bounds = ""
    while get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        bounds = "".join(_bounds(notes)) or bounds
    return hint, bounds


def _bounds(notes: list[Any]) -> Iterator[str]:
    for note in notes:
        if isinstance(note, msgspec.Meta):
            low = note.ge if note.ge is not None else note.gt
            if low is not None and note.le is not None:
                above = "above " if note.ge is None else ""
                yield f", {above}{low:,} to {note.le:,}"
