"""`holdfast demo`."""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.story import tell
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible, width

READING_S: Final = 2.5
"""How long a step stands alone on a terminal, for who reads along."""


@make_command(example="holdfast demo\nholdfast demo --fast\nholdfast demo --fast --json")
@click.option("--fast", is_flag=True, help="No pauses, one kill, and no page in the end.")
@json_option
def command(fast: bool, as_json: bool) -> int:
    """Watch an agent fill its desk, be refused a wipe, prove its work, be killed, and go on.

    Everything happens in a temporary folder, which is gone afterwards, and everything that is said
    was measured in this run. On a terminal it takes about a minute and ends with the web page,
    open until Ctrl-C; elsewhere it ends by itself.
    """
    facts: dict[str, Any] = {}
    ok, live = True, _is_watched() and not (fast or as_json)
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder, _noted_in(folder):
        project = Path(folder) / "shop"
        for number, step in enumerate(tell(project, fast=fast), start=1):
            ok = ok and step.ok
            facts |= step.facts
            if not as_json:
                _show(number, step)
                time.sleep(READING_S if live else 0)
        if as_json:
            print_json({"ok": ok, **facts})
        else:
            say(_ENDING if ok else "Something is not as promised: see the step marked above.")
            if live and ok:
                _open_the_page(project)
    return DONE if ok else NO


_ENDING: Final = "Next: `holdfast init` in a project of yours, then `holdfast up`."


@contextmanager
def _noted_in(folder: str) -> Iterator[None]:
    """Let it be noted there, and not in the user's own files, whose ledger this is."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before


def _is_watched() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _has_windows() -> bool:
    """Tell whether a browser would have a window of its own, and not take this terminal."""
    named = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform == "darwin" or any(os.environ.get(name) for name in named)


def _show(number: int, step: Step) -> None:
    mark = "" if step.ok else "  NOT AS PROMISED"
    say(f"{number}. {step.title}{mark}", "bold cyan" if step.ok else "bold red")
    for line in textwrap.wrap(step.why, width() - 3):
        say(f"   {line}", "dim")
    for line in step.lines:
        say(f"   {visible(line)}", "bold" if line.startswith("$ ") else "")
    say()


def _open_the_page(project: Path) -> None:
    """Show the demo's ledger in the browser until somebody has seen enough."""
    from holdfast import config
    from holdfast.wiring.places import place_of
    from holdfast.wiring.web_serving import Listening, serve

    def ready(listening: Listening) -> None:
        say()
        say("The demo's ledger, as a page:")
        say(listening.url, "bold cyan")
        talk("Ctrl-C ends it, and the demo's folder is removed.")
        sys.stdout.flush()
        if _has_windows():
            import webbrowser

            webbrowser.open(listening.url)

    place = place_of(project)
    settings = config.load(place.settings).settings
    serve(place, settings, port=0, ready=ready, say=lambda text: talk(visible(text)))
