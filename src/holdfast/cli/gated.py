"""A report of the gate, for a person and for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.cli.output import say, talk, visible
from holdfast.cli.parts import say_parts

if TYPE_CHECKING:
    from holdfast.kernel.types import Block
    from holdfast.wiring.gate import GateReport


def answer(report: GateReport) -> dict[str, Any]:
    """Return what a script is given: these keys, and no others."""
    return {
        "ok": report.ok,
        "grounding_ratio": report.grounding_ratio,
        "threshold": report.threshold,
        "enforcement": report.enforcement,
        "decisions": report.decisions,
        "grounded": report.grounded,
        "assumptions": report.assumptions,
        "blocks": [msgspec.to_builtins(block) for block in report.blocks],
    }


def tell_report(report: GateReport) -> None:
    """Say what is in the way, all of it, each with its remedy; else that nothing is."""
    for block in report.blocks:
        tell_block(block)
    if report.enforcement == "disabled":
        talk("The gate is disabled by the settings: nothing was enforced.", "bold yellow")
    elif report.blocks and report.ok:
        talk("The settings say to warn: a clear may go on all the same.", "bold yellow")
    if report.assumptions:
        counted = _counted(report.assumptions, "assumption")
        say(f"{counted} apart; `holdfast ground --all` lists all.")
    if not report.blocks:
        ratio = "" if report.grounding_ratio is None else f"{report.grounding_ratio:.2f}"
        counted = _counted(report.decisions, "decision")
        say(f"Nothing is in the way. Grounding ratio {ratio}, {counted}.", "green")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def tell_block(block: Block) -> None:
    """Say one thing that is in the way, where it is, and what to do about it."""
    from holdfast.wiring.gate import STEPS

    where = "" if block.ref is None else f"  ({block.ref})"
    for line in visible(str(block.reason), lines=True).split("\n"):
        say_parts((line, "bold red"), hang=2)
    say(visible(f"  step {block.step}, {STEPS[block.step]}{where}"), "dim")
    say(visible(f"  {block.remedy}"))
