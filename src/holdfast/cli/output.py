"""What leaves the process: data on stdout, talk on stderr, and nothing that a terminal obeys.

Text out of a ledger was written by anybody. Before a person sees it, every character that could
move the cursor, change colours, reverse the reading order or hide is shown as its escape.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

from holdfast.views.visible import INVISIBLE as INVISIBLE
from holdfast.views.visible import visible as visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def print_json(value: Any) -> None:
    """Write one JSON value and a line end to stdout."""
    import msgspec

    print_bytes(msgspec.json.encode(value))


def print_bytes(line: bytes) -> None:
    """Write one line to stdout, exactly these bytes."""
    sys.stdout.buffer.write(line + b"\n")


def say(text: str = "", style: str = "") -> None:
    """Write to stdout for a person; in colour on a terminal. `text` MUST be made visible first."""
    _write(sys.stdout, text, style)


def talk(text: str, style: str = "") -> None:
    """Write to stderr for a person."""
    _write(sys.stderr, text, style)


def _write(stream: TextIO, text: str, style: str) -> None:
    if style and stream.isatty():
        from rich.text import Text

        console(stream).print(Text(text, style), soft_wrap=True)
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def say_lines(text: str, style: str = "") -> None:
    """Write a text of anybody's in its own lines, the first in a style; on a terminal they wrap
    between words."""
    for number, line in enumerate(visible(text, lines=True).split("\n")):
        chosen = style if number == 0 else ""
        if not sys.stdout.isatty():
            say(line)
            continue
        from holdfast.cli.parts import say_parts

        say_parts((line, chosen), hang=0)


def width() -> int:
    """Return how many columns there are to write on."""
    import shutil  # takes as long as a whole `resume`, which needs none of it

    return shutil.get_terminal_size((100, 24)).columns


@cache
def console(stream: TextIO) -> Console:
    """Return what draws on a terminal."""
    from rich.console import Console

    return Console(file=stream, highlight=False)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told (done, total); it draws a bar when there is time to look.

    That is on a terminal, and once something is done while more is left.
    """
    with ExitStack() as stack:
        bar: Progress | None = None

        def advance(done: int, total: int) -> None:
            nonlocal bar
            if bar is None and done < total and sys.stderr.isatty():
                bar = stack.enter_context(_bar())
                bar.add_task(title, rate="")
            if bar is not None:
                speed = bar.tasks[0].speed
                rate = "" if speed is None else f"{speed:,.0f}/s"
                bar.update(bar.task_ids[0], completed=done, total=total, rate=rate)

        yield advance


def _bar() -> Progress:
    """Make a bar that says how far it is, how fast, and how long it will take."""
    from rich import progress as columns

    return columns.Progress(
        columns.TextColumn("{task.description}"),
        columns.BarColumn(),
        columns.MofNCompleteColumn(),
        columns.TextColumn("{task.fields[rate]}"),
        columns.TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
    )
