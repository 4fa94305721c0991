"""What waits in the intake becomes entries: in batches, each once, whatever becomes of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.agents import intake, keys, short_way
from holdfast.agents.registry import agent as agent_named
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput, StorageFailed
from holdfast.kernel.limits import HOOK_RAW_BYTES_MAX, IMPORT_BATCH_BYTES, IMPORT_BATCH_ENTRIES
from holdfast.ledger.ledger import Draft
from holdfast.wiring.beginnings import begun
from holdfast.wiring.numbering import Numbering

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.ledger.ledger import Receipt
    from holdfast.wiring.project import Project
    from holdfast.wiring.tailing import Usage

HOLDFAST: Final = Actor("holdfast", "hook")
RAW: Final = (
    f"No JSON object, or one too long or too deep; its first {HOOK_RAW_BYTES_MAX:,} bytes are kept."
)


class Counts:
    """What became of what was taken in."""

    def __init__(self) -> None:
        self.events = 0
        self.entries = 0
        self.duplicates = 0
        self.quarantined = 0


class TakingIn:
    """Takes in what waits, record by record. `flush` is for the end, and is not done by itself."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._numbering = Numbering(project)
        self._batch: list[Draft] = []
        self._bytes = 0
        self.counts = Counts()
        self.usage: dict[str, Usage] = {}
        """How full the contexts of sessions were, as their transcripts say."""

    def take_file(self, path: str) -> None:
        """Record what a file holds; all of it is in the ledger when this returns."""
        for number, line in enumerate(intake.lines(path), start=1):
            record = intake.read(line)
            if record is None:
                self._quarantine(line, number, "The line is torn or was altered.")
            else:
                self.take(record, number)
            self._bytes += len(line)
            if len(self._batch) >= IMPORT_BATCH_ENTRIES or self._bytes >= IMPORT_BATCH_BYTES:
                self.flush()
        self.flush()
        self._numbering.keep()

    def take(self, record: intake.Record, number: int = 0) -> None:
        """Take in one record."""
        value = short_way.parse(record.payload)
        if record.note == intake.RAW:
            content = value.encode("utf-8", "backslashreplace") if isinstance(value, str) else b""
            self._quarantine(content, number, RAW, f"{record.agent} {record.at_us}")
            return
        try:
            agent = agent_named(record.agent)
            event = self._numbering.settle(agent.read(value, record.at_us))
            drafts = agent.drafts(event)
        except StorageFailed:
            raise
        except Exception as problem:  # one that cannot be read must not hold up the others
            why = problem.what if isinstance(problem, InvalidInput) else repr(problem)
            content = record.payload[:HOOK_RAW_BYTES_MAX]
            self._quarantine(content, number, why, f"{record.agent} {record.at_us}")
            return
        self.counts.events += 1
        for draft in drafts:
            if draft.type == "session_started":
                self.flush()  # what is open now is asked of the ledger
                self._batch += begun(self._project, event, draft, _pid(record.note))
            else:
                self._batch.append(draft)
        self._look_around(event, dict(record.files))

    def _look_around(self, event: Event, files: Mapping[str, bytes]) -> None:
        """Take in what goes along with an event: changed files, and what no event tells."""
        from holdfast.wiring import scanning

        if event.kind == "session_start" or scanning.wants_scan(event) or files:
            with scanning.one_at_a_time(self._project):
                self._batch += self._tried(event, lambda: self._changes(event, files))
                self.flush()
        if event.transcript is not None and event.kind in _TAILED:
            self._batch += self._tried(event, lambda: self._said(event))
            self.flush()

    def _changes(self, event: Event, files: Mapping[str, bytes]) -> list[Draft]:
        from holdfast.wiring import scanning

        if event.kind == "session_start":
            return scanning.baseline(self._project, event)
        return scanning.changes_after(self._project, event, files)

    def _said(self, event: Event) -> list[Draft]:
        from holdfast.wiring import tailing

        tail = tailing.said_since(self._project, event)
        if tail.usage is not None and event.session is not None and event.worker is None:
            self.usage[keys.session_id(event.session)] = tail.usage
        return list(tail.drafts)

    def _tried(self, event: Event, look: Callable[[], list[Draft]]) -> list[Draft]:
        """Look; what keeps us from it is told, and keeps nothing from being recorded."""
        try:
            return look()
        except Exception as problem:  # whatever it is, what waits behind this must not wait for it
            words = f"{event.agent} {event.name}: {type(problem).__name__}: {problem}"
            intake.note_problem(str(self._project.place.folder), words, event.at_us)
            return []

    def _quarantine(self, content: bytes, number: int, reason: str, source: str = "") -> None:
        text = content.decode("utf-8", "backslashreplace").rstrip("\n")
        identity = keys.entry_id(f"quarantined {source} {text}")
        data = {"source": f"intake {source}".strip(), "line": number, "reason": reason}
        data |= {"encoding": "text", "content": text}
        self._batch.append(Draft("line_quarantined", data, None, HOLDFAST, identity))
        self.counts.quarantined += 1

    def flush(self) -> None:
        """Record what was taken so far, all at once; if one is refused, one by one."""
        batch, self._batch, self._bytes = self._batch, [], 0
        if not batch:
            return
        try:
            receipts = self._project.ledger.append_many(batch)
        except InvalidInput:
            receipts = [self._append_alone(draft) for draft in batch]
        fresh = sum(not one.duplicate for one in receipts)
        self.counts.entries += fresh
        self.counts.duplicates += len(receipts) - fresh

    def _append_alone(self, draft: Draft) -> Receipt:
        ledger = self._project.ledger
        try:
            return ledger.append_many([draft])[0]
        except InvalidInput as problem:
            content = msgspec.json.encode(draft.data, enc_hook=repr)[:HOOK_RAW_BYTES_MAX]
            self._quarantine(content, 0, f"{draft.type}: {problem.what}", draft.id or "")
            return ledger.append_many([self._batch.pop()])[0]


_TAILED: Final = frozenset(
    {"stop", "subagent_stop", "session_start", "session_end", "pre_compact", "post_compact"}
)
"""Kinds of events after which the transcript is read on."""


def _pid(note: str) -> int | None:
    for word in note.split(","):
        if word.startswith("pid=") and word[4:].isdecimal():
            return int(word[4:])
    return None
