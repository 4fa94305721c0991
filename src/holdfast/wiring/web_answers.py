"""What the pages of the web page have in common: numbers that are asked for, texts that are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import WEB_ROWS_MAX, WEB_TEXT_CHARS_MAX
from holdfast.storage.port import Reader
from holdfast.web.values import Asked
from holdfast.wiring.places import Place
from holdfast.wiring.project import Project

if TYPE_CHECKING:
    from holdfast.wiring.web_apart import Apart
    from holdfast.wiring.web_boots import Boots
    from holdfast.wiring.web_gate import Gate


class Looked(Protocol):
    """A project, as far as pages look at it."""

    @property
    def project(self) -> Project:
        """The project that is shown."""

    @property
    def place(self) -> Place:
        """Where it lies."""

    @property
    def reader(self) -> Reader:
        """Its ledger."""


class Shown(Looked, Protocol):
    """The site, as far as pages use it."""

    @property
    def verified(self) -> Any:
        """How the last verify ended, None when there was none."""

    @property
    def beside(self) -> Apart:
        """The process that folds for pages."""

    @property
    def gate(self) -> Gate:
        """What would block a clear."""

    @property
    def boots(self) -> Boots:
        """How saves boot."""


def number(asked: Asked, name: str, default: int, *, most: int | None = None) -> int:
    """Return a number of the query, within its bounds."""
    given = asked.query.get(name)
    if given is None:
        return default
    return _number(given, name, most)


def key_number(asked: Asked) -> int:
    """Return the number that a page is asked for."""
    return _number(asked.key, "the entry", None)


def rows_asked(asked: Asked, default: int = 50) -> int:
    """Return how many rows are asked for."""
    return max(1, number(asked, "limit", default, most=WEB_ROWS_MAX))


def cut(text: str, most: int = WEB_TEXT_CHARS_MAX) -> str:
    """Cut a long text, and say how much is gone."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… (+{len(text) - most:,} characters)"


def _number(given: str, name: str, most: int | None) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= 15):
        raise InvalidInput(
            f"{name} is {given[:40]!r}, which is no number.",
            meaning="Nothing was shown.",
            remedy="Give a number, 0 or more.",
        )
    return int(given) if most is None else min(int(given), most)
