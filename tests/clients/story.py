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
from typing import Any, Literal, TypeAlias

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
        place.check_given("compact", "resume", asked=model.told)
        last = model.told[-1]
        other = [text for text in texts(last) if "From holdfast, this project's ledger" not in text]
        known = _to_its_end(brought_back(last))
        return Story([_scrubbed(place, step) for step in steps], known, other, place.lost())


class Later(msgspec.Struct, frozen=True):
    """What was answered when the context was gone, and what stood before the model."""

    answer: str
    known: str
    other: list[str]


Way: TypeAlias = Literal["compacted", "cleared", "cleared, then compacted", "resumed", "new"]
"""How the context went before the last question: summed up; cleared by `/new`, and what came after
summed up as well; summed up, and the session taken up by its name; or another one was begun."""


def later(programs: Path, folder: Path, way: Way, *, installed: bool = True) -> Later:
    """Lose the context in one way or another, and ask the last question."""
    with begun(folder) as (place, model):
        if installed:
            place.holdfast("agents", "install", "claude-code")
        env = FORCED if way in ("compacted", "resumed") else {}
        ask(place, programs, ASKED, **env)
        assert bool(model.condensed) == bool(env)
        [session] = [path.stem for path in place.home.glob(".claude/projects/*/*.jsonl")]
        if way.startswith("cleared"):
            ask(place, programs, "/new", "--continue")
        if way.endswith("then compacted"):
            again = {"command": "wc -c < pool.py", "description": "Count again"}
            # Of a single call it makes no summary.
            first, second = use("Bash", "toolu_3", **again), use("Bash", "toolu_4", **again)
            model.steps[:0] = [first, full(second), Said("Counted.")]
            ask(place, programs, "Count again.", "--continue", **FORCED)
            assert len(model.condensed) >= 1
        how = {"new": (), "resumed": ("--resume", session)}.get(way, ("--continue",))
        answer = ask(place, programs, ASKED_LATER, *how)
        last = model.told[-1]
        other = [text for text in texts(last) if "From holdfast, this project's ledger" not in text]
        return Later(answer.strip(), brought_back(last), other)


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
