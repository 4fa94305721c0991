"""The agents that there are, each loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from holdfast.agents.values import AGENTS, Agent
from holdfast.kernel.errors import InvalidInput


def agent(name: str) -> Agent:
    """Return an agent's module, or raise InvalidInput with the names that there are."""
    if name not in AGENTS:
        raise InvalidInput(
            f"There is no agent called {name[:80]!r}.",
            meaning="Nothing was done.",
            remedy=f"Name one of these: {', '.join(AGENTS)}.",
        )
    return cast("Agent", import_module(f"holdfast.agents.{name.replace('-', '_')}"))
