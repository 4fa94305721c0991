"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

session_option = click.option(
    "--session",
    metavar="S",
    help="Session it belongs to [else $HOLDFAST_SESSION, else the open one].",
)


def actor_options(function: F) -> F:
    """Add --actor-kind and --actor."""
    function = click.option(
        "--actor", metavar="NAME", help="Name of who it comes from [else the setting]."
    )(function)
    return click.option(
        "--actor-kind",
        type=click.Choice(["agent", "user", "tool"]),
        default="user",
        show_default=True,
        help="Who it comes from.",
    )(function)
