"""The reference of the Python API, from the public names of the packages themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import msgspec

PACKAGES = ("holdfast", "holdfast.testing", "holdfast.adapters")

INTRODUCTION = """\
# Python

<!-- Written by `make docs` from the signatures and docstrings. -->

What is listed here is the public face: names in `__all__` of these packages, and of a class its
methods and properties without an underscore. Everything else may change with any version.
Every error is a `HoldfastError` with `what`, `meaning` and `remedy`.
"""


def page() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for package in PACKAGES:
        if find_spec(package) is not None:
            parts += _package(import_module(package))
    return "\n".join(parts).rstrip() + "\n"


def _package(module: ModuleType) -> Iterator[str]:
    yield f"## {module.__name__}\n"
    yield _text(module) + "\n"
    names: list[str] = module.__all__
    for name in sorted(names, key=lambda name: (name.lower(), name)):
        yield from _name(module, name)


def _name(module: ModuleType, name: str) -> Iterator[str]:
    value = getattr(module, name)
    yield f"### {module.__name__}.{name}\n"
    if inspect.isclass(value):
        yield from _class(name, value)
    elif inspect.ismodule(value):
        yield _text(value) + "\n"
    elif callable(value):
        yield _code(f"{name}{_signature(value)}")
        yield _text(value) + "\n"
    else:
        yield f"A `{type(value).__name__}`.\n"


def _class(name: str, value: type) -> Iterator[str]:
    if issubclass(value, BaseException):
        yield f"An error; a kind of `{value.__mro__[1].__name__}`.\n"
    else:
        yield _code(f"class {name}{_signature(value)}")
    yield _text(value) + "\n"
    if issubclass(value, BaseException):
        return
    if members := list(_members(value)):
        yield "\n".join(members) + "\n"


def _members(value: type) -> Iterator[str]:
    fields = _fields(value)
    for key, member in sorted(_all_members(value).items()):
        if key.startswith("_") or key in fields:
            continue
        text = " ".join(_text(member).split("\n\n")[0].split())
        if isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
            function = member if inspect.isfunction(member) else member.__func__
            yield f"- `{key}{_signature(function, bound=True)}`: {text}"
        elif isinstance(member, property):
            yield f"- `{key}`: {text}"


def _all_members(value: type) -> dict[str, Any]:
    """Return what a class and those of ours that it derives from define, the nearest one wins."""
    ours = [one for one in value.__mro__ if one.__module__.partition(".")[0] == "holdfast"]
    return {key: member for one in reversed(ours) for key, member in vars(one).items()}


def _fields(value: type) -> set[str]:
    return set(value.__struct_fields__) if issubclass(value, msgspec.Struct) else set()


def _signature(value: Any, *, bound: bool = False, width: int = 88) -> str:
    """Return the parameters and the result, on one line where they fit."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    shown = list(_parameters(signature, 1 if bound else 0))
    result = _annotation(signature.return_annotation)
    arrow = "" if result in ("", "None") and inspect.isclass(value) else f" -> {result}"
    arrow = arrow if result else ""
    line = f"({', '.join(shown)}){arrow}"
    if bound or len(line) <= width:
        return line
    return "(\n" + "".join(f"    {one},\n" for one in shown) + f"){arrow}"


def _parameters(signature: inspect.Signature, first: int) -> Iterator[str]:
    starred = False
    for one in list(signature.parameters.values())[first:]:
        if one.kind is one.VAR_POSITIONAL:
            starred = True
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        stars = "**" if one.kind is one.VAR_KEYWORD else "*" * (one.kind is one.VAR_POSITIONAL)
        hint = _annotation(one.annotation)
        default = "" if one.default is one.empty else _default(one.default)
        sign = " = " if hint else "="
        yield f"{stars}{one.name}{': ' + hint if hint else ''}{sign + default if default else ''}"


def _annotation(hint: Any) -> str:
    if hint is inspect.Signature.empty:
        return ""
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    return re.sub(r"\b(?:holdfast|collections|pathlib|typing)\.(?:\w+\.)*(?=\w)", "", text)


def _default(value: Any) -> str:
    """Return a default as it would be typed; a function by its name, without its address."""
    return getattr(value, "__name__", None) or re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"


def _text(value: Any) -> str:
    """Return a docstring as Markdown: what is indented stays code."""
    found = inspect.getdoc(value) or ""
    return found if _is_own(value, found) else ""


def _is_own(value: Any, text: str) -> bool:
    """Tell whether a class has a docstring of its own, not the one of what it derives from."""
    if not inspect.isclass(value):
        return True
    return not any(inspect.getdoc(base) == text for base in value.__mro__[1:])
