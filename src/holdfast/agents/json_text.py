"""A JSON text, changed in one place at a time: everything else in it stays byte for byte.

Only plain JSON is read. A text with comments, with a key twice, or cut off is refused, because
whoever wrote it would not find it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple, TypeAlias

from holdfast.kernel.errors import InvalidInput

Path: TypeAlias = tuple[str, ...]
"""Keys from the outermost object inwards."""

_BLANK: Final = " \t\n\r"
_DECODER: Final = json.JSONDecoder()
_INDENT: Final = "  "


class Part(NamedTuple):
    """A member of an object or an item of an array, by where it stands."""

    key: str | None
    start: int
    """Where it begins: its key, or its value in an array."""
    value: int
    """Where its value begins."""
    end: int


class _Container(NamedTuple):
    start: int
    parts: list[Part]
    close: int


def parse(text: str) -> Any:
    """Return what a JSON text says; raises InvalidInput when it is not plain JSON."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"it is not plain JSON: {error}") from error


def get(text: str, path: Path) -> Any:
    """Return the value at a path, None where there is none."""
    value = parse(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def set_member(text: str, path: Path, value: Any) -> str:
    """Put a value at a path; objects on the way are made."""
    at, rest = _descend(text, path)
    if not rest:
        container = _read(text, _descend(text, path[:-1])[0])
        [part] = [one for one in container.parts if one.key == path[-1]]
        depth = _lead(text, container, part)
        return text[:at] + _spelled(value, depth, _unit(text)) + text[part.end :]
    for key in reversed(rest[1:]):
        value = {key: value}
    return _insert(text, at, rest[0], value)


def add_item(text: str, path: Path, value: Any) -> str:
    """Append a value, on one line, to the array at a path, which is made when it is not there."""
    if _descend(text, path)[1]:
        text = set_member(text, path, [])
    return _insert(text, _descend(text, path)[0], None, value)


def drop_member(text: str, path: Path) -> str:
    """Take away the member at a path."""
    container = _read(text, _descend(text, path[:-1])[0])
    [place] = [n for n, one in enumerate(container.parts) if one.key == path[-1]]
    return _cut(text, container, place)


def drop_item(text: str, path: Path, place: int, *inner: str | int) -> str:
    """Take away an item of the array at a path; or, by `inner`, one of an array inside it."""
    container = _read(text, _descend(text, path)[0])
    for step in (place, *inner)[:-1]:
        container = _read(text, _step(container, step).value)
    last = (place, *inner)[-1]
    return _cut(text, container, container.parts.index(_step(container, last)))


def _step(container: _Container, step: str | int) -> Part:
    if isinstance(step, int):
        return container.parts[step]
    return next(one for one in container.parts if one.key == step)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in it twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _descend(text: str, path: Path) -> tuple[int, Path]:
    """Return where the value at a path begins, or how far one comes and what is left to make."""
    at = _skip(text, 0)
    for count, key in enumerate(path):
        if text[at] != "{":
            raise InvalidInput(f"{'.'.join(path[:count]) or 'the whole'} is no object")
        found = [one for one in _read(text, at).parts if one.key == key]
        if not found:
            return at, path[count:]
        at = found[0].value
    return at, ()


def _read(text: str, start: int) -> _Container:
    """Find the parts of the object or array that begins at a place. The text MUST be valid."""
    if text[start] not in "{[":
        raise InvalidInput("a list or an object is expected, and something else is there")
    parts = list(_parts(text, start))
    after = parts[-1].end if parts else start + 1
    return _Container(start, parts, _skip(text, after))


def _parts(text: str, start: int) -> Iterator[Part]:
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key, value = None, at
        if text[start] == "{":
            key, after = scanstring(text, at + 1)
            value = _skip(text, _skip(text, after) + 1)
        _, end = _decoded(text, value)
        yield Part(key, at, value, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _decoded(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except (JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"it is not plain JSON: {error}") from error


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    if at == len(text):
        raise InvalidInput("it is not plain JSON: it ends too early")
    return at


def _insert(text: str, start: int, key: str | None, value: Any) -> str:
    """Add a part at the end of a container, spelled as the parts before it are."""
    container = _read(text, start)
    unit = _unit(text)
    if not container.parts:
        outer = _line_lead(text, start)
        told = _told(key, value, outer + unit, unit)
        return f"{text[: start + 1]}\n{outer}{unit}{told}\n{outer}{text[container.close :]}"
    first, last = container.parts[0], container.parts[-1]
    between = text[start + 1 : first.start]
    lead = _lead(text, container, first)
    told = _told(key, value, lead, unit)
    blank = between if "\n" in between else " "
    return f"{text[: last.end]},{blank}{told}{text[last.end :]}"


def _cut(text: str, container: _Container, place: int) -> str:
    parts = container.parts
    if len(parts) == 1:
        return text[: container.start + 1] + text[container.close :]
    if place == len(parts) - 1:
        return text[: parts[place - 1].end] + text[parts[place].end :]
    return text[: parts[place].start] + text[parts[place + 1].start :]


def _told(key: str | None, value: Any, lead: str, unit: str) -> str:
    if key is None:
        return json.dumps(value, ensure_ascii=False)
    return f"{json.dumps(key, ensure_ascii=False)}: {_spelled(value, lead, unit)}"


def _spelled(value: Any, lead: str, unit: str) -> str:
    """Spell a member's value over several lines, each led in as deep as its place."""
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"\n{lead}".join(lines)


def _unit(text: str) -> str:
    """Return what the text leads its lines in with: that of its first line that is led in."""
    for line in text.split("\n"):
        body = line.lstrip(" \t")
        if body and line != body:
            return line[: len(line) - len(body)]
    return _INDENT


def _lead(text: str, container: _Container, part: Part) -> str:
    between = text[container.start + 1 : part.start]
    return _line_lead(text, part.start if "\n" in between else container.start)


def _line_lead(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
