"""The quick resume of 50 recorded sessions of 16 very different shapes (`bench/shapes.py`).

Each session is recorded in one ledger, then its checkpoint is made: where somebody says something
with what is said, else by itself as at a session's end. Counted over the sessions that have such a
thing: the resume names the next action; the last command that failed, with its exit code; one of
the changed paths. What is short (60 characters) must be there in full, of what is longer both ends,
of a path its name. Where nothing tells what comes next, the resume must name what was done last.
Also counted: resumes that are like no other one, also when numbers are left out of both, and those
of at most 100 tokens as the built-in counter counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import holdfast
from bench.harness import Figure, Options, Result, Row, Spread, end_round, say, scratch_folder
from bench.ledgers import NEVER
from bench.shapes import Shape, draft, shapes
from holdfast.config import Settings
from holdfast.kernel.entry import read
from holdfast.kernel.limits import QUICK_RESUME_TOKENS_MAX
from holdfast.kernel.tokens import estimate
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project

NAME = "quick-resume"
TITLE = "The quick resume of 50 sessions"
SESSIONS: Final = 50
SHORT_CHARS: Final = 60
HEAD_CHARS: Final = 16
TAIL_CHARS: Final = 6


def run(options: Options) -> Result:
    """Measure. A quick run is the same: it takes seconds."""
    del options
    told = shapes(SESSIONS)
    with scratch_folder() as folder:
        made = _resumes(folder, told)
    end_round()
    say("\n")
    tokens = [float(estimate(text)) for text in made]
    spelled = [re.sub(r"\d+", "#", text) for text in made]
    pairs = list(zip(told, made, strict=True))
    figures = [
        _counted("next action named", pairs, lambda shape: shape.next_action, _names_next),
        _counted("last failing command named", pairs, lambda shape: shape.failing, _names_failing),
        _counted("a changed path named", pairs, lambda shape: shape.changed, _names_changed),
        _counted("else, what was done last", pairs, lambda shape: shape.other, _names_other),
        _figure("like no other", len(set(made)), len(made)),
        _figure(
            f"of at most {QUICK_RESUME_TOKENS_MAX} tokens",
            sum(count <= QUICK_RESUME_TOKENS_MAX for count in tokens),
            len(made),
        ),
        Figure("like no other, numbers left out", _same(len(set(spelled))), unit=f"of {len(made)}"),
        Figure(
            "with a next action, said or worked out",
            _same(sum("next: " in text for text in made)),
            unit=f"of {len(made)}",
        ),
    ]
    least, most = min(tokens), max(tokens)
    middle = sorted(tokens)[len(tokens) // 2]
    rows = [Row("a quick resume", "length", "tokens", Spread(middle, least, most))]
    return Result(NAME, TITLE, __doc__ or "", 1, figures=figures, rows=rows)


def _resumes(root: Path, told: Iterable[Shape]) -> list[str]:
    """Record every session and make its checkpoint."""
    made = []
    ledger = holdfast.open(root, seal=NEVER)
    with closing(Project(place_of(root), Settings(), ledger)) as project:
        for number, shape in enumerate(told):
            session_id = f"shape-{number}"
            ledger.append("session_started", {"parent": None}, session_id=session_id)
            for index in range(len(shape.drafts)):
                ledger.append_many([draft(shape, index, session_id)])
            made.append(_resume(project, shape, session_id))
            for key in list(project.views.items("work")):
                ledger.append("work_closed", {"work": key, "outcome": "done"}, session_id="tidy")
    return made


def _resume(project: Project, shape: Shape, session_id: str) -> str:
    checkpoints = project.checkpoints
    if shape.given is None:
        receipt = checkpoints.at_end(session_id)
    else:
        receipt = checkpoints.create(session_id, **shape.given)
    assert receipt is not None
    entry = read(project.ledger.get(receipt.seq).body)
    return checkpoints.quick_resume(entry)


def _counted(
    what: str,
    pairs: list[tuple[Shape, str]],
    has: Callable[[Shape], object],
    names: Callable[[Shape, str], bool],
) -> Figure:
    """Count the resumes that name something, of the sessions that have it."""
    those = [(shape, text) for shape, text in pairs if has(shape)]
    named = [names(shape, text) for shape, text in those]
    for (shape, text), is_named in zip(those, named, strict=True):
        if not is_named:
            say(f"\n  {what}: not in the resume of a session of {shape.name}: {text}")
    return _figure(what, sum(named), len(named))


def _figure(what: str, count: int, of: int) -> Figure:
    return Figure(what, _same(count), unit=f"of {of}", at_least=of)


def _same(value: float) -> Spread:
    return Spread(value, value, value)


def _names_next(shape: Shape, text: str) -> bool:
    return "next: " in text and _stands_in(shape.next_action, text)


def _names_failing(shape: Shape, text: str) -> bool:
    assert shape.failing is not None
    command, code = shape.failing
    return _stands_in(command, text) and f"(exit {code}" in text


def _names_changed(shape: Shape, text: str) -> bool:
    return any(
        path in text if len(path) <= SHORT_CHARS else Path(path).name in text
        for path in shape.changed
    )


def _names_other(shape: Shape, text: str) -> bool:
    return _stands_in(shape.other, text)


def _stands_in(wanted: str, text: str) -> bool:
    if len(wanted) <= SHORT_CHARS:
        return wanted in text
    return wanted[:HEAD_CHARS] in text and wanted[-TAIL_CHARS:] in text
