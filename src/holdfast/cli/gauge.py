"""The gauge of the attention budget: one line, or a live view that is drawn again on change."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from holdfast.cli.output import visible
from holdfast.kernel.limits import WATCH_POLL_S
from holdfast.stores.wording import bounded
from holdfast.views.attention import MESSAGES

if TYPE_CHECKING:
    from holdfast.kernel.types import Block
    from holdfast.views.attention import Bounds
    from holdfast.wiring.gauging import Gauge

WIDTH: Final = 30
BLOCKS_SHOWN: Final = 5
_COLOURS: Final = {"green": 32, "yellow": 33, "orange": 35, "red": "1;31"}
"""What a terminal calls the colours of the zones, as near as every terminal has them."""
LINE_CHARS: Final = 100
"""Characters of a line, so that on most terminals it is drawn over as one."""


def bar(tokens: int, zone: str, bounds: Bounds | None) -> str:
    """Draw how full a context is against where red begins, with marks where zones begin."""
    if bounds is None or bounds.red <= 0:
        return f"{zone:<6} {tokens:,} tokens"
    full = min(WIDTH, tokens * WIDTH // bounds.red)
    cells = ["#"] * full + ["."] * (WIDTH - full)
    for bound in (bounds.yellow, bounds.orange):
        cells[min(WIDTH - 1, bound * WIDTH // bounds.red)] = "|"
    of = "" if bounds.window is None else f" of {bounds.window:,}"
    starts = f"yellow {bounds.yellow:,}, orange {bounds.orange:,}, red {bounds.red:,}"
    return f"{zone:<6} [{''.join(cells)}] {tokens:,} tokens{of} ({starts})"


def frame(gauge: Gauge) -> list[str]:
    """Lay out a gauge in lines."""
    session = gauge.session_id or "none is open"
    lines = [
        *_attention(gauge),
        f"session    {session}, {gauge.entries:,} entries",
        f"checkpoint {_checkpoint(gauge)}",
        *_gate(gauge),
    ]
    return [visible(line) for line in lines]


def _attention(gauge: Gauge) -> Iterator[str]:
    found = gauge.standing
    if found is None:
        yield "attention  nobody counted yet; `holdfast attention --tokens N` says how many"
        return
    yield f"attention  {bar(found.tokens, found.zone, found.bounds)}"
    if (message := MESSAGES[found.zone]) is not None:
        yield f"           {message}"


def _checkpoint(gauge: Gauge) -> str:
    ran, found = gauge.ran, gauge.standing
    if ran is None:
        said = "none yet"
    else:
        said = f"{'passed' if ran.passed else 'failed'}, entry {ran.seq} ({ran.trigger})"
    if found is not None and found.synced is not None:
        said += f"; decisions were written down in entry {found.synced}"
    return said


def _gate(gauge: Gauge) -> Iterator[str]:
    # cut, not rounded: never shown as high as it is not
    ratio = gauge.grounding_ratio
    shown = "?" if ratio is None else f"{int(ratio * 100 + 1e-9) / 100:.2f}"
    count = len(gauge.blocks)
    blocks = f"{count:,} would block a clear" if count else "nothing would block a clear"
    yield f"gate       ratio {shown}, {blocks}"
    for block in gauge.blocks[:BLOCKS_SHOWN]:
        yield f"  {_first_line(block)}"
    if count > BLOCKS_SHOWN:
        yield f"  and {count - BLOCKS_SHOWN:,} more; `holdfast clear --check` lists all"


def _first_line(block: Block) -> str:
    return bounded(str(block.reason).partition("\n")[0], LINE_CHARS)


def watch(
    frames: Iterator[list[str]],
    *,
    clock_s: Callable[[], float],
    pause: Callable[[float], None],
    for_s: float | None,
) -> None:
    """Draw frames until time is up or somebody interrupts; a frame like the last is not drawn."""
    end = None if for_s is None else clock_s() + for_s
    shown: list[str] = []
    with _interrupts() as is_interrupted:
        for lines in frames:
            if lines != shown:
                _draw(lines, over=len(shown))
                shown = lines
            if is_interrupted() or (end is not None and clock_s() >= end):
                return
            pause(WATCH_POLL_S)


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Note the first interrupt, to be seen between two frames; a second one ends at once.

    Raised wherever the process happens to be, it could be lost: what is raised while something is
    cleaned up is only printed, and the view would go on for ever.
    """
    noted = []

    def note(_number: int, _frame: object) -> None:
        noted.append(True)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def _draw(lines: list[str], *, over: int) -> None:
    """Write lines in the place of those that were written last."""
    width = shutil.get_terminal_size().columns - 1
    encoding = sys.stdout.encoding or "utf-8"
    text = "".join(f"{_coloured(_within(line, width))}\n" for line in lines)
    up = f"\x1b[{over}A\x1b[J" if over else ""
    sys.stdout.write(up + text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _coloured(line: str) -> str:
    """Give the bar the colour of its zone; whoever set NO_COLOR wants none."""
    name, _, rest = line.partition("  ")
    colour = _COLOURS.get(rest.partition(" ")[0]) if name == "attention" else None
    if colour is None or os.environ.get("NO_COLOR"):
        return line
    return f"{name}  \x1b[{colour}m{rest}\x1b[0m"


def _within(line: str, width: int) -> str:
    """Cut a line to the terminal: one that wraps could not be drawn over."""
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 3)}..."
