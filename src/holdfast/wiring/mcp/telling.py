"""What happened, in a few lines for a model. Words of others stand behind `| `, line by line, so
that none of them can pass for words of holdfast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel.limits import MCP_LINE_CHARS_MAX, MCP_SAID_CHARS_MAX
from holdfast.ledger.ledger import Receipt
from holdfast.recall.identifiers import PROJECT_ROOT
from holdfast.views.visible import visible
from holdfast.views.wording import one_line

if TYPE_CHECKING:
    from holdfast.evidence.checking import Checked
    from holdfast.ledger.handing import Offer
    from holdfast.ledger.task_items import Task, WholeTask
    from holdfast.recall.code_search import CodeFound
    from holdfast.recall.search import Found
    from holdfast.wiring.deciding import Outcome
    from holdfast.wiring.gate import GateReport
    from holdfast.wiring.ghosts import Checked as Looked
    from holdfast.wiring.ghosts import Ghosts
    from holdfast.wiring.grounding import Regrounded, Report
    from holdfast.wiring.handoffs import Handoff
    from holdfast.wiring.proving import Proof

NAMED_MAX: Final = 3
"""Things of a kind that an answer names; the others are counted."""


def quoted(text: str) -> str:
    """Return words of others, each line marked as theirs."""
    shown = visible(text.replace("\r\n", "\n"), lines=True)
    return "\n".join(f"| {line}" for line in shown.removesuffix("\n").split("\n"))


def line_of(text: object, chars_max: int = MCP_LINE_CHARS_MAX) -> str:
    """Return a text on one line, cut where it is long, with how much is gone."""
    line = visible(one_line(text))
    gone = len(line) - chars_max
    return line if gone <= 0 else f"{line[:chars_max]}… (+{gone} characters)"


def said(text: object) -> str:
    """Return a sentence of ours on one line: it may quote words of others."""
    return line_of(text, MCP_SAID_CHARS_MAX)


def lines(parts: Iterable[str]) -> str:
    """Join what is not empty."""
    return "\n".join(part for part in parts if part)


def recorded(receipt: Receipt) -> str:
    """Say what became of an entry."""
    if receipt.differs:
        return (
            f"NOT recorded: entry {receipt.seq} has the id {receipt.id} already, with other data. "
            "It stands as it is; record this under another id."
        )
    if receipt.duplicate:
        return f"Entry {receipt.seq} has this id and the same data already; nothing was added."
    secrets = f", {receipt.redactions} secrets replaced" if receipt.redactions else ""
    return f"Recorded entry {receipt.seq} ({receipt.id}){secrets}."


def decided(outcome: Outcome) -> Iterator[str]:
    """Say how a decision stands: what was decided before, what contradicts or does not prove it."""
    made = outcome.decided
    yield recorded(made.receipt)
    for prior in made.prior.found[:NAMED_MAX]:
        yield f"Decided before: {line_of(prior.statement.choice)} (entry {prior.seq}, {prior.by})"
    if (more := len(made.prior.found) - NAMED_MAX) > 0:
        yield f"{more} older decisions on the same subject are not shown."
    if made.prior.unlooked:
        yield f"Up to {made.prior.unlooked:,} older decisions were not looked at."
    for fork in made.forks:
        yield f"OPEN, fork {fork.fork}: it contradicts {line_of(fork.against)}. {said(fork.reason)}"
        yield (
            f"  {said(fork.higher)} Supersede one side with `decide`, or let the user rule: "
            f"`holdfast fork resolve {fork.fork}`."
        )
    for settled in made.settled:
        yield f"Fork {settled} is settled: this supersedes one of its sides."
    yield from faulty(outcome.citations)
    if outcome.failed:
        yield f"NOT GROUNDED. `ground` with decision {made.receipt.seq} gives other evidence."
    elif outcome.grounded:
        yield "Grounded: each quote stands word for word."
    for key in made.cites_superseded:
        yield f"Decision {key}, which it cites, no longer holds."
    yield from map(said, outcome.told)


def faulty(citations: Sequence[Checked]) -> Iterator[str]:
    """Name each quote that does not stand where it should, with its remedy."""
    for one in citations:
        if one.state != "exact":
            how = f" ({said(one.how or one.fault)})" if one.how or one.fault else ""
            place = f"{PROJECT_ROOT}{line_of(one.cited.path)}:{one.cited.line}"
            yield f"  {place} is {one.state}{how}. {said(one.remedy)}"


def found(answer: Found) -> Iterator[str]:
    """Show the hits of a search of the ledger."""
    for hit in answer.hits:
        old = f", SUPERSEDED by {hit.superseded_by}" if hit.superseded else ""
        when, where = hit.timestamp[:16].replace("T", " "), line_of(hit.session_id or "no session")
        yield f"#{hit.seq} {hit.type}, {when}, {where}{old}"
        yield quoted(hit.snippet)
    if not answer.hits:
        yield f"Nothing was found in {answer.searched:,} entries."


def unsearched(answer: Found) -> Iterator[str]:
    """Say what is not shown, or could not be looked at."""
    if further := answer.more - answer.alike:
        least = "" if answer.exact else "At least "
        limit = len(answer.hits) + answer.more
        yield f"{least}{further:,} more match less well; limit={limit} shows more."
    if answer.alike:
        yield f"{answer.alike:,} more say the same as one shown, in its session."
    if answer.cut:
        yield f"Of {answer.cut:,} very long entries only the beginning is searched."
    if lost := sum(last - first + 1 for first, last in answer.not_searched):
        yield f"{lost:,} entries COULD NOT be looked at; `holdfast verify` says why."
    if answer.hits:
        yield "`show` with an entry's number opens it."


def code_found(answer: CodeFound) -> Iterator[str]:
    """Show the hits of a search of the code."""
    for hit in answer.hits:
        called = f"  {line_of(hit.name)} ({hit.kind})" if hit.name else ""
        yield f"{PROJECT_ROOT}{line_of(hit.path)}:{hit.first_line}-{hit.last_line}{called}"
        yield quoted(hit.snippet)
    if not answer.hits:
        yield f"Nothing was found in {answer.files:,} files."


def code_unsearched(answer: CodeFound) -> Iterator[str]:
    """Say how it was searched, and what was not."""
    why = f" {said(answer.why)}" if answer.why else ""
    yield f"Searched {answer.files:,} files by {answer.level}.{why}"
    if answer.more:
        yield f"{answer.more:,} more sections match; limit={len(answer.hits) + 10} shows more."
    if answer.unread:
        named = ", ".join(line_of(path) for path, _ in answer.unread[:NAMED_MAX])
        yield f"{len(answer.unread):,} files could NOT be searched, such as {named}."
    if answer.hits:
        yield "`show` with an identifier opens the code."


def grounds(report: Report, proofs: Sequence[Proof] = ()) -> Iterator[str]:
    """Say what a decision rests on, as it is today."""
    yield f"#{report.seq} {line_of(report.choice)}"
    if report.assumption:
        yield "ASSUMPTION: nothing proves it, and it says so."
    elif report.grounded:
        yield "Grounded: each quote stood word for word when somebody looked."
    else:
        yield f"NOT GROUNDED: {', '.join(report.faults)}."
    for number, one in enumerate(report.citations):
        cited, was = one.now.cited, one.citation
        before = "" if was is None or was.state == one.now.state else f" (was {was.state})"
        yield f"{one.now.state}{before} {PROJECT_ROOT}{line_of(cited.path)}:{cited.line}"
        yield quoted(cited.quote)
        if one.now.remedy:
            yield f"  {said(one.now.how or '')} {said(one.now.remedy)}"
        if proofs:
            yield from _proof(proofs[number])
    if report.passed or report.failed:
        yield f"Checks: {report.passed} passed, {report.failed} failed."


def _proof(proof: Proof) -> Iterator[str]:
    yield f"  vault: {proof.verdict}, from line {proof.first or '-'}"
    if proof.section:
        yield quoted(proof.section)


def regrounded(done: Regrounded) -> Iterator[str]:
    """Say what came of grounding a decision anew."""
    if done.receipt is not None:
        yield recorded(done.receipt)
    yield from faulty(done.proved.checked)
    for fork in done.settled:
        yield f"Fork {fork.fork} is settled: it quotes the code as it is."
    for fork in done.open:
        yield f"Fork {fork.fork} stays open: {said(fork.reason)}"
    if done.faults:
        kept = "" if done.receipt else " Nothing was recorded; it rests on what it did."
        yield f"NOT GROUNDED: {', '.join(done.faults)}.{kept}"
    elif done.grounded:
        yield "Grounded."


def looked(checked: Looked) -> Iterator[str]:
    """Say what an attempt to show that something is missing came to."""
    yield f"{checked.verdict.status}: {line_of(checked.ghost)} (entry {checked.receipt.seq})"
    for one in checked.queries:
        best = "-" if one.best is None else f"{one.best:.2f}"
        nearest = line_of(one.nearest or "-")
        yield f"  {line_of(one.query)}: {one.level}, {one.files:,} files, best {best}: {nearest}"
    yield said(f"{checked.verdict.reason} {checked.verdict.remedy}")


def ghosts(listed: Ghosts) -> Iterator[str]:
    """List features that are said to be missing."""
    kinds = {"UNVERIFIED": listed.unverified, "vouched for": listed.manual, "": listed.settled}
    for mark, some in kinds.items():
        for one in some:
            yield f"{mark or one.status}: {line_of(one.ghost)} (entry {one.seq})"
    if not any(kinds.values()):
        yield "No feature was flagged as missing."


def task(one: Task) -> str:
    """Say on one line what a task is and where it stands."""
    urgent = "" if one.priority is None else f" P{one.priority}"
    notes = (
        f"{one.completed or 0}/{one.total}" if one.total else "",
        f"waits for {', '.join(one.waits_for)}" if one.waits_for else "",
        f"blocked by {line_of(one.blockers[0])}" if one.blockers else "",
    )
    told = "; ".join(note for note in notes if note)
    return f"{one.task}{urgent} {one.status}: {line_of(one.title)}{f' ({told})' if told else ''}"


def whole_task(one: WholeTask) -> Iterator[str]:
    """Show a task with everything that belongs to it."""
    yield f"{one.task} {one.status}: {line_of(one.title)}"
    if one.description:
        yield quoted(one.description)
    facts: dict[str, Sequence[Any]] = {
        "next": one.next_steps,
        "blocker": one.blockers,
        "depends on": one.depends_on,
        "test": [f"{it.type}: {it.name}: {it.expected}" for it in one.test_scenarios],
        "decision": [f"#{it.seq} {it.decision}" for it in one.decisions],
        "handoff": [f"#{it.seq} {it.ended} {it.session_id or ''}" for it in one.handoffs],
    }
    for label, texts in facts.items():
        yield from (f"{label}: {line_of(text)}" for text in texts)
    if one.note:
        yield f"note: {line_of(one.note)}"


def gate(report: GateReport) -> Iterator[str]:
    """Say what is in the way of a clear, all of it."""
    ratio = "unknown" if report.grounding_ratio is None else f"{report.grounding_ratio:.2f}"
    state = "PASSES" if report.ok else "BLOCKED"
    yield (
        f"{state}: {len(report.blocks)} in the way, grounding {ratio} of {report.threshold:.2f} "
        f"({report.decisions} decisions, {report.assumptions} assumptions apart, "
        f"{report.enforcement})."
    )
    for block in report.blocks:
        where = f" ({line_of(block.ref)})" if block.ref else ""
        yield f"step {block.step}: {said(block.reason)}{where}"
        yield f"  {said(block.remedy)}"
    yield from map(said, report.told)


def handed_over(handoff: Handoff) -> Iterator[str]:
    """Say what the last clear handed over."""
    data = handoff.data
    yield f"Handed over in entry {handoff.seq}, {handoff.timestamp}, {handoff.session_id or '-'}"
    for name in ("task", "next_steps", "notes_refs", "save"):
        if value := data.get(name):
            for part in value if isinstance(value, list) else [value]:
                yield f"{name}: {line_of(part)}"
    yield f"grounding {data['grounding_ratio']:.2f}"


def offer(one: Offer) -> Iterator[str]:
    """Say what was offered to whom."""
    waits = "waits" if one.answer is None else f"{one.answer} by {line_of(one.by)}"
    yield f"#{one.seq} from {line_of(one.giver)} to {line_of(one.to)}, {waits} (id {one.id})"
    yield quoted(one.title)
    if one.task:
        yield f"task: {line_of(one.task)}"
    yield from (f"next: {line_of(step)}" for step in one.next_steps)
    yield from (f"ref: {line_of(ref)}" for ref in one.refs)
    if one.note:
        yield quoted(one.note)
