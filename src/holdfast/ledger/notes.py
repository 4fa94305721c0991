"""What the notes should say, gathered from the ledger: costs what is shown, not what there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import (
    NOTES_ASSUMPTIONS_MAX,
    NOTES_DECISIONS_MAX,
    NOTES_IDENTIFIERS_MAX,
    NOTES_LOOKED_AT_MAX,
    NOTES_SCENARIOS_MAX,
)
from holdfast.kernel.types.evidence import Citation, Grounds, grounds_of
from holdfast.ledger.documents import Gathering
from holdfast.storage.port import Reader, Selection
from holdfast.stores import tasks
from holdfast.stores.decisions import CURRENT, count, newest
from holdfast.views.notes.state import Active, Identifier, Noted, Quote, State

if TYPE_CHECKING:
    from holdfast.index.views import Views


def gather(reader: Reader, views: Views, session_id: str | None = None) -> State:
    """Return what the notes should say, as of what the views have taken in."""
    return _Notes(reader, views, session_id).state()


class _Notes:
    def __init__(self, reader: Reader, views: Views, session_id: str | None) -> None:
        self._reader = reader
        self._views = views
        self._session_id = session_id
        self._gathering = Gathering(reader, views)
        self._tasks = views.items("tasks")
        self._proof = views.items("evidence")
        self._planned: dict[str, tuple[str, ...]] = {}

    def state(self) -> State:
        """Put everything together."""
        current, assumed, looked = self._decisions()
        held = count(self._views.items("decisions"), CURRENT)
        unseen = held - looked
        return State(
            self._gathering.marks.as_of_seq,
            self._active(),
            tuple(islice(_identifiers(current), NOTES_IDENTIFIERS_MAX)),
            tuple(noted for noted, _ in current[:NOTES_DECISIONS_MAX]),
            max(0, len(current) - NOTES_DECISIONS_MAX) + unseen,
            tuple(noted for noted, _ in assumed[:NOTES_ASSUMPTIONS_MAX]),
            max(0, len(assumed) - NOTES_ASSUMPTIONS_MAX),
        )

    def _decisions(self) -> tuple[list[tuple[Noted, _Stood]], list[tuple[Noted, _Stood]], int]:
        """Return decisions and assumptions that hold, and how many were looked at."""
        current: list[tuple[Noted, _Stood]] = []
        assumed: list[tuple[Noted, _Stood]] = []
        looked = 0
        for key, item in newest(self._views.items("decisions"), CURRENT, NOTES_LOOKED_AT_MAX):
            if len(current) > NOTES_DECISIONS_MAX:
                break
            entry = self._entry(item["seq"])
            if entry is None:
                continue  # `verify` names it; it is counted with what is not shown
            looked += 1
            data = entry.value()  # what lies in the vault may be erased, and is only named
            stood = self._stood(key, entry, data)
            noted = self._noted(entry, data, stood.grounds)
            (assumed if stood.assumed else current).append((noted, stood))
        return current, assumed, looked

    def _noted(self, entry: Entry, data: Mapping[str, Any], grounds: Grounds | None) -> Noted:
        choice = _told(data.get("choice"))
        subject = _told(data.get("subject"))
        quotes = _citations(grounds)
        task = None if grounds is None else grounds.task
        return Noted(
            entry.id,
            entry.seq,
            seconds(entry.timestamp),
            # a subject that was worked out from symbols says less than the choice
            choice if not subject or "::" in subject else subject,
            choice,
            _told(data.get("reasoning")),
            tuple(_quote(one) for one in quotes if isinstance(one.quote, str)),
            self._scenarios(task),
        )

    def _stood(self, key: str, entry: Entry, data: Mapping[str, Any]) -> _Stood:
        """Return what a decision rests on now, and when that was looked at."""
        item: Any = self._proof.get(key)
        said = entry if item is None or item["at"] == entry.seq else self._entry(item["at"])
        said = said or entry
        told: Any = data if said is entry else said.value()
        assumed = item is not None and item["assumption"]
        return _Stood(grounds_of(told.get("grounds")), seconds(said.timestamp), assumed)

    def _scenarios(self, task: str | None) -> tuple[str, ...]:
        """Return how a task will be tested, the oldest first; many decisions share a task."""
        if task is None:
            return ()
        if task not in self._planned:
            which = tasks.scenarios_of(task, None)
            found = [item for _, item in newest(self._tasks, which, NOTES_SCENARIOS_MAX)]
            self._planned[task] = tuple(
                f"{item['name']} ({item['type']}): {item['expected']}" for item in reversed(found)
            )
        return self._planned[task]

    def _active(self) -> Active:
        """Say where the work stands: by the task or by the checkpoint, whichever spoke last."""
        checkpoint = self._gathering.checkpoint
        task: Any = tasks.current(self._tasks, self._session_id)
        reasoning, said = None, -1
        if checkpoint is not None:
            data = checkpoint.value()
            reasoning, said = _told(data.get("next_action")), checkpoint.seq
            reasoning = reasoning or _told(data.get("quick_resume"))
        if task is not None and task["next_steps"] and task["said"]["next_steps"] > said:
            reasoning = task["next_steps"][0]
        return Active(
            None if task is None else task["task"],
            None if task is None else task["title"],
            None if checkpoint is None else seconds(checkpoint.timestamp),
            reasoning,
        )

    def _entry(self, seq: int) -> Entry | None:
        for stored in self._reader.read(Selection(seq, seq + 1)):
            try:
                return entries.read(stored.body)
            except Damaged:
                return None
        return None


class _Stood(msgspec.Struct, frozen=True):
    """What a decision rests on, when that was seen, and whether it is an assumption."""

    grounds: Grounds | None
    seen: str
    assumed: bool


def _identifiers(decisions: list[tuple[Noted, _Stood]]) -> Iterator[Identifier]:
    """Yield the places that the decisions rest on, each once."""
    known: set[tuple[str, int, int]] = set()
    for noted, stood in decisions[:NOTES_DECISIONS_MAX]:
        for one in _citations(stood.grounds):
            place = (_told(one.path), one.line, one.last or one.line)
            if one.state == "exact" and place not in known:
                known.add(place)
                yield Identifier(*place, _told(one.symbol) or noted.title, stood.seen)


def _citations(grounds: Grounds | None) -> list[Citation]:
    evidence = None if grounds is None else grounds.evidence
    return evidence if isinstance(evidence, list) else []


def _quote(one: Citation) -> Quote:
    return Quote(str(one.quote), _told(one.path), one.line, one.last, one.state)


def _told(value: Any) -> str:
    """Return a text; one that stands in the vault and was not fetched is named by its hash."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and "$artifact" in value:
        return f"(in the vault: {value['$artifact']})"
    return ""


def seconds(timestamp: str) -> str:
    """Return a time without the parts of its second."""
    return f"{timestamp[:19]}Z"
