"""Bounds of what agent frameworks keep in the ledger."""

from __future__ import annotations

from typing import Final

STATE_LOOKED_UP_AT_ONCE: Final = 8
"""Ids asked for together when everything about one thing is looked up."""

STATE_TRIES_MAX: Final = 100
"""Tries to put a thing that other processes put in the same moment."""

STATE_LISTED_AT_ONCE: Final = 16
"""Checkpoints read in one turn of a worker thread while a loop waits for them."""

STATE_TEXT_CHARS_MAX: Final = 4_000
"""Characters of a text that is kept beside a framework's own state; the state itself is whole."""
