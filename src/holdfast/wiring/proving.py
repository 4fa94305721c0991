"""Quotes proved from the vault alone, whatever became of their files, with what proves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.types.evidence import Citation
from holdfast.wiring.grounding import Grounding, Report
from holdfast.wiring.surviving import Survival, survival

if TYPE_CHECKING:
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.ledger.ledger import Ledger
    from holdfast.wiring.project import Project


class Proof(msgspec.Struct, frozen=True):
    """What the vault says of a quote, and the section that it says so by."""

    verdict: Survival
    first: int | None = None
    """The line that the section begins at."""
    section: str | None = None
    artifact: str | None = None


class Proven(msgspec.Struct, frozen=True):
    """A decision with the proof of each of its citations."""

    report: Report
    proofs: list[Proof]

    @property
    def ok(self) -> bool:
        """It rests on quotes, and the vault proves each."""
        return bool(self.proofs) and all(one.verdict == "proved" for one in self.proofs)


def prove_again(project: Project, files: ProjectFiles, key: str) -> Proven:
    """Prove the quotes of a decision from the vault, and tell what became of them since."""
    report = Grounding(project, files).report(key)
    proofs = [
        Proof("nothing kept") if one.citation is None else _proof(project.ledger, one.citation)
        for one in report.citations
    ]
    return Proven(report, proofs)


def _proof(ledger: Ledger, citation: Citation) -> Proof:
    verdict = survival(ledger, citation)
    match citation.section:
        case {"first": int(first), "text": {"$artifact": str(artifact)}}:
            shown = ledger.artifact(artifact) if verdict in ("proved", "disproved") else None
            section = None if shown is None else shown.decode("utf-8", "replace")
            return Proof(verdict, first, section, artifact)
        case _:
            return Proof(verdict)
