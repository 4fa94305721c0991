"""One story with the real Claude Code: it loses its context, and answers from what came back.

    holdfast agents install claude-code     one command in a fresh repository
    claude -p ...                           it works, and its context is compacted on the way
    holdfast lost                           what the summary left out
    claude -p ... --continue                an answer that only the ledger could give

The model is scripted and honest: it knows what stands in the request, and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from holdfast.testing.model_server import Said
from tests.clients.claude import FORCED, TOOLS, Model, ask, brought_back, full, texts
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_claude import use

ASKED = (
    "Write pool.py, a pool of database connections. "
    "Never open more than 512 connections. "
    "We must tag the release amber-heron."
)
ASKED_LATER = "Which tag must the release have?"
SUMMARY = "The user asked to write pool.py, a pool of database connections. It is written."
CODE = "LIMIT = 512\n\n\ndef open_one():\n    ...\n"
COUNT = "wc -l < pool.py; ls release-notes.md"
TAG = "amber-heron"
_TOLD = re.compile(r"tag the release (\S+?)[.\s]")


class Step(msgspec.Struct, frozen=True):
    """Something that was typed, and what came of it."""

    typed: str
    printed: str


class Story(msgspec.Struct, frozen=True):
    """The story as it went."""

    steps: list[Step]
    known: str
    """What holdfast put before the model when the last question was asked."""
    other: list[str]
    """What else stood before it."""
    lost: dict[tuple[str, str], str]


def from_the_request(body: Any) -> Said:
    """Answer with what the request says of the tag."""
    found = _TOLD.search("\n".join(texts(body)))
    return Said(f"The release must be tagged {found[1]}." if found else "I do not know of a tag.")


@contextmanager
def begun(folder: Path) -> Iterator[tuple[Hooked, Model]]:
    """Open a fresh repository with a ledger, and a model that writes a file and runs a command."""
    file = str(folder / "project" / "pool.py")
    model = Model(
        use("Write", "toolu_1", file_path=file, content=CODE),
        full(use("Bash", "toolu_2", command=COUNT, description="Count the lines")),
        Said("pool.py is written."),
        from_the_request,
        summary=SUMMARY,
    )
    with hooked(folder, model) as place:
        yield place, model


def tell(programs: Path, folder: Path) -> Story:
    """Let it happen, and keep what was printed."""
    with begun(folder) as (place, model):
        steps = [
            _holdfast(place, "agents", "install", "claude-code"),
            _claude(place, programs, ASKED, **FORCED),
            _holdfast(place, "lost"),
            _claude(place, programs, ASKED_LATER, "--continue"),
            _holdfast(place, "restore", "--file", "pool.py", "--out", "-"),
            _holdfast(place, "verify"),
        ]
        place.check()
        last = model.told[-1]
        other = [text for text in texts(last) if "From holdfast, this project's ledger" not in text]
        known = _to_its_end(brought_back(last))
        return Story([_scrubbed(place, step) for step in steps], known, other, place.lost())


def without_holdfast(programs: Path, folder: Path) -> str:
    """Ask the same where nothing was installed; return the last answer."""
    with begun(folder) as (place, model):
        ask(place, programs, ASKED, **FORCED)
        assert len(model.condensed) >= 1
        return ask(place, programs, ASKED_LATER, "--continue")


def _holdfast(place: Hooked, *words: str) -> Step:
    return Step(" ".join(("holdfast", *words)), place.holdfast(*words))


def _claude(place: Hooked, programs: Path, words: str, *more: str, **env: str) -> Step:
    given = [f"{name}={value}" for name, value in env.items()]
    return Step(
        " ".join((*given, "claude", "-p", f'"{words}"', *TOOLS, *more)),
        ask(place, programs, words, *more, **env),
    )


def _to_its_end(known: str) -> str:
    """Leave out what others say behind it in the same message."""
    end = "find everything, word for word."
    return known[: known.index(end) + len(end)]


def _scrubbed(place: Hooked, step: Step) -> Step:
    """Say where things are without this machine's folders."""
    sites = sorted({path for path in sys.path if path.endswith("site-packages")})
    package = str(Path(__file__).parents[2] / "src")
    printed = step.printed
    for path, name in (
        (str(place.project), "~/project"),
        (str(place.home), "~"),
        (sys.executable, "~/venv/bin/python"),
        (package, "~/venv/lib"),
        *((site, "~/venv/lib") for site in sites),
    ):
        printed = printed.replace(path, name)
    return Step(step.typed, printed)
