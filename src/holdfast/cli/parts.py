"""Lines for a terminal: colours with a meaning, links to files, and no wider than it is.

Where nobody looks, each is one plain line, whole. Every text MUST be made visible first. Lines that
people copy, such as commands, are never broken here: the terminal does that without cutting them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.cli.output import console, say, width

if TYPE_CHECKING:
    from rich.text import Text

Part: TypeAlias = tuple[str, str]
"""A text, and the style it has on a terminal."""

ROOM_CHARS_MIN: Final = 20
"""So much of a text is always shown, however narrow the terminal is."""

_COLOURS: Final = {
    "decision": "bold cyan",
    "decision_grounded": "cyan",
    "fork_opened": "bold yellow",
    "pending_opened": "bold yellow",
    "error": "bold red",
    "line_quarantined": "bold red",
    "checkpoint": "green",
    "session_started": "green",
    "session_ended": "green",
    "gate_ran": "magenta",
    "handoff_made": "magenta",
    "compression": "magenta",
    "artifact_erased": "bold yellow",
    "rolled_back": "bold yellow",
    "file_change": "blue",
}


def colour_of(type_name: str) -> str:
    """Return the style of a type of entries: what was decided, what went wrong, what marks time."""
    return _COLOURS.get(type_name, "")


def say_parts(*parts: Part, hang: int | None = None) -> None:
    """Write a line. With `hang`, it wraps between words on a terminal and goes on below that
    column; without, it is left whole, to be copied."""
    if not sys.stdout.isatty():
        say("".join(text for text, _ in parts).rstrip())
        return
    from rich.text import Text

    line = Text.assemble(*((text, style) for text, style in parts))
    line.rstrip()
    for row in _wrapped(line, hang):
        console(sys.stdout).print(row, soft_wrap=True)


def _wrapped(line: Text, hang: int | None) -> list[Text]:
    """Break a line; its rows behind the first begin where its text does."""
    from rich.text import Text

    columns = width()
    if hang is None or line.cell_len <= columns or columns < hang + ROOM_CHARS_MIN:
        return [line]
    head, rest = line.divide([hang])
    rows = list(rest.wrap(console(sys.stdout), columns - hang))
    return [head + rows[0], *(Text(" " * hang) + row for row in rows[1:])]


def fit(text: str, *before: Part) -> str | None:
    """Return a text cut to what a terminal has left behind these parts, with how much is gone; None
    where there is no terminal."""
    if not sys.stdout.isatty():
        return None
    from rich.cells import cell_len, set_cell_size

    room = max(ROOM_CHARS_MIN, width() - sum(cell_len(part) for part, _ in before))
    if cell_len(text) <= room:
        return text
    kept = set_cell_size(text, room - len(f"… (+{len(text):,})")).rstrip()
    return f"{kept}… (+{len(text) - len(kept):,})"


def link(path: Path | str, style: str = "") -> str:
    """Add to a style that a terminal opens this file; nothing where there is none."""
    file = Path(path)
    if not sys.stdout.isatty() or not file.is_absolute() or not file.exists():
        return style
    return f"{style} link {file.as_uri()}".strip()
