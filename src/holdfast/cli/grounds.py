"""How grounds are shown: each citation with its state, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from holdfast.cli.output import say, visible
from holdfast.cli.parts import say_parts
from holdfast.cli.summary import shorten
from holdfast.recall.identifiers import PROJECT_ROOT

_COLOURS: Final = {"exact": "green", "moved": "yellow"}
"""What stands, and what stands elsewhere; all else does not."""

NAMED_MAX: Final = 5
"""Failed checks that are named; the others are counted."""

if TYPE_CHECKING:
    from holdfast.evidence.checking import Checked
    from holdfast.wiring.grounding import Report, Stands
    from holdfast.wiring.proving import Proof, Proven


def document(report: Report) -> dict[str, Any]:
    """Return a report for scripts."""
    return {
        "decision": report.decision,
        "seq": report.seq,
        "choice": report.choice,
        "grounded": report.grounded,
        "assumption": report.assumption,
        "faults": report.faults,
        "checks": {
            "passed": report.passed,
            "failed": report.failed,
            "failed_entries": report.failed_entries,
        },
        "citations": [citation_document(one.now, one) for one in report.citations],
    }


def citation_document(checked: Checked, stands: Stands | None = None) -> dict[str, Any]:
    """Return one citation for scripts."""
    cited = checked.cited
    recorded = None if stands is None else stands.citation
    symbol = checked.symbol or (None if recorded is None else recorded.symbol)
    return {
        "path": cited.path,
        "line": cited.line,
        "last": cited.last,
        "quote": cited.quote,
        "state": checked.state,
        "recorded": None if recorded is None else recorded.state,
        "fault": checked.fault,
        "found": checked.found,
        "symbol": symbol,
        "how": checked.how,
        "remedy": checked.remedy or None,
    }


def proven_document(proven: Proven) -> dict[str, Any]:
    """Return a report with its proofs, for scripts."""
    said = document(proven.report)
    for citation, proof in zip(said["citations"], proven.proofs, strict=True):
        citation["proof"] = {
            "verdict": proof.verdict,
            "artifact": proof.artifact,
            "first": proof.first,
            "section": proof.section,
        }
    return said | {"proved": proven.ok}


def tell(report: Report, proofs: list[Proof] | None = None) -> None:
    """Show a report to a person."""
    say(visible(f"{report.seq}  {report.decision}  {shorten(report.choice)}"))
    say(*_standing(report))
    for number, one in enumerate(report.citations):
        tell_citation(one.now, _since(one))
        if proofs is not None:
            _tell_proof(proofs[number])
    if report.passed or report.failed:
        say(f"  checks: {report.passed} passed, {report.failed} failed")
    if report.failed_entries:
        named = ", ".join(map(str, report.failed_entries[:NAMED_MAX]))
        more = report.failed - len(report.failed_entries[:NAMED_MAX])
        also = f" and {more} more" if more else ""
        say(f"             Failed in entry {named}{also}; run the same again once it is mended.")


def tell_citation(checked: Checked, also: str = "") -> None:
    """Show one citation, and what to do about it."""
    cited = checked.cited
    end = "" if cited.last is None else f"-{cited.last}"
    at = f":{cited.line}{end}" if cited.line else ""
    root = "" if checked.state == "refused" else PROJECT_ROOT
    fault = f" ({checked.fault})" if checked.fault else ""
    style = _COLOURS.get(checked.state, "bold red")
    say_parts(
        (visible(f"  {checked.state:<10} "), style),
        (visible(f"{root}{cited.path}{at}{fault}{also}"), ""),
    )
    if cited.quote:
        say(visible(f"             {shorten(cited.quote)}"))
    for part in (checked.how, checked.remedy):
        if part:
            say(visible(f"             {part}"))


def _standing(report: Report) -> tuple[str, str]:
    if report.assumption:
        return "ASSUMPTION: nothing proves it, and it says so.", "bold yellow"
    if report.grounded:
        return "Grounded: each quote stood word for word when somebody looked.", "green"
    return visible(f"NOT GROUNDED: {', '.join(report.faults)}."), "bold red"


def _since(one: Stands) -> str:
    if one.citation is None:
        return "  (in its words only; not recorded as evidence)"
    return "" if one.citation.state == one.now.state else f"  (was {one.citation.state})"


def _tell_proof(proof: Proof) -> None:
    said = {
        "proved": "The vault proves it: it stands in what was kept of the file.",
        "disproved": "What was kept of the file does NOT hold it.",
        "withheld": "The section held a secret and was not kept; only its hash was.",
        "erased": "The section was erased on request.",
        "lost": "The section is NOT in the vault as it was sealed. Run `holdfast verify`.",
        "nothing kept": "Nothing of the file was kept: the quote was not exact when recorded.",
    }[proof.verdict]
    say(f"             {said}", "" if proof.verdict == "proved" else "bold yellow")
    for number, line in enumerate(proof.section.split("\n") if proof.section else ()):
        say(visible(f"             {(proof.first or 1) + number:>6} | {line}"))
