"""The targets of clearing instead of compacting, measured on the ledger that is there.

    citation_survival        quotes that the vault still proves, of those that were exact
    reduction_per_reference  share of tokens that an identifier saves, on average
    reduction_per_session    share that all identifiers of cleared sessions save together
    handoffs_in_trajectory   handoffs that the trajectory tells of, by what is in its files
    context_at_clear         tokens of the context at a clear, on average

What there is nothing of has no value, and neither passes nor fails. What could not be looked at
does not pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.types.evidence import Citation, grounds_of
from holdfast.ledger.metrics import BELOW, Measure, share, unmeasured
from holdfast.storage.port import Selection
from holdfast.views.decay import Decay, mean_reduction, reduction
from holdfast.wiring.handoffs import decay_since, handoff_of
from holdfast.wiring.surviving import survival

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

SURVIVAL: Final = "citation_survival"
REFERENCE: Final = "reduction_per_reference"
SESSION: Final = "reduction_per_session"
TRAJECTORY: Final = "handoffs_in_trajectory"
CONTEXT: Final = "context_at_clear"

TARGETS: Final = {
    SURVIVAL: 1.0,
    REFERENCE: 0.97,
    SESSION: 0.996,
    TRAJECTORY: 1.0,
    CONTEXT: 8_000.0,
}
"""What each should reach; the context should stay below."""


def targets(project: Project) -> list[Measure]:
    """Measure all five."""
    decays = _Decays(project)
    return [
        _guarded(SURVIVAL, lambda: _survival(project)),
        _guarded(REFERENCE, decays.per_reference),
        _guarded(SESSION, decays.per_session),
        _guarded(TRAJECTORY, lambda: _told(project)),
        _guarded(CONTEXT, lambda: _context(project)),
    ]


def could_not_look(name: str, problem: Exception) -> Measure:
    """Return a measure that has no value, and did not pass."""
    return Measure(name, None, TARGETS[name], False, f"could not look: {problem}")


def _guarded(name: str, act: Callable[[], Measure]) -> Measure:
    try:
        return act()
    except (HoldfastError, OSError) as problem:
        return could_not_look(name, problem)


def _nothing(name: str, why: str) -> Measure:
    return unmeasured(name, TARGETS[name], why)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _reached(name: str, value: float, detail: str, **components: int) -> Measure:
    passed = value < TARGETS[name] if name in BELOW else value >= TARGETS[name]
    return Measure(name, round(value, 6), TARGETS[name], passed, detail, components)


def _survival(project: Project) -> Measure:
    """Prove every quote that was exact when it was recorded from the vault alone."""
    found = Counter(survival(project.ledger, one) for one in _exact(project))
    proved, excused = found["proved"], found["withheld"] + found["erased"]
    total = found.total() - excused
    if not total:
        why = "nothing was cited yet" if not excused else "every section was withheld or erased"
        return _nothing(SURVIVAL, why)
    detail = f"{proved:,} of {total:,} quotes are proved by the vault"
    if excused:
        detail += f"; {excused:,} more were withheld as secrets or erased on request"
    components = {str(verdict): count for verdict, count in found.items()}
    return share(SURVIVAL, (proved, total), TARGETS[SURVIVAL], detail, components)


def _exact(project: Project) -> Iterator[Citation]:
    for entry in chain(_of(project, "decision"), _of(project, "decision_grounded")):
        data = entry.value()
        held = data.get("grounds")
        grounds = grounds_of(held) if isinstance(held, dict) else None
        cited = [] if grounds is None else grounds.evidence
        if isinstance(cited, list):
            yield from (one for one in cited if one.state == "exact")


_NO_DECAY: Final = "no raw output decayed with a clear yet"


class _Decays:
    """What decayed with each handoff, worked out once for two measures."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._found: list[Decay] | None = None

    def per_reference(self) -> Measure:
        """Average what each identifier saves."""
        items = [one for decay in self._all() for one in decay.items]
        value = mean_reduction(items)
        if value is None:
            return _nothing(REFERENCE, _NO_DECAY)
        full = sum(one.tokens_full for one in items)
        lines = reduction(full, sum(one.tokens_line for one in items))
        detail = f"saved by {_counted(len(items), 'identifier')}; {lines:.4f} with one line each"
        return _reached(REFERENCE, value, detail, references=len(items))

    def per_session(self) -> Measure:
        """Compare all identifiers of a clear with what they open, over all clears."""
        full = sum(decay.tokens_full for decay in self._all())
        kept = sum(decay.tokens_kept for decay in self._all())
        if not full:
            return _nothing(SESSION, _NO_DECAY)
        detail = f"{full:,} tokens became {kept:,}"
        return _reached(SESSION, reduction(full, kept), detail, tokens_full=full, tokens_kept=kept)

    def _all(self) -> list[Decay]:
        if self._found is None:
            project = self._project
            handoffs = [handoff_of(project, one) for one in _handoffs(project)]
            self._found = [decay_since(project, one) for one in handoffs]
        return self._found


def _told(project: Project) -> Measure:
    """Count the handoffs that have their line in the trajectory."""
    made = {entry.seq for entry in _handoffs(project)}
    if not made:
        return _nothing(TRAJECTORY, "nothing was handed over yet")
    told = made.intersection(_phases(project))
    detail = f"{len(told):,} of {len(made):,} handoffs are in the trajectory"
    return share(TRAJECTORY, (len(told), len(made)), TARGETS[TRAJECTORY], detail, {})


def _phases(project: Project) -> Iterator[int]:
    """Yield the entries that the files of the trajectory call handoffs."""
    for path in sorted(project.place.trajectory.glob("*.jsonl")):
        with path.open("rb") as lines:
            for line in lines:
                found = _parsed(line)
                if isinstance(found, dict) and found.get("phase") == "session_handoff":
                    yield found["seq"]


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None  # torn or edited: it tells of nothing


def _context(project: Project) -> Measure:
    """Average how full the context was when it was cleared, where the budget is the seed's."""
    counted, windowed = [], 0
    for entry in _handoffs(project):
        measured = _last_count(project, entry)
        if measured is None:
            continue
        if measured.get("window") is not None:
            windowed += 1
        elif isinstance(tokens := measured.get("tokens"), int):
            counted.append(tokens)
    apart = f"; {windowed:,} with a window of their own do not count" if windowed else ""
    if not counted:
        return _nothing(CONTEXT, f"no clear came after a count of tokens yet{apart}")
    detail = f"tokens on average over {_counted(len(counted), 'clear')}{apart}"
    return _reached(CONTEXT, sum(counted) / len(counted), detail, clears=len(counted))


def _last_count(project: Project, handoff: Entry) -> dict[str, object] | None:
    wanted = Selection(
        stop=handoff.seq,
        type="attention_measured",
        session_id=handoff.session_id,
        newest_first=True,
    )
    for entry in project.ledger.read(wanted, on_damaged=lambda _fault: None):
        if entry.session_id == handoff.session_id:
            return dict(entry.value())
    return None


def _handoffs(project: Project) -> Iterator[Entry]:
    """Yield the handoffs that were made here; others' that were imported measure nothing."""
    made = _of(project, "handoff_made")
    return (entry for entry in made if "imported" not in entry.value())


def _of(project: Project, type_name: str) -> Iterator[Entry]:
    """Yield the entries of a type; those that cannot be read are counted by the rate of loss."""
    return project.ledger.read(Selection(type=type_name), on_damaged=lambda _fault: None)
