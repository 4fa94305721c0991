"""Whether a citation can be verified from the ledger alone, whatever became of its file.

Only what stands in the vault counts, by its hash: words in an entry that say "exact" prove nothing.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.evidence.grounding import proved_by
from holdfast.kernel.types.evidence import Citation
from holdfast.ledger.erased import ErasedArtifacts

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger

Survival: TypeAlias = Literal["proved", "disproved", "withheld", "erased", "lost", "nothing kept"]
"""The quote stands in what was kept; it does not; a secret kept it out of the vault; somebody asked
to erase it; its bytes are gone or altered; or nothing was ever kept."""

EXCUSED = frozenset({"proved", "withheld", "erased"})
"""What is no reason to doubt the citation."""


def survival(ledger: Ledger, citation: Citation, erased: ErasedArtifacts | None = None) -> Survival:
    """Verify a citation from what the vault keeps of its file.

    Whoever verifies many gives what answers for all of them which artifacts were erased.
    """
    section: Any = citation.section
    match section:
        case {"text": {"withheld": str()}}:
            return "withheld"
        case {"first": int(first), "text": {"$artifact": str(artifact)}}:
            erased = erased or ErasedArtifacts(ledger.reader)
            return _held_against(ledger, citation, first, artifact, erased)
        case _:
            return "nothing kept"


def _held_against(
    ledger: Ledger, citation: Citation, first: int, artifact: str, erased: ErasedArtifacts
) -> Survival:
    content = ledger.artifact(artifact)
    if content is None:
        return "erased" if erased(artifact) else "lost"
    if sha256(content).hexdigest() != artifact:
        return "lost"
    text = content.decode("utf-8", "replace")
    return "proved" if proved_by(citation, text, first, ledger.redact) else "disproved"
