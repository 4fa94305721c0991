"""The attention budget: where its zones begin, which one a number of tokens is in, what is said."""

from __future__ import annotations

import re
from typing import Final, Protocol

import msgspec

from holdfast.kernel.types import Zone

MESSAGES: Final[dict[Zone, str | None]] = {
    "green": None,
    "yellow": None,
    "orange": "Context is filling. Consider /clear when ready.",
    "red": "Attention budget exhausted. Please /clear.",
}
"""What a person is told in each zone."""

_K: Final = 1_000

_WINDOWS: Final = (
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-5-chat", 128 * _K),
    (r"gpt-5", 400 * _K),
    (r"gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4\.5|o1", 128 * _K),
    (r"o3|o4", 200 * _K),
    (r"claude-(?:3|opus|sonnet|haiku)", 200 * _K),
    (r"gemini-(?:1\.5|2)", 1_048_576),
    (r"(?:meta-)?llama-?3\.[1-3]", 128 * _K),
)
"""Tokens that the windows of models hold, by how their names begin; of a family the smallest, as
then nothing is said too late. Others are not known."""


class Budget(Protocol):
    """Where the zones begin: in tokens, and in shares of a window."""

    @property
    def yellow(self) -> int: ...
    @property
    def orange(self) -> int: ...
    @property
    def red(self) -> int: ...
    @property
    def yellow_share(self) -> float: ...
    @property
    def orange_share(self) -> float: ...
    @property
    def red_share(self) -> float: ...
    @property
    def window(self) -> int | None: ...


class Bounds(msgspec.Struct, frozen=True):
    """The first number of tokens of each zone above green."""

    yellow: int
    orange: int
    red: int
    window: int | None = None
    """The window that they are shares of; null when they are numbers of their own."""

    def zone(self, tokens: int) -> Zone:
        """Return the zone that so many tokens are in: the highest whose beginning is reached."""
        if tokens >= self.red:
            return "red"
        if tokens >= self.orange:
            return "orange"
        return "yellow" if tokens >= self.yellow else "green"


def bounds_of(budget: Budget, window: int | None = None) -> Bounds:
    """Return where the zones begin: shares of the window where one is known, else the numbers."""
    window = window or budget.window
    if not window:
        return Bounds(budget.yellow, budget.orange, budget.red)
    shares = (budget.yellow_share, budget.orange_share, budget.red_share)
    yellow, orange, red = (max(1, round(share * window)) for share in shares)
    return Bounds(yellow, orange, red, window)


def zone_of(tokens: int, budget: Budget, window: int | None = None) -> Zone:
    """Return the zone that so many tokens are in."""
    return bounds_of(budget, window).zone(tokens)


def window_of(model: str | None) -> int | None:
    """Return how many tokens the window of a model holds; None when that is not known."""
    if model is None:
        return None
    name = model.lower().rpartition("/")[2]
    for pattern, window in _WINDOWS:
        if re.match(rf"(?:{pattern})(?:[-.:@]|\Z)", name):
            return window
    return None
