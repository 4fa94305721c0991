"""Settings: their names, defaults, files and rules. The only reader of the environment.

Later sources count more: defaults, the user's file, the project's file, the environment. A project
is code that somebody else may have written, so its file may narrow what the user allows and never
widen it; each setting says what that means for it. A new setting is one field below.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import NAME_CHARS_MAX, SETTINGS_BYTES_MAX

DEBUG_VARIABLE: Final = "HOLDFAST_DEBUG"


class _Widened(Exception):
    """Leave a rule: the project asked for more than it may; says what it may do."""


Rule: TypeAlias = Callable[[Any, Any], tuple[Any, str]]
"""Takes the user's value and the project's; returns the one that counts, and a note about it."""


def _either(_mine: Any, theirs: Any) -> tuple[Any, str]:
    return theirs, ""


def _add(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[Any, str]:
    return tuple(dict.fromkeys((*mine, *theirs))), ""


def _keep_on(mine: bool, theirs: bool) -> tuple[Any, str]:
    if not theirs:
        raise _Widened("a project cannot switch it off; only the user's own settings can")
    return mine or theirs, ""


def _lower(mine: float, theirs: float) -> tuple[Any, str]:
    if theirs > mine:
        return mine, f"the project asks for {theirs:g}, but may only lower it"
    return theirs, ""


class Setting(msgspec.Struct, frozen=True):
    """What is said about a setting beside its type and default."""

    doc: str
    rule: Rule | None = None
    """What a project may do; None for a setting that no file may hold."""
    variable: str | None = None


_PATTERN_REFUSAL: Final = "matching regex"
_Name: TypeAlias = Annotated[str, Meta(pattern=r"^\S(.*\S)?$", max_length=NAME_CHARS_MAX)]


class Record(msgspec.Struct, frozen=True):
    """What stands in every entry recorded from here."""

    actor: Annotated[_Name, Setting("Name of the actor.", _either, "HOLDFAST_ACTOR")] = "cli"
    session: Annotated[
        _Name | None, Setting("Session that entries belong to.", None, "HOLDFAST_SESSION")
    ] = None


class Redaction(msgspec.Struct, frozen=True):
    """What counts as a secret."""

    secret_names: Annotated[
        tuple[_Name, ...], Setting("More names whose values are always secret.", _add)
    ] = ()
    entropy: Annotated[bool, Setting("Treat random-looking values as secrets.", _keep_on)] = True


class Lock(msgspec.Struct, frozen=True):
    """The writers' queue."""

    wait_s: Annotated[
        float, Meta(ge=0, le=3600), Setting("Longest wait for other writers, in seconds.", _lower)
    ] = 10.0


_Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]


class Seal(msgspec.Struct, frozen=True):
    """When old entries move into an archive."""

    auto: Annotated[bool, Setting("Seal by itself when the log is long.", _either)] = True
    threshold: Annotated[
        _Count, Setting("Active entries above which it seals by itself.", _either)
    ] = 1000
    keep: Annotated[_Count, Setting("Newest entries that stay active.", _either)] = 100


class Checkpoint(msgspec.Struct, frozen=True):
    """When a checkpoint is made."""

    every_calls: Annotated[
        _Count, Setting("Tool calls after which one is made; 0 for never.", _either)
    ] = 5


class Where(msgspec.Struct, frozen=True):
    """Where the ledger is."""

    path: Annotated[
        str | None, Setting("Project root or database to use.", None, "HOLDFAST_LEDGER")
    ] = None


class Settings(msgspec.Struct, frozen=True):
    """Every setting, with the value that counts."""

    record: Record = Record()
    redaction: Redaction = Redaction()
    lock: Lock = Lock()
    seal: Seal = Seal()
    checkpoint: Checkpoint = Checkpoint()
    ledger: Where = Where()


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


def load(
    project_file: Path | None = None,
    *,
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> Loaded:
    """Read every source and return what counts, or say which line of which file cannot be used."""
    env = os.environ if env is None else env
    user_path = user_file(env=env, home=home)
    mine = _read(user_path)
    theirs = {} if project_file is None else _read(project_file)
    effective = tuple(
        _settle(key, mine, theirs, env=env, project_file=project_file) for key in _KNOWN
    )
    tree: dict[str, dict[str, Any]] = {}
    for one in effective:
        section, _, name = one.key.partition(".")
        tree.setdefault(section, {})[name] = one.value
    return Loaded(msgspec.convert(tree, Settings), effective)


def user_file(*, env: Mapping[str, str] | None = None, home: Path | None = None) -> Path:
    """Return where the user's own settings are, whether or not the file exists."""
    env = os.environ if env is None else env
    folder = env.get("XDG_CONFIG_HOME", "")
    # A relative path in this variable is to be ignored, says its specification.
    base = Path(folder) if folder.startswith("/") else (home or Path.home()) / ".config"
    return base / "holdfast" / "config.toml"


def named_ledger(env: Mapping[str, str] | None = None) -> str | None:
    """Return the ledger that the environment names, without reading any file."""
    return (os.environ if env is None else env).get("HOLDFAST_LEDGER") or None


def debugging(env: Mapping[str, str] | None = None) -> bool:
    """Tell whether the user asked to see where an unexpected error comes from."""
    return (os.environ if env is None else env).get(DEBUG_VARIABLE, "") not in ("", "0")


class _Known(msgspec.Struct, frozen=True):
    """A setting, put together from its field."""

    type: Any
    default: Any
    about: Setting


def _known() -> Iterator[tuple[str, _Known]]:
    defaults = Settings()
    for section, model in get_type_hints(Settings).items():
        for name, hint in get_type_hints(model, include_extras=True).items():
            (about,) = (note for note in hint.__metadata__ if isinstance(note, Setting))
            default = getattr(getattr(defaults, section), name)
            yield f"{section}.{name}", _Known(hint, default, about)


_KNOWN: Final = dict(_known())


def _settle(
    key: str,
    mine: Mapping[str, Any],
    theirs: Mapping[str, Any],
    *,
    env: Mapping[str, str],
    project_file: Path | None,
) -> Effective:
    """Work out one setting."""
    known = _KNOWN[key]
    about = known.about
    if about.variable is not None and env.get(about.variable):
        value = _convert(key, env[about.variable], f"the variable {about.variable}")
        return Effective(key, value, "env", about.doc)
    value, origin, note = mine.get(key, known.default), "user" if key in mine else "default", ""
    if key in theirs and about.rule is not None:
        try:
            allowed, note = about.rule(value, theirs[key])
        except _Widened as refusal:
            raise _refused(f"{project_file} sets {key}: {refusal}.") from None
        if not note:
            both = about.rule is _add and key in mine
            value, origin = allowed, "user and project" if both else "project"
    return Effective(key, value, origin, about.doc, note)


def _read(path: Path) -> dict[str, Any]:
    """Return the settings of a file by their full names, each of the right type."""
    values: dict[str, Any] = {}
    for section, table in _parse(path).items():
        if not isinstance(table, dict):
            raise _unknown(section, path)
        for name, value in table.items():
            key = f"{section}.{name}"
            if key not in _KNOWN:
                raise _unknown(key, path)
            if _KNOWN[key].about.rule is None:
                raise _refused(
                    f"{path} sets {key}, which no file may hold.",
                    f"Set the variable {_KNOWN[key].about.variable} instead.",
                )
            values[key] = _convert(key, value, str(path))
        if section not in {key.partition(".")[0] for key in _KNOWN}:
            raise _unknown(section, path)
    return values


def _parse(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(SETTINGS_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _refused(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > SETTINGS_BYTES_MAX:
        raise _refused(f"{path} is larger than {SETTINGS_BYTES_MAX:,} bytes.")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise _refused(f"{path} is not UTF-8 at byte {error.start}.") from error
    except tomllib.TOMLDecodeError as error:
        raise _refused(f"{path} is not TOML: {error}.") from error
    except RecursionError as error:
        raise _refused(f"{path} is nested too deeply.") from error


def _convert(key: str, value: Any, source: str) -> Any:
    try:
        return msgspec.convert(value, _KNOWN[key].type)
    except msgspec.ValidationError as error:
        expected = str(error).replace(" - at `$`", "")
        if _PATTERN_REFUSAL in expected:
            expected = "Expected text without blanks at its ends"
        raise _refused(f"{key} in {source}: {expected}.", "Correct it there.") from error


def _unknown(key: str, path: Path) -> InvalidInput:
    near = _nearest(key)
    return _refused(
        f"{path} has an unknown setting {key!r}.",
        f"Did you mean {near!r} (in the table [{near.partition('.')[0]}])?"
        if near
        else f"Known: {', '.join(_in_files())}.",
    )


def _nearest(key: str) -> str | None:
    """Find the setting that was meant: the same name in another table, or a similar spelling."""
    name = key.rpartition(".")[2]
    names = {known.rpartition(".")[2]: known for known in _in_files()}
    if name in names:
        return names[name]
    for candidates, wanted in ((_in_files(), key), (list(names), name)):
        if near := difflib.get_close_matches(wanted, candidates, n=1, cutoff=0.7):
            return names.get(near[0], near[0])
    return None


def _in_files() -> list[str]:
    return [key for key, known in _KNOWN.items() if known.about.rule is not None]


def _refused(what: str, remedy: str = "Correct that file.") -> InvalidInput:
    return InvalidInput(
        what, meaning="No settings were used, and nothing was recorded.", remedy=remedy
    )
