"""What an edit is: values that say which file, in which form, and what is needed to apply it.

Paths are values and are never resolved. A path that is absolute, climbs or holds control
characters is kept as it came and the edit says `unsafe`; what to do about it is the caller's.
"""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

import msgspec


class _Found(msgspec.Struct, frozen=True, kw_only=True, tag_field="form"):
    """What every form has: whose it is, whether all of it came, where it stood."""

    path: str | None = None
    via: str = ""
    """The tool, tag or dialect that carried it; some rules depend on it."""
    complete: bool = True
    """False: the text ended, or its container did, before the form was closed."""
    start: int = 0
    end: int = 0
    """Characters of the text it stood in; 0, 0 in a tool call."""

    @property
    def form(self) -> str:
        """Name the form."""
        return str(type(self).__struct_config__.tag)

    @property
    def unsafe(self) -> bool:
        """Tell whether a path could leave the project or deceive a reader."""
        return any(is_unsafe(path) for path in (self.path, getattr(self, "renamed_to", None)))


class Whole(_Found, frozen=True, kw_only=True, tag="whole"):
    """The file's whole new text."""

    content: str
    final_newline: Literal["as given", "as base"] = "as given"


class Block(_Found, frozen=True, kw_only=True, tag="block"):
    """A fenced block: a whole file when it has a path, nothing that can be applied without."""

    content: str
    info: str = ""
    language: str = ""
    path_from: Literal["", "info", "before", "comment"] = ""
    quoted: bool = False
    """Lines of the file are cited, or a quote holds them: the block shows them, changes nothing."""
    nested: bool = False
    """A fence of the same kind seems to open inside, so the block may have ended too early."""


class Replacement(msgspec.Struct, frozen=True):
    """One text for another; exactly one place, unless `every` or a `count` is asked for."""

    old: str
    new: str
    every: bool = False
    count: int | None = None


class Replace(_Found, frozen=True, kw_only=True, tag="replace"):
    """Texts replaced one after the other, each in what the one before left."""

    replacements: tuple[Replacement, ...]


class Piece(msgspec.Struct, frozen=True):
    """Lines sought and lines put in their place; `line` is where they are said to begin."""

    search: str
    replace: str
    line: int | None = None


class Search(_Found, frozen=True, kw_only=True, tag="search"):
    """SEARCH/REPLACE blocks: whole lines, each block in exactly one place."""

    pieces: tuple[Piece, ...]


class Insert(_Found, frozen=True, kw_only=True, tag="insert"):
    """Lines put behind a line; 0 is the top, -1 the end."""

    after_line: int
    text: str


class Chunk(msgspec.Struct, frozen=True):
    """One change of an `apply_patch` update, without line ends."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    at_end: bool = False


class Patch(_Found, frozen=True, kw_only=True, tag="patch"):
    """An `apply_patch` update of one file."""

    chunks: tuple[Chunk, ...]
    renamed_to: str | None = None


class Hunk(msgspec.Struct, frozen=True):
    """One hunk of a unified diff; its lines carry their line ends."""

    line: int | None
    """Where the header says the old lines begin; None when it has no numbers."""
    old: tuple[str, ...]
    new: tuple[str, ...]


class Diff(_Found, frozen=True, kw_only=True, tag="diff"):
    """A unified diff of one file."""

    hunks: tuple[Hunk, ...]
    renamed_to: str | None = None
    creates: bool = False
    deletes: bool = False


class Delete(_Found, frozen=True, kw_only=True, tag="delete"):
    """The file goes away."""


class Cell(_Found, frozen=True, kw_only=True, tag="cell"):
    """One cell of a notebook."""

    cell: str | None
    source: str
    cell_type: str | None = None
    mode: Literal["replace", "insert", "delete"] = "replace"


class Unreadable(_Found, frozen=True, kw_only=True, tag="unreadable"):
    """Something that edits, but cannot be read as its form demands; it is never applied."""

    reason: str


Edit: TypeAlias = (
    Whole | Block | Replace | Search | Insert | Patch | Diff | Delete | Cell | Unreadable
)


class Applied(msgspec.Struct, frozen=True):
    """The file afterwards; None when it is gone."""

    text: str | None
    renamed_to: str | None = None


class Refused(msgspec.Struct, frozen=True):
    """Why nothing was applied, and where: the line of the base, the part of the edit, from 1."""

    reason: str
    line: int | None = None
    part: int | None = None


def is_unsafe(path: str | None) -> bool:
    """Tell whether a path is absolute, climbs, or holds characters that are not seen."""
    if not path:
        return False
    parts = path.replace("\\", "/").split("/")
    if parts[0] in ("", "~") or path.startswith("~") or path[1:2] == ":" or ".." in parts:
        return True
    return any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in path)
