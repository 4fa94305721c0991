"""The gate before a clear: what stands in its way, all of it at once, each with its remedy.

Looking never writes. A check that fails is itself in the way: it could not look, and what was not
looked at does not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.types import Block, Enforcement
from holdfast.ledger.ledger import Draft
from holdfast.stores.gate import GATE
from holdfast.wiring import gate_checks, gate_files, gate_notes

if TYPE_CHECKING:
    from holdfast.ledger.grounding import Ratio
    from holdfast.wiring.project import Project

STEPS: Final = {
    1: "grounding",
    2: "negative grounding",
    3: "decision log",
    4: "task",
    5: "handoff",
    6: "decay",
    7: "test scenarios",
}
"""The seven steps, by their numbers."""

Looking: TypeAlias = Callable[["Project"], Iterator[Block]]


class Check(NamedTuple):
    """Something that is looked at before a clear."""

    step: int
    what: str
    look: Looking


CHECKS: Final = (
    Check(2, "ghost features", gate_checks.ghosts),
    Check(3, "forks", gate_checks.forks),
    Check(3, "decisions that contradict each other", gate_checks.contradictions),
    Check(3, "the decision log", gate_files.notes),
    Check(4, "the current task", gate_checks.task),
    Check(5, "searches that need a pivot", gate_checks.searches),
    Check(7, "test scenarios", gate_checks.scenarios),
)
"""All checks beside the ratio and those that also tell, in the order of their steps."""


class GateReport(msgspec.Struct, frozen=True):
    """What the gate came to."""

    ok: bool
    """A clear may go on: nothing is in the way, or the settings let it pass."""
    grounding_ratio: float | None
    """Null when it could not be worked out."""
    threshold: float
    enforcement: Enforcement
    decisions: int
    grounded: int
    assumptions: int
    blocks: tuple[Block, ...]
    told: tuple[str, ...] = ()
    """What is not as it should be, and in nobody's way."""


def look(project: Project) -> GateReport:
    """Look at everything that a clear needs. Writes nothing."""
    settings = project.settings.gate
    ratio, blocks = _ratio(project)
    for check in CHECKS:
        blocks += _looked(project, check)
    noted, moved = _noted(project)
    drifted, told = _integrity(project)
    blocks += noted + drifted
    blocks.sort(key=lambda block: block.step)
    return GateReport(
        # files that drifted are in the way by a setting of their own, which no other loosens
        ok=not drifted if settings.enforcement != "strict" else not blocks,
        grounding_ratio=None if ratio is None else ratio.value,
        threshold=settings.threshold,
        enforcement=settings.enforcement,
        decisions=0 if ratio is None else ratio.total,
        grounded=0 if ratio is None else ratio.grounded,
        assumptions=0 if ratio is None else len(ratio.assumptions),
        blocks=tuple(blocks),
        told=tuple(moved + told),
    )


def with_block(report: GateReport, block: Block) -> GateReport:
    """Return the report with one more thing in the way."""
    blocks = tuple(sorted((*report.blocks, block), key=lambda one: one.step))
    ok = report.ok and report.enforcement != "strict"
    return msgspec.structs.replace(report, ok=ok, blocks=blocks)


def draft(
    report: GateReport, trigger: str, *, passed: bool | None = None, id: str | None = None
) -> Draft:
    """Return the entry that says how the gate went: passed if a clear may go on, unless told."""
    data: dict[str, Any] = {
        "passed": report.ok if passed is None else passed,
        "trigger": trigger,
        "enforcement": report.enforcement,
        "threshold": report.threshold,
        "grounding_ratio": report.grounding_ratio,
        "decisions": report.decisions,
        "grounded": report.grounded,
        "assumptions": report.assumptions,
        "blocks": [msgspec.to_builtins(block) for block in report.blocks],
    }
    return Draft("gate_ran", data, actor=GATE, id=id)


def could_not_look(step: int, what: str, problem: Exception) -> Block:
    """Return what is in the way when a check itself fails."""
    said, remedy = f"{type(problem).__name__}: {problem}", ""
    if isinstance(problem, HoldfastError):
        said, remedy = problem.what, problem.remedy
    return Block(
        step=step,
        reason=f"Could not look at {what}: {said}",
        remedy=remedy or "Run `holdfast doctor`; what was not looked at does not pass.",
    )


def _ratio(project: Project) -> tuple[Ratio | None, list[Block]]:
    try:
        ratio = gate_checks.ratio_of(project)
        return ratio, list(gate_checks.grounding(project, ratio))
    except Exception as problem:
        return None, [could_not_look(1, "the grounding of decisions", problem)]


def _noted(project: Project) -> tuple[list[Block], list[str]]:
    try:
        return gate_notes.cited(project)
    except Exception as problem:
        return [could_not_look(1, "the citations in the notes", problem)], []


def _integrity(project: Project) -> tuple[list[Block], list[str]]:
    """Look at the installed files; where that is strict, what cannot be read is in the way."""
    what = "the files installed for agents"
    try:
        return gate_files.integrity(project)
    except Exception as problem:
        block = could_not_look(5, what, problem)
        strict = project.settings.integrity.enforcement == "strict"
        return ([block], []) if strict else ([], [f"{block.reason} {block.remedy}"])


def _looked(project: Project, check: Check) -> list[Block]:
    try:
        return list(check.look(project))
    except Exception as problem:
        return [could_not_look(check.step, check.what, problem)]
