"""How files are called: one name for one file, however a client spells it.

Some clients give absolute paths, some relative ones. Where a conversation says in which folder it
works, a relative path is of that folder, so that both spellings are one file, and files of the same
name in two projects are two. The folder of the ledger's own project is taken off. No path is ever
resolved or opened: a path is a name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from holdfast.code.edits import paths
from holdfast.code.edits.model import is_unsafe
from holdfast.kernel.limits import EDIT_PATH_CHARS_MAX, PROXY_PATH_CHARS_MAX, PROXY_ROOTS_MAX
from holdfast.wire.requests import Part, Request

SEPARATOR: Final = "::"

_ROOTS: Final = re.compile(
    r"^[ \t]*(?:[-*] )?(?:(?:Primary |Current )?[Ww]orking [Dd]irectory: *(?P<said>\S.*?)|"
    r"# Current Working Directory \((?P<listed>[^)\n]+)\) Files)[ \t]*$|"
    r"<cwd>(?P<tagged>[^<\n]+)</cwd>",
    re.MULTILINE,
)
"""How Claude Code, opencode, Cline and Codex say where they work."""

_ENVIRONMENTS: Final = ("<environment_context>", "<environment_details>")
_DRIVE: Final = re.compile(r"[A-Za-z]:/")
_ADDRESS: Final = re.compile(r"file:(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?", re.IGNORECASE)
_SYMBOL: Final = re.compile(r"::([\w$~][\w$.#~]*)")
_LABEL: Final = re.compile(r"^\s*Entity:\s*")


class Spelled(msgspec.Struct, frozen=True):
    """A file, and perhaps one definition in it."""

    path: str | None
    symbol: str | None = None
    problem: str = ""
    """Why there is no path."""


def root_of(request: Request) -> str | None:
    """Return the folder that the client says it works in.

    Only the client's own words about its environment count, and the first of them: files and
    reminders that it shows may speak of other folders. Codex, which can change its folder, says so
    in a turn of its own.
    """
    found = _root_in(request.system)
    if found is not None:
        return found
    for turn in request.asides:
        for part in turn.parts:
            root = _root_in(part.text) if _is_environment(part) else None
            if root is not None and (found is None or turn.parts == (part,)):
                found = root
    return found


def _is_environment(part: Part) -> bool:
    return part.speaker == "system" or (
        part.speaker == "client" and part.text.lstrip().startswith(_ENVIRONMENTS)
    )


@lru_cache(maxsize=PROXY_ROOTS_MAX)
def _root_in(text: str) -> str | None:
    """Return the folder that a text names first; the same texts come with every request."""
    for match in _ROOTS.finditer(text):
        root = _plain(next(filter(None, match.groups())).strip("`\"'")).rstrip("/")
        if root and is_absolute(root + "/") and not is_bad(root):
            return root
    return None


def own_prefix(root: str | None, project: str | None) -> str | None:
    """Return what the names of a conversation's own files begin with; None when it is not known.

    Empty for the project's own folder: what is there has relative names.
    """
    if root is None or project is None or not f"{root}/".startswith(f"{project}/"):
        return None if root is None else f"{root}/"
    return f"{root}/"[len(project) + 1 :]


def is_absolute(path: str) -> bool:
    """Tell whether a name says in which folder its file is."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def name_file(given: str | None, root: str | None, project: str | None = None) -> Spelled:
    """Return the name of a file, and of the definition when one is spelled behind it."""
    if not given:
        return Spelled(None, None, "no path is given")
    path, _, symbol = given.partition(SEPARATOR)
    path = _plain(path)
    if is_bad(path):
        return Spelled(None, None, f"the path {given[:80]!r} climbs, or hides what it is")
    is_file = not path.endswith(":") and not given.rstrip().endswith(("/", "\\"))
    if root is not None and path not in ("", ".") and not is_absolute(path):
        path = f"{root}/{path}"
    if project is not None and path.startswith(f"{project}/"):
        path = path[len(project) + 1 :]
    if path in ("", ".", root) or not is_file or len(path) > PROXY_PATH_CHARS_MAX:
        return Spelled(None, None, f"{given[:80]!r} is no path of a file")
    return Spelled(path, symbol or None)


def spelled_in(line: str) -> str | None:
    """Return the `path::symbol` that a line consists of, apart from its decoration."""
    line = _LABEL.sub("", line)
    match = _SYMBOL.search(line)
    if match is None or len(line) > EDIT_PATH_CHARS_MAX:
        return None
    path = paths.in_line(line[: match.start()] + line[match.end() :])
    return None if path is None else f"{path}{SEPARATOR}{match[1].rstrip('.')}"


def _plain(path: str) -> str:
    """Write a path with slashes, without steps that lead nowhere, and not as an address."""
    path = _ADDRESS.sub("", path.strip().replace("\\", "/"))
    if _DRIVE.match(path):
        path = path[0].upper() + path[1:]
    parts = path.split("/")
    kept = [part for place, part in enumerate(parts) if part not in ("", ".") or place == 0]
    return "/".join(kept[1:] if kept[0] == "." and len(kept) > 1 else kept)


def is_bad(path: str) -> bool:
    """Tell whether a path climbs or deceives. That it is absolute is no harm: it is only a name,
    and clients that give no folder give nothing else."""
    relative = path[2:] if _DRIVE.match(path) else path
    return is_unsafe(relative.lstrip("/")) or ".." in path.split("/")
