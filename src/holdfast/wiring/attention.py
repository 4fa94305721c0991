"""The attention budget at work: a count of tokens comes in, and what its zone asks for is done.

Yellow writes down what was decided, so that a crash takes nothing. Orange and red run the gate's
checks and log how they came out. Each is done once for each time the zone is entered, whoever asks
and however often; what failed is told and done again at the next count. A count is always taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import ATTENTION_STEP_TOKENS, NOTES_REFS_MAX
from holdfast.kernel.types import Zone
from holdfast.ledger.ledger import Draft
from holdfast.ledger.now import items_now
from holdfast.ledger.sessions import derived_id
from holdfast.stores.attention import key_of
from holdfast.views.attention import MESSAGES, Bounds, bounds_of, window_of

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class Measured(msgspec.Struct, frozen=True):
    """What a count of tokens came to."""

    zone: Zone
    before: Zone | None
    """The zone it was in; null when nothing was known."""
    message: str | None
    """What a person is told in this zone, word for word."""
    done: tuple[str, ...] = ()
    """What was done because of it, or why it could not be."""
    tokens: int = 0
    bounds: Bounds | None = None
    deny: bool = False
    """The user wants an agent's tool calls refused now. Recording goes on."""


class Standing(msgspec.Struct, frozen=True):
    """How full the context of a session is, as it was counted last."""

    tokens: int
    zone: Zone
    peak: int
    model: str | None
    window: int | None
    seq: int
    bounds: Bounds
    synced: int | None
    checked: int | None


def measure(
    project: Project,
    tokens: int,
    *,
    counter: str,
    source: str,
    model: str | None = None,
    window: int | None = None,
) -> Measured:
    """Take a count of the context's tokens, and do what its zone asks for."""
    known = _known(project)
    before: Zone | None = None if known is None else known["zone"]
    bounds = _bounds(project, known, model, window)
    zone = bounds.zone(tokens)
    if known is None or zone != before or _moved(known, tokens):
        told: dict[str, Any] = {"model": model, "window": bounds.window}
        data = {"tokens": tokens, "zone": zone, "counter": counter, "source": source}
        data |= {name: value for name, value in told.items() if value is not None}
        project.ledger.append("attention_measured", data)
    try:
        done = _respond(project, tokens, zone)
    except HoldfastError as problem:
        done = (f"What {zone} asks for could not be looked up: {problem}",)
    deny = zone == "red" and project.settings.attention.deny
    return Measured(zone, before, MESSAGES[zone], done, tokens, bounds, deny)


def standing(project: Project) -> Standing | None:
    """Return how full the context of the session is; None when nobody counted."""
    known = _item(project)
    if known is None:
        return None
    names = ("tokens", "zone", "peak", "model", "window", "seq", "synced", "checked")
    fields: dict[str, Any] = {name: known[name] for name in names}
    return Standing(**fields, bounds=_bounds(project, known, None, None))


def _item(project: Project) -> Any:
    """Return what is known of the session's context, None when nothing was counted."""
    items = items_now(project.ledger.reader, project.views, "attention")
    known: Any = items.get(key_of(project.ledger.session_id))
    return None if known is None or known["seq"] is None else known


def _known(project: Project) -> Any:
    """Return the same; None also where it cannot be worked out, as a count is always taken."""
    try:
        return _item(project)
    except HoldfastError:
        return None


def _bounds(project: Project, known: Any, model: str | None, window: int | None) -> Bounds:
    """Return where the zones begin: by the window that is named, else by the model's."""
    settings = project.settings.attention
    earlier = None if known is None or model is not None else known["window"]
    return bounds_of(settings, window or window_of(model) or settings.window or earlier)


def _moved(known: Any, tokens: int) -> bool:
    recorded: int = known["tokens"]
    return abs(tokens - recorded) >= ATTENTION_STEP_TOKENS


def _respond(project: Project, tokens: int, zone: Zone) -> tuple[str, ...]:
    """Do what is due in a zone and was not done since it was entered."""
    if zone == "green":
        return ()
    item = _item(project)
    done = []
    since = item["entered"] if zone == "yellow" else item["risen"]
    if item["synced"] is None or item["synced"] < since:
        done.append(_guarded("The delta synthesis", lambda: _synthesize(project, tokens, since)))
    if zone != "yellow" and (item["checked"] is None or item["checked"] < item["entered"]):
        done.append(_guarded("The checkpoint", lambda: _check(project, zone, item["entered"])))
    return tuple(done)


def _guarded(what: str, act: Any) -> str:
    """Do something that must not keep a count from being taken; say what came of it."""
    try:
        said: str = act()
    except (HoldfastError, OSError) as problem:
        return f"{what} failed and is tried again at the next count: {problem}"
    return said


def _synthesize(project: Project, tokens: int, since: int) -> str:
    """Write down what was decided, in the notes and at the task, and say so in the ledger."""
    from holdfast.wiring.gate_checks import current_task
    from holdfast.wiring.tasks import mirror

    refs = written_refs(project)
    item = current_task(project)
    task = None if item is None else item["task"]
    decisions = len([key for key in refs if key != "active"])
    data: dict[str, Any] = {"tokens": tokens, "decisions_persisted": decisions}
    data |= {} if task is None else {"task": task}
    data |= {"notes_refs": list(dict.fromkeys(refs.values()))[:NOTES_REFS_MAX]} if refs else {}
    key = derived_id("delta", project.ledger.session_id or "", since)
    project.ledger.append_many([Draft("delta_synced", data, id=key)])
    told = mirror(project, task) if task is not None else []
    things = "decision" if decisions == 1 else "decisions"
    return " ".join([f"Wrote down {decisions} {things}; nothing was cleared.", *told])


def written_refs(project: Project) -> dict[str, str]:
    """Bring the notes up to date; return where each decision stands in them."""
    if not project.settings.notes.write:
        return {}
    from holdfast.wiring.notes import refresh

    return dict(refresh(project).refs)


def _check(project: Project, zone: Zone, entered: int) -> str:
    """Run the gate's checks, and log how they came out."""
    from holdfast.wiring.gate import draft, look

    report = look(project)
    key = derived_id("checked", project.ledger.session_id or "", zone, entered)
    # nothing is cleared here, so whatever is in the way is a failure, whoever lets it pass
    clean = not report.blocks
    project.ledger.append_many([draft(report, zone, passed=clean, id=key)])
    if clean:
        return "Checkpoint passed: a clear may go on."
    count = len(report.blocks)
    things = "thing is" if count == 1 else "things are"
    return f"Checkpoint: {count} {things} in the way; `holdfast clear --check` lists all."
