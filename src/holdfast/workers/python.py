"""How another Python is started that finds the modules that this one finds, and loads little."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_package_folder: Final = str(Path(__file__).parents[2])


def command(start: str) -> list[str]:
    """Return how Python is started: without `site` and the environment, which is a third faster."""
    written = ["-B"] if sys.dont_write_bytecode else []
    return [sys.executable, "-I", "-S", *written, "-c", start]


def places() -> list[str]:
    """Return where it is to look for modules: where we do, but for the folder that we stand in.

    Its modules are none of ours.
    """
    here = {""}
    with suppress(OSError):  # it may be gone
        here.add(str(Path.cwd()))
    return [_package_folder, *(place for place in sys.path if place not in here)]
