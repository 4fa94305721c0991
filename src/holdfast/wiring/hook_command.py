"""The command that agents are told to run: the same for as long as this installation stands."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from holdfast.agents.values import AgentName

_NEEDED: Final = ("msgspec", "apsw", "zstandard")


def hook_command(agent: AgentName) -> list[str]:
    """Return the words of an agent's hook command, every path absolute.

    The interpreter starts without looking for anything (`-IS`); where the packages are that the
    long way needs, it is told.
    """
    entry = Path(__file__).absolute().parents[1] / "hook_entry.py"
    words = [str(Path(sys.executable).absolute()), "-IS", str(entry), agent]
    for folder in _folders():
        words += ("--site", folder)
    return words


def _folders() -> list[str]:
    """Return the folders that hold the packages holdfast needs, each once."""
    found = [spec.origin for name in _NEEDED if (spec := find_spec(name)) is not None]
    return list(dict.fromkeys(str(Path(one).absolute().parents[1]) for one in found if one))
