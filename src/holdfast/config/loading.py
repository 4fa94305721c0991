"""Read every source of settings and say what counts. The only reader of the environment.

Later sources count more: defaults, the user's file, `.loa.config.yaml`, the project's file, the
environment. A project is code that somebody else may have written, so its files may narrow what the
user allows and never widen it; each setting says what that means for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.config.files import convert, read_settings, refused
from holdfast.config.foreign import NAME as FOREIGN
from holdfast.config.foreign import Foreign, read_foreign
from holdfast.config.model import KNOWN, Settings
from holdfast.config.rules import Widened, add

DEBUG_VARIABLE: Final = "HOLDFAST_DEBUG"


class Effective(msgspec.Struct, frozen=True):
    """One setting as it stands, and why."""

    key: str
    value: Any
    origin: str
    doc: str
    note: str = ""


class Loaded(msgspec.Struct, frozen=True):
    """Settings together with where each comes from."""

    settings: Settings
    effective: tuple[Effective, ...]
    unused: tuple[str, ...] = ()
    """Keys of the project's `.loa.config.yaml` that mean nothing here."""
    unread: tuple[str, ...] = ()
    """What could not be read of that file, each with why; the defaults count instead."""


class _Source(msgspec.Struct, frozen=True):
    """A file of the project: what it is called, and what it sets."""

    origin: str
    path: Path
    values: Mapping[str, Any]


def load(
    project_file: Path | None = None,
    *,
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> Loaded:
    """Read every source and return what counts, or say which line of which file cannot be used."""
    env = os.environ if env is None else env
    mine = read_settings(user_file(env=env, home=home))
    foreign, sources = Foreign(), []
    if project_file is not None:
        beside = foreign_file(project_file)
        foreign = read_foreign(beside)
        sources = [
            _Source(FOREIGN, beside, foreign.values),
            _Source("project", project_file, read_settings(project_file)),
        ]
    effective = tuple(_settle(key, mine, sources, env) for key in KNOWN)
    tree: dict[str, dict[str, Any]] = {}
    for one in effective:
        section, _, name = one.key.partition(".")
        tree.setdefault(section, {})[name] = one.value
    return Loaded(msgspec.convert(tree, Settings), effective, foreign.unused, foreign.unread)


def user_file(*, env: Mapping[str, str] | None = None, home: Path | None = None) -> Path:
    """Return where the user's own settings are, whether or not the file exists."""
    return _base("XDG_CONFIG_HOME", ".config", env, home) / "holdfast" / "config.toml"


def data_folder(*, env: Mapping[str, str] | None = None, home: Path | None = None) -> Path:
    """Return where what belongs to the user and to no project is kept; it may not be there yet."""
    return _base("XDG_DATA_HOME", ".local/share", env, home) / "holdfast"


def _base(variable: str, default: str, env: Mapping[str, str] | None, home: Path | None) -> Path:
    folder = (os.environ if env is None else env).get(variable, "")
    # A relative path in these variables is to be ignored, says their specification.
    return Path(folder) if folder.startswith("/") else (home or Path.home()) / default


def foreign_file(project_file: Path) -> Path:
    """Return where a project keeps `.loa.config.yaml`: in its root, above the ledger's folder."""
    return project_file.parent.parent / FOREIGN


def named_ledger(env: Mapping[str, str] | None = None) -> str | None:
    """Return the ledger that the environment names, without reading any file."""
    return (os.environ if env is None else env).get("HOLDFAST_LEDGER") or None


def debugging(env: Mapping[str, str] | None = None) -> bool:
    """Tell whether the user asked to see where an unexpected error comes from."""
    return (os.environ if env is None else env).get(DEBUG_VARIABLE, "") not in ("", "0")


def _settle(
    key: str, mine: Mapping[str, Any], sources: list[_Source], env: Mapping[str, str]
) -> Effective:
    """Work out one setting."""
    known = KNOWN[key]
    about = known.about
    if about.variable is not None and env.get(about.variable):
        value = convert(key, env[about.variable], f"the variable {about.variable}")
        return Effective(key, value, "env", about.doc)
    value, origin = mine.get(key, known.default), "user" if key in mine else "default"
    notes = []
    for source in sources:
        if key not in source.values or about.rule is None:
            continue
        try:
            allowed, note = about.rule(value, source.values[key])
        except Widened as refusal:
            raise refused(f"{source.path} sets {key}: {refusal}.") from None
        if note:
            notes.append(note if source.origin == "project" else f"{note} ({source.origin})")
        else:
            both = about.rule is add and origin != "default"
            value, origin = allowed, f"{origin} and {source.origin}" if both else source.origin
    return Effective(key, value, origin, about.doc, "; ".join(notes))
