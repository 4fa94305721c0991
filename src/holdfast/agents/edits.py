"""What an install changes in one file: whole files of ours, and our part in files of others.

An edit can be put in and taken out again. Putting it in twice changes nothing the second time;
taking it out leaves what others wrote, and what they wrote since. Nothing here touches a disk.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.agents import json_text
from holdfast.kernel.errors import InvalidInput

HOOK: Final = "holdfast/hook_entry.py"
"""What stands in every hook command of ours, wherever holdfast is installed."""
SERVER: Final = ["-m", "holdfast", "mcp"]
"""What stands in every entry of ours for the MCP server."""
NAME: Final = "holdfast"

_BEGIN: Final = "# holdfast begins: `holdfast agents remove` takes this away\n"
_END: Final = "# holdfast ends\n"


class OwnFile(msgspec.Struct, frozen=True):
    """A file that is ours as a whole."""

    path: str
    content: str

    def put(self, text: str | None) -> str:
        """Return the file; another one that is there is refused."""
        if text not in (None, self.content):
            raise InvalidInput("holdfast did not write it, or somebody edited it")
        return self.content

    def take(self, text: str, *, bare: bool = True) -> str | None:
        """Return None: nothing is left of it; what is not ours word for word stays."""
        del bare
        return None if text == self.content else text

    def snippet(self) -> str:
        """Return what the file would hold."""
        return self.content


class JsonEdit(msgspec.Struct, frozen=True):
    """Hooks and an MCP server in a JSON file."""

    path: str
    hooks: dict[str, Any] = {}
    """For each event one item of the list below `hooks`."""
    server: Any = None
    server_at: json_text.Path = ("mcpServers", NAME)
    needed: dict[str, Any] = {}
    """Members that must be there; one that is there stays as it is."""

    def put(self, text: str | None) -> str:
        """Return the text with our part in it."""
        text = "{}\n" if text is None or not text.strip() else text
        _check_object(text)
        for key, value in self.needed.items():
            if json_text.get(text, (key,)) is None:
                text = json_text.set_member(text, (key,), value)
        text = self._take_hooks(text, keep=True)
        for event, item in self.hooks.items():
            listed = json_text.get(text, ("hooks", event))
            if not isinstance(listed, list) or item not in listed:
                text = json_text.add_item(text, ("hooks", event), item)
        return self._put_server(text)

    def take(self, text: str, *, bare: bool = True) -> str | None:
        """Return the text without our part; None when nothing of others is left.

        With `bare`, the file was not there before us: what is empty then goes as a whole.
        """
        _check_object(text)
        text = self._take_hooks(text, keep=False)
        if self.server is not None and is_server(json_text.get(text, self.server_at)):
            text = _prune(json_text.drop_member(text, self.server_at), self.server_at[:-1])
        left = json_text.parse(text)
        return None if bare and all(left[key] == self.needed.get(key) for key in left) else text

    def snippet(self) -> str:
        """Return our part, as it would stand in a file of its own."""
        return self.put(None)

    def _put_server(self, text: str) -> str:
        if self.server is None:
            return text
        there = json_text.get(text, self.server_at)
        if there == self.server:
            return text
        if there is not None and not is_server(there):
            raise InvalidInput(f"an MCP server named {NAME} stands in it that is not ours")
        return json_text.set_member(text, self.server_at, self.server)

    def _take_hooks(self, text: str, *, keep: bool) -> str:
        """Take out the hooks of ours; with `keep`, those that are just as they should be stay."""
        events = json_text.get(text, ("hooks",)) or {}
        if not isinstance(events, dict):
            raise InvalidInput("`hooks` in it is no object")
        for event in events:
            wanted = self.hooks.get(event) if keep else None
            path = ("hooks", event)
            while (place := _first_of_ours(json_text.get(text, path), wanted)) is not None:
                text = json_text.drop_item(text, path, *place)
            if event not in self.hooks or not keep:
                text = _prune(text, path, was=events[event])
        return text


class TomlEdit(msgspec.Struct, frozen=True):
    """A table at the end of a TOML file, between two lines that say whose it is."""

    path: str
    table: tuple[str, ...]
    body: str

    def put(self, text: str | None) -> str:
        """Return the text with our part at its end."""
        rest = self._without(text or "")
        value: Any = _toml(rest)
        for key in self.table:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            raise InvalidInput(f"[{'.'.join(self.table)}] stands in it that is not ours")
        gap = "\n" if rest else ""
        full = f"{rest}{gap}{_BEGIN}[{'.'.join(self.table)}]\n{self.body}{_END}"
        _toml(full)
        return full

    def take(self, text: str, *, bare: bool = True) -> str | None:
        """Return the text without our part; None when nothing is left."""
        rest = self._without(text)
        return None if bare and not rest.strip() else rest

    def snippet(self) -> str:
        """Return our part."""
        return self.put(None)

    def _without(self, text: str) -> str:
        before, begin, after = text.partition(_BEGIN)
        if not begin:
            return text
        _, end, after = after.partition(_END)
        if not end:
            raise InvalidInput("the line that ends our part of it is gone")
        kept = before.removesuffix("\n")
        # who wrote behind our part must not find it on the end of another line
        return f"{kept}\n{after}" if kept and after and not kept.endswith("\n") else kept + after


Edit: TypeAlias = OwnFile | JsonEdit | TomlEdit


def is_hook(handler: Any) -> bool:
    """Tell whether a hook runs a command of ours."""
    if not isinstance(handler, dict):
        return False
    args = handler.get("args")
    words = [handler.get("command"), *(args if isinstance(args, list) else [])]
    return any(isinstance(word, str) and HOOK in word for word in words)


def is_server(value: Any) -> bool:
    """Tell whether an MCP server is ours, of this install or of an older one."""
    if not isinstance(value, dict):
        return False
    words: list[Any] = []
    for name in ("command", "args"):
        part = value.get(name)
        words += part if isinstance(part, list) else [part]
    return any(words[at : at + len(SERVER)] == SERVER for at in range(len(words)))


def _first_of_ours(items: Any, wanted: Any) -> tuple[Any, ...] | None:
    """Find a hook of ours in a list of an event, other than the wanted one, which may stand once.

    A group that holds hooks of others, too, keeps those.
    """
    seen = False
    for place, item in enumerate(items if isinstance(items, list) else []):
        if wanted is not None and item == wanted and not seen:
            seen = True
        elif is_hook(item):
            return (place,)
        elif isinstance(item, dict) and isinstance(item.get("hooks"), list):
            ours = [n for n, one in enumerate(item["hooks"]) if is_hook(one)]
            if ours:
                return (place,) if len(ours) == len(item["hooks"]) else (place, "hooks", ours[0])
    return None


def _prune(text: str, path: json_text.Path, was: Any = ...) -> str:
    """Drop what is empty now, from the inside out; what somebody left empty stays."""
    while path and json_text.get(text, path) in ([], {}) and was not in ([], {}):
        text, path = json_text.drop_member(text, path), path[:-1]
    return text


def _check_object(text: str) -> None:
    if not isinstance(json_text.parse(text), dict):
        raise InvalidInput("it is no JSON object")


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"it is not TOML: {error}") from error


def toml_strings(values: Sequence[str]) -> str:
    """Spell a TOML array of strings."""
    return f"[{', '.join(toml_string(value) for value in values)}]"


def toml_string(value: str) -> str:
    """Spell a TOML string; JSON's escapes are TOML's, too."""
    return msgspec.json.encode(value).decode()
