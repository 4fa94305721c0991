"""Checkpoints: where the work stands, written down every few tool calls and whenever asked.

A checkpoint is made from the entries of its session since the one before, read backwards, so its
cost does not depend on how long the log is. `through` in its data is the last entry that went into
it: what other processes record in the meantime belongs to the next one.

What lies in the vault may be erased one day, and a checkpoint never changes. So it is made from
entries as they are stored, and names such a value by its size and hash; no word of it is repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.limits import CHECKPOINT_ENTRIES_READ, QUICK_RESUME_TOKENS_MAX
from holdfast.ledger.sessions import derived_id
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt
    from holdfast.views.resume import Facts
    from holdfast.views.wording import Resolve

THROUGH: Final = "through"
"""The field of a checkpoint that says which entry was the last to go into it."""

_HOLDFAST: Final = Actor("holdfast", "holdfast")

_NO_WORK: Final = frozenset(
    {
        "session_started",
        "session_ended",
        "compression",
        "artifact_erased",
        "attention_measured",
        "context_given",
        "delta_synced",
        "gate_ran",
        "handoff_made",
    }
)
"""Types that alone are no reason for a checkpoint when a session ends."""


class Since(msgspec.Struct, frozen=True):
    """What a session did since its last checkpoint, oldest first."""

    checkpoint: Entry | None
    entries: list[Entry]
    unseen: bool = False
    """There are more, further back, that were not looked at."""

    def calls(self) -> list[Entry]:
        """Return the tool calls among it."""
        return [entry for entry in self.entries if entry.type == "tool_called"]

    def until(self, seq: int) -> Since:
        """Leave out what comes after an entry."""
        kept = [entry for entry in self.entries if entry.seq <= seq]
        return msgspec.structs.replace(self, entries=kept)


class Given(msgspec.Struct, frozen=True):
    """What somebody says about where the work stands; the rest is made from facts."""

    task: str | None = None
    completed: int | None = None
    total: int | None = None
    next_action: str | None = None
    quick_resume: str | None = None

    def says_something(self) -> bool:
        """Tell whether there are words in it that say something."""
        from holdfast.views.resume import is_boilerplate

        texts = (self.task, self.next_action, self.quick_resume)
        return any(text is not None and not is_boilerplate(text) for text in texts)


class Checkpoints:
    """The checkpoints of one ledger."""

    def __init__(self, ledger: Ledger, views: Views, *, every_calls: int) -> None:
        self._ledger = ledger
        self._views = views
        self._every_calls = every_calls

    def create(
        self,
        session_id: str | None,
        *,
        task: str | None = None,
        completed: int | None = None,
        total: int | None = None,
        next_action: str | None = None,
        quick_resume: str | None = None,
        id: str | None = None,
    ) -> Receipt:
        """Record where a session stands: what is said here, and facts since the last time.

        Refused when there is nothing to say, and for a quick resume that says nothing.
        """
        given = Given(task, completed, total, next_action, quick_resume)
        since = self.since(session_id)
        facts = self._stored_facts(since)
        if quick_resume is None and not given.says_something() and not _tells(facts):
            raise InvalidInput(
                "There is nothing to say about where the work stands: no task, no next action, "
                "and no entry about work.",
                meaning="Nothing was recorded.",
                remedy="Say it with --task, --next or --resume.",
            )
        return self._record(session_id, self._data(since, facts, given), id=id)

    def after_call(self, session_id: str | None) -> Receipt | None:
        """Make the checkpoint that is due after a tool call, if one is; safe to race.

        Its id follows from the call that made it due and it holds what came up to that call, so
        that of several processes the first records it and the others find it there.
        """
        made, handled = None, -1
        while self._every_calls > 0:
            since = self.since(session_id)
            calls = since.calls()
            if len(calls) < self._every_calls:
                break
            due = calls[self._every_calls - 1].seq
            if due == handled:
                break  # something else has the checkpoint's id
            due_id = derived_id("due", session_id or "", due)
            made, handled = self._automatic(session_id, since.until(due), due_id), due
        return made

    def at_end(self, session_id: str, given: Given | None = None) -> Receipt | None:
        """Make a checkpoint of what is not in one yet; None when nothing was done since."""
        since = self.since(session_id)
        work = [entry for entry in since.entries if entry.type not in _NO_WORK]
        if not work and not since.unseen:
            return None
        return self._automatic(session_id, since, None, given)

    def last(self, session_id: str | None = None) -> Entry | None:
        """Return the newest checkpoint of a session, or of all."""
        newest = Selection(type="checkpoint", session_id=session_id, newest_first=True)
        for stored in self._ledger.reader.read(newest):
            try:
                return entries.read(stored.body)
            except Damaged:
                continue
        return None

    def quick_resume(self, checkpoint: Entry) -> str:
        """Return the words of a checkpoint, from the vault if they are long."""
        return str(self._ledger.data(checkpoint)["quick_resume"])

    def calls_since(self, session_id: str | None) -> int:
        """Return how many tool calls a session made since its last checkpoint."""
        return len(self.since(session_id).calls())

    def since(self, session_id: str | None) -> Since:
        """Read a session backwards to its last checkpoint, but no further than the bound."""
        newest = self._session(session_id)
        checkpoint, through = None, -1
        found: list[Entry] = []
        for entry in islice(newest, max(CHECKPOINT_ENTRIES_READ, 2 * self._every_calls)):
            if entry.seq <= through:
                return Since(checkpoint, found[::-1])
            if entry.type == "compression":
                continue  # the note of a seal is no work, and long
            if entry.type != "checkpoint":
                found.append(entry)
            elif checkpoint is None:
                checkpoint, through = entry, _through(entry)
        further = next(newest, None)
        if further is None:
            return Since(checkpoint, found[::-1])
        if checkpoint is None and session_id is not None:
            checkpoint = self.last(session_id)
            through = -1 if checkpoint is None else _through(checkpoint)
        return Since(checkpoint, found[::-1], unseen=further.seq > through)

    def facts(self, since: Since) -> Facts:
        """Gather what the entries say, and what is open now, to be shown and not to be kept."""
        return self._gathered(since, self._resolve)

    def _stored_facts(self, since: Since) -> Facts:
        """Gather the same for an entry: what lies in the vault is named, not repeated."""
        return self._gathered(since, Entry.value)

    def _gathered(self, since: Since, resolve: Resolve) -> Facts:
        from holdfast.views.resume import gather

        self._views.fold_up(self._ledger.reader)
        decisions: Any = self._views.items("decisions")
        return gather(
            since.entries,
            before=None if since.checkpoint is None else resolve(since.checkpoint),
            resolve=resolve,
            open_work=self._open_work(),
            superseded=lambda key: bool((decisions.get(key) or {}).get("superseded_by")),
            unseen=since.unseen,
        )

    def _resolve(self, entry: Entry) -> dict[str, Any]:
        try:
            return self._ledger.data(entry)
        except Damaged:
            return entry.value()  # its large parts stay references; the rest tells enough

    def _open_work(self) -> list[str]:
        work: Any = self._views.items("open_work")
        newest = sorted(work.values(), key=lambda item: item["seq"], reverse=True)
        return [item["title"] for item in newest]

    def _session(self, session_id: str | None) -> Iterator[Entry]:
        """Yield the entries of a session, the newest first; of none for those outside any."""
        for stored in self._ledger.reader.read(Selection(session_id=session_id, newest_first=True)):
            try:
                entry = entries.read(stored.body)
            except Damaged:
                continue
            if entry.session_id == session_id:
                yield entry

    def _automatic(
        self, session_id: str | None, since: Since, id: str | None, given: Given | None = None
    ) -> Receipt:
        facts = self._stored_facts(since)
        data = self._data(since, facts, given or Given())
        others = msgspec.structs.replace(facts, tool=None, before=None)
        if not _tells(others) and not _stands(facts):
            data["quick_resume"] = _tools(since, facts, data["quick_resume"])
        return self._record(session_id, data, id=id, actor=_HOLDFAST)

    def _data(self, since: Since, facts: Facts, given: Given) -> dict[str, Any]:
        from holdfast.views.resume import checkpoint_data

        data = checkpoint_data(facts, **msgspec.structs.asdict(given))
        seen = since.entries[-1] if since.entries else since.checkpoint
        return data if seen is None else data | {THROUGH: seen.seq}

    def _record(
        self,
        session_id: str | None,
        data: dict[str, Any],
        *,
        id: str | None,
        actor: Actor | None = None,
    ) -> Receipt:
        return self._ledger.append("checkpoint", data, session_id=session_id, id=id, actor=actor)


def _through(checkpoint: Entry) -> int:
    value: Any = checkpoint.value().get(THROUGH)
    return value if isinstance(value, int) and value < checkpoint.seq else checkpoint.seq


def _tells(facts: Facts) -> bool:
    """Tell whether the facts say anything about work."""
    return bool(
        facts.before
        or facts.prompt
        or facts.said
        or facts.files
        or facts.commands
        or facts.decisions
        or facts.error
        or facts.tool
        or facts.open_work
    )


def _stands(facts: Facts) -> bool:
    """Tell whether somebody said in an earlier checkpoint what the work is."""
    from holdfast.views.resume import is_boilerplate

    before: Any = facts.before or {}
    told = {"task", "next_action"} - set(before.get("derived") or ())
    texts = [before.get(name) for name in told]
    return any(isinstance(text, str) and not is_boilerplate(text) for text in texts)


def _tools(since: Since, facts: Facts, resume: str) -> str:
    """Name the tools that were called, when there is nothing else to tell."""
    from holdfast.views.wording import fit, one_line

    counts = Counter(one_line(entry.value()["tool"]) for entry in since.calls())
    if not counts:
        return resume
    called = ", ".join(f"{name} {count}x" for name, count in counts.most_common())
    return fit(f"called {called}; last: {facts.tool}", QUICK_RESUME_TOKENS_MAX)
