"""What is told to an agent that comes back: gathered from the ledger, in the order it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import (
    BRIEFING_DECISIONS_MAX,
    BRIEFING_LINE_CHARS,
    BRIEFING_SESSIONS_MAX,
)
from holdfast.stores import decisions as decided
from holdfast.stores.evidence import ASSUMPTION
from holdfast.stores.sessions import OVER
from holdfast.views.briefing import Section
from holdfast.views.loss import Item, Kind
from holdfast.views.wording import cut_middle, one_line
from holdfast.wiring.losses import items_before

if TYPE_CHECKING:
    from holdfast.wiring.gate import GateReport
    from holdfast.wiring.project import Project


def sections(
    project: Project, *, of: str | None, mine: str | None, agent: str, report: GateReport | None
) -> list[Section]:
    """Return everything that there is to tell: `of` is the session to go on from, `mine` the one
    that is told, `report` what a clear that nobody let pass left behind."""
    found: list[Section] = []
    found += [] if report is None else _unsealed(report)
    for what, gather in (
        ("handoffs", lambda: _handoffs(project, agent, mine)),
        ("open work", lambda: _open_work(project, of, mine)),
        ("what was said and done", lambda: _items(project, of)),
        ("decisions", lambda: _decisions(project)),
    ):
        found += _guarded(what, gather)
    return sorted(found, key=lambda section: _ORDER.index(section.name))


_ORDER: Final = (
    "problems",
    "blocks",
    "handoffs",
    "pieces of work",
    "constraints",
    "decisions",
    "commands",
    "files",
    "requests",
)


def _guarded(what: str, gather: Callable[[], Iterator[Section]]) -> list[Section]:
    """Gather something; what cannot be looked up is told, and the rest comes all the same."""
    try:
        return list(gather())
    except HoldfastError as problem:
        said = f"{what} could not be looked up: {problem.what}"
        return [Section("Not complete", "problems", (said,))]


def _unsealed(report: GateReport) -> Iterator[Section]:
    lines = tuple(f"{_line(block.reason)} {_line(block.remedy)}" for block in report.blocks)
    title = "The context was cleared without passing the gate; this is still to do"
    yield Section(title, "blocks", lines, share=2)


def _handoffs(project: Project, agent: str, mine: str | None) -> Iterator[Section]:
    from holdfast.ledger.handing import Handing

    waiting = Handing(project.ledger, project.views).waiting(agent, mine)
    lines = tuple(
        f"{_line(one.title)}, from {one.giver}: `holdfast handoff accept {one.id}`"
        for one in waiting
    )
    title, seqs = "Handed to you, waiting for an answer", tuple(one.seq for one in waiting)
    yield Section(title, "handoffs", lines, seqs=seqs)


def _open_work(project: Project, of: str | None, mine: str | None) -> Iterator[Section]:
    """Name the work that is open: of this lineage, and of others who work here."""
    project.views.fold_up(project.ledger.reader)
    items: Any = project.views.items("open_work")
    newest = sorted(items.values(), key=lambda item: -item["seq"])
    own = [item for item in newest if item["session"] in (of, mine)]
    others = [item for item in newest if item["session"] not in (of, mine)]
    lines = [f"#{item['seq']} {_line(item['title'])}" for item in own]
    lines += [f"#{item['seq']} {_line(item['title'])} ({_whose(item)})" for item in others]
    seqs = tuple(item["seq"] for item in (*own, *others))
    yield Section("Open work", "pieces of work", tuple(lines), share=2, seqs=seqs)


def _whose(item: Any) -> str:
    session = item["session"]
    return "outside any session" if session is None else f"of session {session[:16]}, not yours"


def _decisions(project: Project) -> Iterator[Section]:
    project.views.fold_up(project.ledger.reader)
    items: Any = project.views.items("decisions")
    every = decided.newest(items, decided.CURRENT, BRIEFING_DECISIONS_MAX)
    lines = tuple(f"#{item['seq']} {_choice(item['choice'])}" for _, item in every)
    more = decided.count(items, decided.CURRENT) - len(lines)
    seqs = tuple(item["seq"] for _, item in every)
    yield Section("Decisions that hold", "decisions", lines, share=3, more=more, seqs=seqs)


def _choice(choice: Any) -> str:
    text = one_line(choice)
    if text.startswith(ASSUMPTION):
        return f"{_line(text.removeprefix(ASSUMPTION).strip())} [ASSUMPTION]"
    return _line(text)


def _items(project: Project, of: str | None) -> Iterator[Section]:
    """Tell what the user said, what was run and which files were worked on, the newest first."""
    if of is None:
        return
    items, unseen = _gathered(project, of)
    yield _section("The user's own words", "constraints", items, "constraint", 4)
    yield _section("What the user asked for", "requests", items, "request", 2)
    yield _section("Commands, and how they ended", "commands", items, "command", 3)
    yield _section("Files worked on", "files", items, "path", 1)
    if unseen:
        said = f"Session {of[:16]} has older entries that were not looked at."
        yield Section("Not complete", "problems", (said,))


def _gathered(project: Project, of: str) -> tuple[list[Item], bool]:
    """Return what a session had, behind what those had that it went on from: that was told to it
    and to nobody else, and goes when its context goes. What was said again counts once."""
    items, unseen = items_before(project, of)
    known: Any = project.views.items("sessions")
    session: str | None = of
    for _ in range(BRIEFING_SESSIONS_MAX):
        one = known.get(session)
        session = None if one is None else one["parent"]
        if session is None:
            break
        older, more = items_before(project, session)
        told = {(item.kind, item.text) for item in items}
        items = [item for item in older if (item.kind, item.text) not in told] + items
        unseen = unseen or more
    return items, unseen


def _section(title: str, name: str, items: list[Item], kind: Kind, share: int) -> Section:
    told = [item for item in reversed(items) if item.kind == kind]
    lines, seqs = tuple(map(_told, told)), tuple(item.seq for item in told)
    return Section(title, name, lines, share, seqs=seqs)


def _told(item: Item) -> str:
    match item.kind:
        case "command" if item.exit_code is not None:
            return f"exit {item.exit_code}: {_line(item.text)} (#{item.seq})"
        case "path":
            return _line(item.text)
        case _:
            return f"#{item.seq} {_line(item.text)}"


def _line(text: object) -> str:
    return cut_middle(one_line(text), BRIEFING_LINE_CHARS)


def lineage(project: Project, session_id: str | None) -> str | None:
    """Return the session that a new one goes on from."""
    if session_id is None:
        return None
    project.views.fold_up(project.ledger.reader)
    items: Any = project.views.items("sessions")
    known = items.get(session_id)
    if known is not None and known["parent"] is not None:
        parent: str = known["parent"]
        return parent
    over: str | None = items.get(OVER)  # never one that goes on: that is somebody else's
    return None if over == session_id else over
