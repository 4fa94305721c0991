"""What leaves the process: data on stdout, talk on stderr, and nothing that a terminal obeys.

Text out of a ledger was written by anybody. Before a person sees it, every character that could
move the cursor, change colours, reverse the reading order or hide is shown as its escape.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)))
)
"""Characters that count as printable and show nothing. Not U+FE0F, which makes emoji colourful."""


def visible(text: str, *, lines: bool = False) -> str:
    """Return text that a terminal only shows. With `lines`, line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        char if char in kept or (char.isprintable() and char not in INVISIBLE) else _escape(char)
        for char in text
    )


def _escape(char: str) -> str:
    code = ord(char)
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


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

        _console(stream).print(Text(text, style), soft_wrap=True)
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


@cache
def _console(stream: TextIO) -> Console:
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
                from rich.progress import Progress

                bar = stack.enter_context(Progress(console=_console(sys.stderr), transient=True))
                bar.add_task(title)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total)

        yield advance
