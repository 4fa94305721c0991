"""What is done with one file of an agent, and how that is shown."""

from __future__ import annotations

import difflib
from typing import Literal, TypeAlias

import msgspec

Action: TypeAlias = Literal["write", "update", "unchanged", "left", "remove", "restore", "strip"]


class Step(msgspec.Struct, frozen=True):
    """What is done, or would be done, with one file."""

    path: str
    """Absolute."""
    action: Action
    note: str = ""
    diff: str = ""
    paste: str = ""
    """What should stand in a file that was left alone."""


def diff_of(path: str, before: str | None, after: str | None) -> str:
    """Show what changes, as `diff -u` does."""
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(lines)


def _lines(text: str | None) -> list[str]:
    lines = (text or "").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
