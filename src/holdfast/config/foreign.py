"""A project's `.loa.config.yaml`: the settings of another framework, read for the keys both have.

It is a source of the project: it may narrow, never widen. The file is not ours, so nothing in it is
an error: a key that means nothing here is listed as not used; what is written in a way that is not
read here is told and passed over, and the strict defaults count. How it is read is in `yaml_lines`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.config.files import convert, read_text
from holdfast.config.model import KNOWN
from holdfast.config.rules import STRICTNESS, lower
from holdfast.config.yaml_lines import MERGE, Line, lines_of
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import FOREIGN_UNREAD_MAX

NAME: Final = ".loa.config.yaml"

MEANINGS: Final = {
    "grounding_enforcement": "gate.enforcement",
    "grounding.enforcement": "gate.enforcement",
    "grounding.threshold": "gate.threshold",
    "synthesis_checkpoint.grounding_threshold": "gate.threshold",
    "integrity_enforcement": "integrity.enforcement",
    "attention_budget.yellow_threshold": "attention.yellow",
    "attention_budget.orange_threshold": "attention.orange",
    "attention_budget.red_threshold": "attention.red",
    "memory.notes_file": "notes.path",
}
"""What their keys are called here. Of two that mean the same, the narrower counts."""

_SECTIONS: Final = frozenset(key.partition(".")[0] for key in MEANINGS if "." in key)
"""Keys whose value must be understood: something below them has a meaning here."""


class Foreign(msgspec.Struct, frozen=True):
    """What such a file sets, by our names."""

    values: dict[str, Any] = {}
    unused: tuple[str, ...] = ()
    """Keys that mean nothing here."""
    unread: tuple[str, ...] = ()
    """What could not be read, each with its line and why."""


class _Unread(Exception):
    """Leave the reading of one value, with why."""


def read_foreign(path: Path) -> Foreign:
    """Read a file that may not exist, as far as it can be read."""
    try:
        text = read_text(path)
    except InvalidInput as problem:
        return Foreign(unread=(problem.what.removeprefix(f"{path} ").removesuffix("."),))
    values: dict[str, Any] = {}
    unused: dict[str, None] = {}
    unread: list[str] = []
    seen: set[str] = set()
    for line in lines_of(text or ""):
        try:
            if not _take(line, values, twice=line.key in seen):
                unused[line.key] = None
        except _Unread as why:
            unread.append(f"line {line.number}, {why}")
        seen.add(line.key)
    return Foreign(values, tuple(unused), tuple(_bounded(unread)))


def _take(line: Line, values: dict[str, Any], *, twice: bool) -> bool:
    """Take one line in; tell whether it means something here."""
    if line.problem:
        raise _Unread(line.problem)
    ours = MEANINGS.get(line.key)
    if ours is None:
        section, _, name = line.key.rpartition(".")
        if name == MERGE and (not section or section in _SECTIONS):
            raise _Unread(f"{line.key}: what it merges in")
        if line.key in _SECTIONS and line.value != "":
            raise _Unread(f"{line.key}: its value")
        return False
    try:
        value = convert(ours, _typed(line.value), line.key)
    except InvalidInput as problem:
        raise _Unread(f"{line.key}: {problem.what.partition(': ')[2].rstrip('.')}") from problem
    except _Unread as why:
        raise _Unread(f"{line.key}: {why}") from None
    values[ours] = _narrower(ours, values.get(ours), value)
    if twice:
        raise _Unread(f"{line.key}: it is there twice, and the narrower counts")
    return True


def _typed(value: str | None) -> Any:
    """Return a written value as the number or text it stands for."""
    if value is None:
        raise _Unread("it has no single value")
    if value in _NOTHING:
        raise _Unread("it has no value")
    if value[0] in "&*!%@`" or (value[0] == '"' and "\\" in value):
        raise _Unread(f"{value[:20]!r} is written in a way that is not read here")
    if _INTEGER.fullmatch(value):
        return int(value.replace("_", ""))
    if _NUMBER.fullmatch(value):
        return float(value.replace("_", ""))
    if value[0] == value[-1] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return value[1:-1] if value[0] == value[-1] == '"' and len(value) > 1 else value


def _narrower(key: str, one: Any, other: Any) -> Any:
    """Return the one that asks for more; of two that cannot be compared, the first."""
    if one is None:
        return other
    if key.endswith("enforcement"):
        return max(one, other, key=STRICTNESS.index)
    if isinstance(one, str):
        return one
    return min(one, other) if KNOWN[key].about.rule is lower else max(one, other)


def _bounded(unread: list[str]) -> list[str]:
    more = len(unread) - FOREIGN_UNREAD_MAX
    if more <= 0:
        return unread
    return [*unread[:FOREIGN_UNREAD_MAX], f"{more:,} later lines"]


_NOTHING: Final = ("", "~", "null", "Null", "NULL")
_INTEGER: Final = re.compile(r"\+?(?:0|[1-9][0-9_]{0,14})")
_NUMBER: Final = re.compile(r"\+?(?:[0-9][0-9_]{0,14})?\.[0-9]{1,15}|\+?[0-9]{1,15}\.")
