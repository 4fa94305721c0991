"""What a project may do with a setting: narrow what the user allows, never widen it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias


class Widened(Exception):
    """Leave a rule: the project asked for more than it may; says what it may do."""


Rule: TypeAlias = Callable[[Any, Any], tuple[Any, str]]
"""Takes the user's value and the project's; returns the one that counts, and a note about it."""


def either(_mine: Any, theirs: Any) -> tuple[Any, str]:
    """Take what the project says."""
    return theirs, ""


def add(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[Any, str]:
    """Take both."""
    return tuple(dict.fromkeys((*mine, *theirs))), ""


def keep_on(mine: bool, theirs: bool) -> tuple[Any, str]:
    """Let a project switch it on, not off."""
    if not theirs:
        raise Widened("a project cannot switch it off; only the user's own settings can")
    return mine or theirs, ""


def users_own(_mine: Any, _theirs: Any) -> tuple[Any, str]:
    """Leave it to the user alone."""
    raise Widened("a project cannot set it; only the user's own settings can")


def lower(mine: float, theirs: float) -> tuple[Any, str]:
    """Let a project lower it."""
    if theirs > mine:
        return mine, f"the project asks for {theirs:g}, but may only lower it"
    return theirs, ""


def higher(mine: float, theirs: float) -> tuple[Any, str]:
    """Let a project raise it."""
    if theirs < mine:
        return mine, f"the project asks for {theirs:g}, but may only raise it"
    return theirs, ""


STRICTNESS: Final = ("disabled", "warn", "strict")
"""From the loosest to the strictest."""


def stricter(mine: str, theirs: str) -> tuple[Any, str]:
    """Let a project make it stricter."""
    if STRICTNESS.index(theirs) < STRICTNESS.index(mine):
        return mine, f"the project asks for {theirs}, but may only make it stricter"
    return theirs, ""
