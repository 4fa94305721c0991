"""What Loa's decisions rest on, held against the project's files as they are now.

Grounded is what is proved here: every quote stands word for word where it is said to stand. What
is not proved here is an assumption, however sure Loa was; what it cited is kept in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from holdfast.evidence.citations import parse, spell
from holdfast.evidence.grounding import prove
from holdfast.recall.identifiers import PROJECT_ROOT
from holdfast.wiring.deciding import files_of, own_of

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

_UNPROVED: Final = {"cited": 0, "exact": 0, "assumption": True}


class LoaEvidence:
    """Looks quotes up in one project."""

    def __init__(self, project: Project) -> None:
        self._files = files_of(project)
        self._own = own_of(project, self._files)
        self._redact = project.ledger.redact
        self._root = f"{self._files.root}/"

    def ground(self, evidence: list[str]) -> dict[str, Any]:
        """Return what a decision rests on, for its entry."""
        texts = [text.replace(f"[{self._root}", f"[{PROJECT_ROOT}") for text in evidence]
        if not any(parse(text) for text in texts):
            return dict(_UNPROVED)
        found = prove(self._files, self._redact, texts, own=self._own)
        return found.grounds if found.ok else dict(_UNPROVED)

    def cite(self, evidence: Any) -> list[str]:
        """Spell out the evidence of a log: a text, or a list of quotes with path and line."""
        if isinstance(evidence, str):
            return [evidence]
        found = evidence if isinstance(evidence, list) else []
        return [text for one in found if (text := self._cited(one)) is not None]

    def _cited(self, one: Any) -> str | None:
        if isinstance(one, str):
            return one
        if not isinstance(one, dict):
            return None
        quote, path, line = one.get("quote") or one.get("code"), one.get("path"), one.get("line")
        if not (isinstance(quote, str) and isinstance(path, str) and isinstance(line, int)):
            return None
        below = path.removeprefix(PROJECT_ROOT).removeprefix(self._root)
        return spell(quote, below, line) if quote.strip() and line > 0 else None
