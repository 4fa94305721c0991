"""What an agent is told when it comes back, and what it is held back from.

    session_start   the capsule, and as much of what was said, decided and done as there is room for
    pre_compact     everything is written down first; with `agents.block_compaction`, what is in the
                    way of a clear is in the way of a compaction
    post_compact    what the summary dropped
    stop            what a clear would lose, in one line; never holds anything back
    tool_begin      refused in red, where the user wants it so
    prompt          `/clear` passes the gate first
    session_end     a clear that passed no gate is recorded as such

An event is recorded before it gets here. What is recorded here has ids that follow from what the
ledger holds of its session, so that an event told twice leaves nothing twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.agents import keys
from holdfast.agents.values import Event, MadeOf, Reply
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import REPLY_CHARS_MAX
from holdfast.views.attention import MESSAGES
from holdfast.views.wording import cut_middle, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.kernel.types import Block
    from holdfast.views.briefing import Section
    from holdfast.wiring.gate import GateReport
    from holdfast.wiring.project import Project

NOTHING: Final = Reply()


def reply(project: Project, event: Event) -> Reply:
    """Return what there is to say to an event that was recorded just now."""
    if event.session is not None:
        project.ledger.session_id = keys.session_id(event.session)
    match event.kind:
        case "session_start":
            return _welcome(project, event)
        case "pre_compact":
            from holdfast.wiring.before_compaction import hold_or_pass

            return hold_or_pass(project, event)
        case "post_compact":
            return _compacted(project)
        case "stop":
            return _stopped(project)
        case "tool_begin":
            return _begun(project, event)
        case "prompt":
            return _prompted(project, event)
        case "session_end":
            return _ended(project, event)
        case "tool_end" | "tool_failed" | "subagent_start" | "subagent_stop" | "other":
            return NOTHING


# Coming back


def _welcome(project: Project, event: Event) -> Reply:
    """Tell where the work stands, within what this agent takes."""
    from holdfast.agents.answering import in_utf8, in_utf16
    from holdfast.agents.registry import agent as agent_named
    from holdfast.views.briefing import FIRST, briefed
    from holdfast.wiring.briefing import lineage, sections
    from holdfast.wiring.levels import level_one

    mine = project.ledger.session_id
    goes_on = event.source in _SAME_SESSION
    of = mine if goes_on else lineage(project, mine)
    report = _left(project, of) if event.source == "clear" else None
    told = sections(project, of=of, mine=mine, agent=event.agent, report=report)
    if not any(section.lines for section in told) and _is_new(project):
        return NOTHING
    capsule = level_one(project)
    first = f"{FIRST}{_BEGUN.get(event.source or '', '')}\n{capsule.text}"
    room = agent_named(event.agent).CONTEXT_CHARS_MAX
    units = in_utf8 if event.agent == "codex" else in_utf16
    made = briefed(first, told, room, units=units)
    about = dict.fromkeys((*_in_capsule(capsule.text, told), *made.about))
    as_of = capsule.as_of_seq if capsule.as_of_seq >= 0 else None
    left_out = dict(made.left_out)
    made_of = MadeOf(about=tuple(about), of_session=of, as_of=as_of, left_out=left_out)
    return Reply(context=made.text, made_of=made_of)


def _in_capsule(text: str, told: list[Section]) -> Iterator[int]:
    """Yield the decisions that the capsule names; it numbers them where a line begins."""
    known = {seq for section in told if section.name == "decisions" for seq in section.seqs}
    for found in _NUMBERED.finditer(text):
        if (seq := int(found[1])) in known:
            yield seq


_NUMBERED: Final = re.compile(r"^#(\d{1,15}) ", re.MULTILINE)


def _is_new(project: Project) -> bool:
    """Tell whether nothing was recorded yet but that agents came and went."""
    from holdfast.storage.port import Selection

    size = project.ledger.head().size
    entries = project.ledger.read(Selection(stop=_FEW_ENTRIES), on_damaged=lambda _fault: None)
    return size <= _FEW_ENTRIES and all(entry.type in _COMINGS for entry in entries)


_FEW_ENTRIES: Final = 20
_COMINGS: Final = frozenset({"session_started", "session_ended", "hook_fired", "context_given"})

_SAME_SESSION: Final = frozenset({"resume", "compact"})
"""Sources of a start after which the session is the one that it was."""

_BEGUN: Final = {
    "compact": " The context was compacted: what follows is what was really said and done.",
    "clear": " The context was cleared.",
}


def _left(project: Project, of: str | None) -> GateReport | None:
    """Return what the gate would have found, when the session before was cleared without it."""
    from holdfast.wiring.gate import look
    from holdfast.wiring.losses import last_wiped

    wiped = None if of is None else last_wiped(project, of)
    if wiped is None or wiped.how != "cleared":
        return None
    report = look(project)
    return report if report.blocks else None


# Around a compaction, and at the end of a turn


def _compacted(project: Project) -> Reply:
    """Say what the summary dropped, and how to see it."""
    from holdfast.views.loss import said_of
    from holdfast.wiring.losses import last_wiped, loss_at

    session_id = project.ledger.session_id
    wiped = last_wiped(project, session_id)
    if wiped is None:  # the agent's hook does not tell the summary, and its transcript was not read
        said = "the summary of this compaction could not be read, so what it dropped is not known"
        return Reply(message=f"holdfast: {said}. `holdfast log` has everything.")
    loss = loss_at(project, wiped)
    gone = loss.gone
    if not gone:
        return Reply(message=f"holdfast: the compaction kept all {len(loss.items):,} items.")
    of = "" if session_id is None else f" {session_id}"
    if loss.wiped.summary is None:
        said = f"the summary is not known; {said_of(gone)} may be gone"
    else:
        said = f"of {len(loss.items):,} items the summary dropped {said_of(gone)}"
    return Reply(message=f"holdfast: {said}. All are in the ledger: `holdfast lost{of}`.")


def _stopped(project: Project) -> Reply:
    from holdfast.wiring.stakes import at_stake, is_news

    try:
        stakes = at_stake(project)
    except HoldfastError:
        return NOTHING  # `doctor` tells of it; a turn that ends is not held up
    if not is_news(project, ", ".join(stakes)) or not stakes:
        return NOTHING
    said = f"holdfast: a clear now would lose sight of {', '.join(stakes)}; "
    return Reply(message=said + "`holdfast clear --check` lists all.")


# What is held back


def _begun(project: Project, event: Event) -> Reply:
    """Refuse a tool in red, where the user wants that; never what leads out of it."""
    if not project.settings.attention.deny or _leads_out(event):
        return NOTHING
    from holdfast.wiring.attention import standing

    now = standing(project)
    if now is None or now.zone != "red":
        return NOTHING
    said = f"{MESSAGES['red']} {now.tokens:,} tokens are in the context, and the user wants no "
    return Reply(block=said + "more tool calls then. Run `holdfast clear`, which is allowed.")


def _leads_out(event: Event) -> bool:
    """Tell whether a call is one of holdfast's own, and nothing beside it."""
    if event.command is not None:
        return bool(_OWN_COMMAND.fullmatch(event.command.strip()))
    return bool(event.tool and _OWN_TOOL.match(event.tool))


_OWN_COMMAND: Final = re.compile(r"holdfast(?: [^;&|<>`$()\n\\]*)?")
_OWN_TOOL: Final = re.compile(r"mcp__(?:plugin_holdfast_)?holdfast__|holdfast_")


def _prompted(project: Project, event: Event) -> Reply:
    """Let `/clear` pass the gate; it is held back either way, as only the agent can clear."""
    words = (event.text or "").split()
    if words[:1] != ["/clear"]:
        return NOTHING
    from holdfast.wiring.clearing import clear

    cleared = clear(project)
    if cleared.handoff is None:
        return Reply(block=refused("Nothing was cleared.", cleared.report.blocks))
    said = f"The gate passed, and entry {cleared.handoff.seq} hands over. Type /new to clear."
    return Reply(block=" ".join((said, *cleared.told)))


def refused(first: str, blocks: tuple[Block, ...]) -> str:
    """Say what is in the way, all of it, each with its remedy."""
    lines = [f"- {one_line(block.reason)} {one_line(block.remedy)}" for block in blocks]
    count = len(blocks)
    said = f"{first} {count} {'thing is' if count == 1 else 'things are'} in the way:"
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(line) > REPLY_CHARS_MAX and kept:
            break
        kept.append(cut_middle(line, REPLY_CHARS_MAX))
    if len(kept) < len(lines):
        kept.append(f"and {len(lines) - len(kept)} more: `holdfast clear --check`.")
    return "\n".join((said, *kept))


def _ended(project: Project, event: Event) -> Reply:
    """Record how the gate would have gone, when a context was cleared without asking it."""
    if event.source != "clear":
        return NOTHING
    from holdfast.wiring.gate import draft, look
    from holdfast.wiring.losses import last_wiped

    wiped = last_wiped(project, project.ledger.session_id)
    if wiped is None or wiped.how != "cleared":
        return NOTHING
    identity = keys.entry_id(f"cleared {wiped.session_id} {wiped.seq}", "gate")
    project.ledger.append_many([draft(look(project), UNGATED, passed=False, id=identity)])
    return NOTHING


UNGATED: Final = "clear without the gate"
"""What the gate looked at afterwards, because nobody had asked it."""
