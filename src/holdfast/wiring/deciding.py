"""Deciding: a decision with its evidence, its task, its scenarios, and what it contradicts.

Evidence is proved against the project's files first; then everything is recorded at once, so that
whoever is killed here leaves all of it or nothing. NOTES.md follows, and can be made again.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX, SCENARIOS_MAX, SUBJECT_SYMBOLS_MAX
from holdfast.kernel.types import ScenarioAdded
from holdfast.kernel.types.evidence import Grounds, grounds_of
from holdfast.ledger.decisions import Asked, Decided, Decisions, Joined
from holdfast.ledger.forks import CodeConflict, Fork, RulingWord
from holdfast.recall.identifiers import PROJECT_ROOT

if TYPE_CHECKING:
    from holdfast.evidence.checking import Checked
    from holdfast.evidence.citations import Cited
    from holdfast.evidence.grounding import Proved
    from holdfast.evidence.own_files import OwnFiles
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.wiring.project import Project

ASSUMPTION: Final = "[ASSUMPTION]"
"""Said in what was decided, it marks an assumption."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision rests on, as somebody puts it."""

    citations: tuple[str, ...] = ()
    assumption: bool = False
    task: str | None = None
    scenarios: tuple[str, ...] = ()
    carried: dict[str, Any] | None = None
    """Without citations: what a decision that this one repeats was proved to rest on."""


class Outcome(msgspec.Struct, frozen=True):
    """A decision that is recorded, and how it stands."""

    decided: Decided
    grounds: Grounds | None
    citations: tuple[Checked, ...] = ()
    told: tuple[str, ...] = ()
    """What did not work beside the ledger: NOTES.md, or the tasks' other home."""

    @property
    def grounded(self) -> bool:
        """It rests on quotes, and each of them stands where it is said to stand."""
        return self.grounds is not None and 0 < self.grounds.cited == self.grounds.exact

    @property
    def failed(self) -> bool:
        """Evidence was given, and it does not prove what it should."""
        return self.grounds is not None and self.grounds.exact < self.grounds.cited

    @property
    def is_open(self) -> bool:
        """Something about it has to be settled before the work can be cleared away."""
        return self.failed or bool(self.decided.forks)


def decide(
    project: Project,
    asked: Asked,
    evidence: Evidence | None = None,
    *,
    files: ProjectFiles | None = None,
    id: str | None = None,
    session_id: str | None = None,
    settles: tuple[tuple[str, RulingWord], ...] = (),
    takes_over: tuple[Fork, ...] = (),
) -> Outcome:
    """Record a decision with everything that belongs to it."""
    evidence = evidence or Evidence()
    files = files or files_of(project)
    task = _task(project, evidence.task, session_id or project.ledger.session_id)
    grounds, citations = _grounds(project, asked, evidence, files, task)
    found = grounds_of({**grounds, "evidence": None}) if grounds is not None else None
    if asked.subject is None and found is not None and found.symbols:
        asked = msgspec.structs.replace(asked, subject=_subject(found))
    joined = Joined(
        grounds,
        scenarios_of(evidence.scenarios, task),
        tuple(contradicted(project, files, citations)),
        settles,
        tuple(fork for fork in takes_over if not fork.is_about(quoted(citations))),
    )
    decisions = Decisions(project.ledger, project.views)
    decided = decisions.decide(asked, id=id, session_id=session_id, joined=joined)
    if decided.receipt.duplicate:
        return Outcome(decided, found, citations)
    told = [*_cut(asked), *_refresh_notes(project), *_mirror(project, task)]
    return Outcome(decided, found, citations, tuple(told))


def quoted(citations: Iterable[Checked]) -> list[str]:
    """Return the files that are quoted as they are, named from the root."""
    return [PROJECT_ROOT + one.cited.path for one in citations if one.state == "exact"]


def question_of(project: Project, task: str | None, session_id: str | None = None) -> str | None:
    """Return the title of the task a decision belongs to, else what the last checkpoint is about.

    The task is the one that is named, else the one that the session works on.
    """
    session_id = session_id or project.ledger.session_id
    if task is not None:
        return project.tasks.find(task).title
    if (current := project.tasks.current(session_id)) is not None:
        return current.title
    last = project.checkpoints.last(session_id)
    title = None if last is None else last.value().get("task")
    return title if isinstance(title, str) and title.strip() else None


def problems_of(outcome: Outcome) -> list[str]:
    """Say what has to be settled about a decision, and what did not work beside the ledger."""
    problems = [
        f"Fork {fork.fork}: {fork.statement!r} contradicts {fork.against!r}. {fork.reason} "
        f"{fork.higher} `holdfast fork resolve {shlex.quote(fork.fork)} --because WHY --ruling "
        'WORD` settles it: "agent wrong", "ledger outdated" or compatible.'
        for fork in outcome.decided.forks
    ]
    if outcome.failed:
        faults = outcome.grounds.faults if outcome.grounds is not None else []
        named = ", ".join(faults) if isinstance(faults, list) else "see the entry"
        problems.append(f"The evidence does not prove it: {named}. `holdfast ground` gives other.")
    return [*problems, *outcome.told]


def files_of(project: Project) -> ProjectFiles:
    """Return the files of the project whose ledger this is."""
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.wiring.places import project_root

    root = project.place.project
    return ProjectFiles(root or project_root(Path.cwd()), Path.cwd())


def own_of(project: Project, files: ProjectFiles) -> OwnFiles:
    """Return which files of the project prove nothing, because holdfast writes them."""
    from holdfast.evidence.own_files import OwnFiles

    place = project.place
    beside = (place.state, place.saves, place.origin, place.trajectory)
    real = (Path(os.path.realpath(folder)) for folder in beside)
    below = (one.relative_to(files.root) for one in real if one.is_relative_to(files.root))
    return OwnFiles(project.settings.notes.path, tuple(map(Path.as_posix, below)))


def scenarios_of(texts: Iterable[str], task: str | None) -> tuple[ScenarioAdded, ...]:
    """Read scenarios as people write them: `type: name: expected`."""
    texts = list(texts)
    if len(texts) > SCENARIOS_MAX:
        raise InvalidInput(
            f"{len(texts)} scenarios were given at once.",
            meaning="Nothing was recorded.",
            remedy=f"Give at most {SCENARIOS_MAX} with one decision.",
        )
    return tuple(_scenario(text, task) for text in texts)


def _scenario(text: str, task: str | None) -> ScenarioAdded:
    parts = [part.strip() for part in text.split(":", 2)]
    if len(parts) < 3 or not all(parts):
        raise InvalidInput(
            f"{text!r} is no scenario.",
            meaning="Nothing was recorded.",
            remedy="Write it as `type: name: expected`, "
            "such as 'edge_case: token at the boundary: the grace period applies'.",
        )
    kind, name, expected = parts
    return ScenarioAdded(task=task, type=kind, name=name, expected=expected)


def _task(project: Project, named: str | None, session_id: str | None) -> str | None:
    """Return the task that is named, else the one that is being worked on."""
    if named is not None:
        return project.tasks.find(named).task
    current = project.tasks.current(session_id)
    return None if current is None else current.task


def _grounds(
    project: Project, asked: Asked, evidence: Evidence, files: ProjectFiles, task: str | None
) -> tuple[dict[str, Any] | None, tuple[Checked, ...]]:
    """Return what the entry says about what it rests on; None when there is nothing to say."""
    assumption = evidence.assumption or ASSUMPTION in asked.choice.upper()
    found = proved(
        project,
        files,
        evidence.citations,
        (asked.choice, asked.reasoning),
        assumption=assumption,
        task=task,
    )
    if found is not None:
        return found.grounds, tuple(found.checked)
    if evidence.carried is not None and not assumption:
        return evidence.carried, ()
    told = {"assumption": assumption, "task": task}
    told = {name: value for name, value in told.items() if value}
    return ({"cited": 0, "exact": 0, **told} if told else None), ()


def proved(
    project: Project,
    files: ProjectFiles,
    evidence: Sequence[str],
    texts: Sequence[str],
    **about: Any,
) -> Proved | None:
    """Hold evidence, and whatever is cited in texts, against the code; None when there is none.

    Evidence without a citation in it proves nothing, and counts as one that fails.
    """
    if not evidence and not any("[" in text for text in texts):
        return None
    from holdfast.evidence.citations import NO_CITATION, parse
    from holdfast.evidence.grounding import prove

    if not evidence and not any(parse(text) for text in texts):
        return None
    own = own_of(project, files)
    found = prove(files, project.ledger.redact, (*evidence, *texts), own=own, **about)
    empty = sum(not parse(text) for text in evidence)
    if not empty:
        return found
    faults = dict.fromkeys((*found.grounds.get("faults", []), NO_CITATION))
    grounds = found.grounds | {"cited": found.grounds["cited"] + empty, "faults": list(faults)}
    return msgspec.structs.replace(found, grounds=grounds, ok=False)


def contradicted(
    project: Project, files: ProjectFiles, citations: Iterable[Checked]
) -> Iterator[CodeConflict]:
    """Yield the quotes at whose place the file says something else."""
    from holdfast.evidence.citations import spell

    for one in citations:
        if one.state == "changed":
            cited = one.cited
            said = _said(project, files, cited)
            last = cited.last if "\n" in said else None
            yield CodeConflict(
                f"{PROJECT_ROOT}{cited.path}:{cited.line}",
                project.ledger.redact(cited.quote),
                spell(said, cited.path, cited.line, last) if said else "an empty line",
            )


def _said(project: Project, files: ProjectFiles, cited: Cited) -> str:
    """Return what stands at the cited lines, as the ledger may keep it."""
    from holdfast.evidence.quotes import Lines

    try:
        lines = Lines(files.read(f"{PROJECT_ROOT}{cited.path}").text)
    except HoldfastError as problem:
        return problem.what
    return project.ledger.redact(lines.part(cited.line, cited.last or cited.line)).strip()


def _subject(grounds: Grounds) -> str:
    symbols = grounds.symbols if isinstance(grounds.symbols, list) else []
    return ", ".join(symbols[:SUBJECT_SYMBOLS_MAX])


def _cut(asked: Asked) -> list[str]:
    """Say what of a decision was not held against others."""
    beyond = len(asked.choice) - FORK_COMPARED_CHARS_MAX
    if asked.subject is None or beyond <= 0:
        return []
    return [f"The last {beyond:,} characters of what was decided were not held against others."]


def _refresh_notes(project: Project) -> list[str]:
    """Bring NOTES.md up to date. What was decided is durable, so a failure is told, not raised."""
    if not project.settings.notes.write:
        return []
    from holdfast.wiring.notes import refresh

    try:
        refresh(project)
    except (HoldfastError, OSError) as problem:
        return [f"NOTES.md could not be brought up to date: {problem} The decision is recorded."]
    return []


def _mirror(project: Project, task: str | None) -> list[str]:
    """Let the task's other home know, where a project has one."""
    if task is None:
        return []
    from holdfast.wiring.tasks import mirror

    return mirror(project, task)
