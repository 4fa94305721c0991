"""What of an entry can be searched: its words and its paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import (
    ENTRY_PATHS_MAX,
    ENTRY_TEXT_CHARS_MAX,
    ENTRY_VAULT_TEXTS_MAX,
    VAULT_TEXT_BYTES_SEARCHED,
)

Load = Callable[[str], bytes | None]

_SKIPPED: Final = {
    "file_change": frozenset({"hash_after", "size_before", "size_after", "lines_changed"})
    | {"at", "call", "content", "executable", "hash_before", "lines_after", "path_bytes"},
    "checkpoint": frozenset({"completed", "total", "decisions_made"}),
    "compression": frozenset({"restore_index"}),
    "context_given": frozenset({"text", "about", "left_out", "tokens", "counter", "as_of", "at"}),
    "session_started": frozenset({"holder"}),
    "tool_called": frozenset({"duration_ms", "ok"}),
    "command_ran": frozenset({"duration_ms"}),
}
"""Fields nobody looks for by word: sizes, counts, hashes; whole files; and what agents were told,
which repeats words of other entries."""

_FIRST: Final = ("question", "choice", "error_type", "tool", "command", "quick_resume", "name")
"""Fields that a person reads first."""

_PATH_FIELDS: Final = ("path", "files_created", "files_modified")
_PATH_PARAMS: Final = ("path", "file_path", "notebook_path")

_NOTHING: Final[frozenset[str]] = frozenset()


BETWEEN: Final = "·"
"""What tells the fields of an entry apart where they are shown."""


class Text(msgspec.Struct):
    """The words of an entry, as one text; `cut` when there are more than are searched."""

    words: str
    paths: tuple[str, ...]
    cut: bool


def text_of(entry: Entry, value: dict[str, Any], load: Load) -> Text:
    """Return what can be searched of an entry; vault texts are put in, as far as they go."""
    gathering = _Gathering(load)
    gathering.add(entry.type)
    if _failed(entry.type, value):
        gathering.add("failed")
    skipped = _SKIPPED.get(entry.type, _NOTHING)
    for name, part in value.items():
        if name not in skipped:
            gathering.walk(_searched(name, part))
    paths = tuple(dict.fromkeys(_paths(entry.type, value)))[:ENTRY_PATHS_MAX]
    return Text("\n".join(gathering.parts), paths, gathering.cut)


def shown_text(entry: Entry, load: Load) -> tuple[str, bool]:
    """Return the words of an entry as they are shown, its fields told apart; and whether it failed.

    That it did may stand in a field that has no words.
    """
    gathering = _Gathering(load)
    skipped = _SKIPPED.get(entry.type, _NOTHING)
    try:
        value = entry.value()
    except Damaged:
        return "", False
    for name in sorted(value, key=_place):
        if name not in skipped:
            gathering.walk(_searched(name, value[name]))
    return f" {BETWEEN} ".join(filter(None, gathering.parts)), _failed(entry.type, value)


def _searched(name: str, part: Any) -> Any:
    """Return of what a decision rests on the words: quotes, paths, symbols; no counts and hashes,
    and not the whole definitions around the quotes."""
    if name != "grounds" or not isinstance(part, dict):
        return part
    return [part.get("task"), part.get("symbols"), [_cited(one) for one in _citations(part)]]


def _citations(grounds: dict[str, Any]) -> list[dict[str, Any]]:
    evidence = grounds.get("evidence")
    return [one for one in evidence if isinstance(one, dict)] if isinstance(evidence, list) else []


def _cited(citation: dict[str, Any]) -> list[Any]:
    return [citation.get("quote"), citation.get("path")]


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name), "") if name in _FIRST else (len(_FIRST), name)


def _failed(type_name: str, value: dict[str, Any]) -> bool:
    """Tell what failed without a word that says so."""
    match type_name:
        case "command_ran":
            return value.get("exit_code") not in (0, None)
        case "tool_called":
            return value.get("ok") is False
        case "metric":
            return value.get("passed") is False
        case _:
            return False


def _paths(type_name: str, value: dict[str, Any]) -> Iterator[str]:
    names: tuple[str, ...] = _PATH_FIELDS
    holder = value
    if type_name == "tool_called":
        params = value.get("params")
        names, holder = _PATH_PARAMS, params if isinstance(params, dict) else {}
    elif type_name in ("decision", "decision_grounded"):
        grounds = value.get("grounds")
        cited = _citations(grounds) if isinstance(grounds, dict) else []
        names, holder = ("path",), {"path": [one.get("path") for one in cited]}
    elif type_name not in ("file_change", "checkpoint"):
        return
    for name in names:
        match holder.get(name):
            case str(path) if path:
                yield path
            case list(found):
                yield from (path for path in found if isinstance(path, str) and path)
            case _:
                pass  # not there, or in the vault


class _Gathering:
    """Collects the texts of a value, up to the bounds."""

    def __init__(self, load: Load) -> None:
        self.parts: list[str] = []
        self.cut = False
        self._load = load
        self._left_chars = ENTRY_TEXT_CHARS_MAX
        self._left_vault = ENTRY_VAULT_TEXTS_MAX

    def add(self, text: str) -> None:
        if len(text) > self._left_chars:
            self.cut = True
            text = text[: self._left_chars]
        self._left_chars -= len(text)
        self.parts.append(text)

    def walk(self, value: Any) -> None:
        """Add every text and number below a value."""
        match value:
            case str():
                self.add(value)
            case None | bool():
                return
            case int() | float():
                self.add(str(value))
            case list():
                for part in value:
                    self.walk(part)
            case {"$artifact": str(sha256), "bytes": int()}:
                self._add_artifact(sha256)
            case dict():
                for name, part in value.items():
                    self.add(name)
                    self.walk(part)
            case _:
                raise TypeError(f"no JSON: {type(value).__name__}")

    def _add_artifact(self, sha256: str) -> None:
        if self._left_vault == 0:
            self.cut = True
            return
        self._left_vault -= 1
        try:
            content = self._load(sha256)
        except Damaged:
            content = None
        if content is None:  # erased, or gone: there is nothing to find it by
            return
        self.cut |= len(content) > VAULT_TEXT_BYTES_SEARCHED
        self.add(content[:VAULT_TEXT_BYTES_SEARCHED].decode("utf-8", "ignore"))
