"""Settings files in TOML: read whole or not at all; a mistake is told with the right name."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.config.model import BELOW_ROOT, KNOWN
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import SETTINGS_BYTES_MAX

_PATTERN_REFUSAL: Final = "matching regex"


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings of a file by their full names, each of the right type."""
    values: dict[str, Any] = {}
    for section, table in _parse(path).items():
        if not isinstance(table, dict):
            raise _unknown(section, path)
        for name, value in table.items():
            key = f"{section}.{name}"
            if key not in KNOWN:
                raise _unknown(key, path)
            if KNOWN[key].about.rule is None:
                raise refused(
                    f"{path} sets {key}, which no file may hold.",
                    f"Set the variable {KNOWN[key].about.variable} instead.",
                )
            values[key] = convert(key, value, str(path))
        if section not in {key.partition(".")[0] for key in KNOWN}:
            raise _unknown(section, path)
    return values


def read_text(path: Path) -> str | None:
    """Return the text of a file, None where there is none. A pipe or a device is not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise refused(f"{path} cannot be read: it is a folder, a pipe or a device.")
            content = file.read(SETTINGS_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refused(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > SETTINGS_BYTES_MAX:
        raise refused(f"{path} is larger than {SETTINGS_BYTES_MAX:,} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise refused(f"{path} is not UTF-8 at byte {error.start}.") from error


def convert(key: str, value: Any, source: str) -> Any:
    """Return a value as the type that its setting has."""
    try:
        return msgspec.convert(value, KNOWN[key].type)
    except msgspec.ValidationError as error:
        expected = str(error).replace(" - at `$`", "")
        if _PATTERN_REFUSAL in expected:
            expected = "Expected text without blanks at its ends"
            if BELOW_ROOT in KNOWN[key].type.__metadata__:
                expected = f"{value!r} is no path from the project's root, such as 'docs/NOTES.md'"
        raise refused(f"{key} in {source}: {expected}.", "Correct it there.") from error


def refused(what: str, remedy: str = "Correct that file.") -> InvalidInput:
    """Return the error of settings that cannot be used."""
    return InvalidInput(
        what, meaning="No settings were used, and nothing was recorded.", remedy=remedy
    )


def _parse(path: Path) -> dict[str, Any]:
    text = read_text(path)
    if text is None:
        return {}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise refused(f"{path} is not TOML: {error}.") from error
    except RecursionError as error:
        raise refused(f"{path} is nested too deeply.") from error


def _unknown(key: str, path: Path) -> InvalidInput:
    near = _nearest(key)
    return refused(
        f"{path} has an unknown setting {key!r}.",
        f"Did you mean {near!r} (in the table [{near.partition('.')[0]}])?"
        if near
        else f"Known: {', '.join(_in_files())}.",
    )


def _nearest(key: str) -> str | None:
    """Find the setting that was meant: the same name in another table, or a similar spelling."""
    from difflib import get_close_matches

    name = key.rpartition(".")[2]
    names: dict[str, str] = {}
    for known in _in_files():
        names.setdefault(known.rpartition(".")[2], known)
    similar = get_close_matches(key, _in_files(), n=1, cutoff=0.7)
    if name in names:
        # several tables may hold the name; the one whose full name is nearest was meant
        return similar[0] if similar and similar[0].endswith(f".{name}") else names[name]
    if similar:
        return similar[0]
    near = get_close_matches(name, list(names), n=1, cutoff=0.7)
    return names[near[0]] if near else None


def _in_files() -> list[str]:
    return [key for key, known in KNOWN.items() if known.about.rule is not None]
