"""What the JSON files among the views on disk say: gathered here, rendered in `views.files`.

Gathering costs what is new: the kept folds say which sessions are open, and of entries only the
newest are read. `capsule` is what `resume` shows, whether it was kept in the file or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import (
    PUBLISH_ARTIFACT_BYTES_MAX,
    PUBLISH_ENTRIES_READ,
)
from holdfast.kernel.tokens import COUNTER, estimate
from holdfast.ledger import recovery, vault
from holdfast.storage.port import Reader, Selection
from holdfast.stores.store import Items
from holdfast.views import capsule as capsules
from holdfast.views import files
from holdfast.views.files import Marks
from holdfast.views.resume import Capsule, gather, resume_capsule

if TYPE_CHECKING:
    from holdfast.index.views import Views

Document: TypeAlias = dict[str, Any]

_NO_WORK: Final = ("checkpoint", "compression", "context_given")
"""Types that tell of work, and are none: the notes of seals are long, too."""

_BEGINNINGS: Final = (*_NO_WORK, "session_started")
_NEWEST_LOOKED_AT: Final = 16

NO_CHECKPOINT: Final = "No checkpoint yet."
"""How a resume begins that nobody wrote."""


class Newest(msgspec.Struct, frozen=True):
    """The newest entries of something, oldest first."""

    entries: list[Entry]
    unseen: bool
    """There are older ones."""


class Gathering:
    """Reads what the documents need, as of the last entry that the kept folds took in."""

    def __init__(self, reader: Reader, views: Views) -> None:
        self.reader = reader
        self._views = views
        self.marks = marks_of(reader, views.folded)
        self.checkpoint = last_checkpoint(reader, self.marks)
        """The newest that can be read."""

    def current_state(self, *, archived: int, archives: int) -> Document:
        """Say what is true now."""
        sessions = self._views.items("sessions")
        document = files.current_state(
            self.marks,
            archives=(),
            sessions=sessions,
            decisions=self._views.items("decisions"),
            work=self._views.items("open_work"),
            checkpoint=self.checkpoint,
            capsule=self.capsule(),
        )
        active = self.marks.as_of_seq + 1 - archived
        return document | {
            "active": active,
            "archived": archived,
            "archives": archives,
            "latest_session": files.latest_session(sessions),
            "capsule": self._kept_capsule(),
            "pending": self.pending(),
        }

    def _kept_capsule(self) -> Document:
        """Return the capsule of level 1 as a file keeps it, for those who cannot wait."""
        known = recovery.known(self)
        made = capsules.capsule(known)
        return {
            "bare": known.is_bare,
            "counter": COUNTER,
            "identifiers": sorted({path for _, path in made.identifiers}),
            "several_tasks": recovery.several_tasks(self.items("tasks")),
            "text": made.text,
            "tokens": made.tokens,
        }

    def pending(self) -> Document:
        """Say what waits for somebody."""
        return files.pending(self._views.items("story"))

    def session_memory(self, session_id: str | None) -> Document:
        """Say what a session did."""
        sessions = self._views.items("sessions")
        newest = Newest([], unseen=False)
        if session_id is not None:
            newest = self._newest(Selection(stop=self._stop, session_id=session_id))
        return files.session_memory(
            self.marks,
            session_id=session_id,
            sessions=sessions,
            entries=newest.entries,
            decisions=self._views.items("decisions"),
            unseen=newest.unseen,
        )

    def capsule(self) -> Capsule:
        """Return the last checkpoint's quick resume, and what came since in its session."""
        if self._stop == 0:
            return Capsule("", 0)
        checkpoint = self.checkpoint
        before = None if checkpoint is None else self.data(checkpoint)
        since = self._since(checkpoint)
        decisions: Any = self._views.items("decisions")
        facts = gather(
            since.entries,
            resolve=self.data,
            open_work=self.open_work(),
            superseded=lambda key: bool((decisions.get(key) or {}).get("superseded_by")),
            before=before,
            unseen=since.unseen,
        )
        text = resume_capsule(before, facts).text.encode("utf-8", "backslashreplace").decode()
        text = text if checkpoint is not None else f"{NO_CHECKPOINT} {text}"
        return Capsule(text, estimate(text))

    def _since(self, checkpoint: Entry | None) -> Newest:
        """Return the newest entries of the last checkpoint's session that it does not tell of.

        Without a checkpoint, of the session that the newest entry belongs to which may be work:
        one that has just begun has nothing to tell.
        """
        if checkpoint is not None:
            session_id, first = checkpoint.session_id, _through(checkpoint) + 1
        else:
            newest = Selection(stop=self._stop, newest_first=True)
            last = list(islice(_readable(self.reader.read(newest)), _NEWEST_LOOKED_AT))
            told = [entry for entry in last if entry.type not in _BEGINNINGS] or last
            session_id, first = (told[0].session_id if told else None), 0
        found = self._newest(Selection(first, self._stop, session_id=session_id))
        own = [
            entry
            for entry in found.entries
            if entry.session_id == session_id and entry.type not in _NO_WORK
        ]
        return Newest(own, found.unseen)

    def open_work(self) -> list[str]:
        """Name the work that was begun and is not over, the newest first."""
        work: Any = self._views.items("open_work")
        newest = sorted(work.values(), key=lambda item: item["seq"], reverse=True)
        return [item["title"] for item in newest]

    def restore_index(self, before: Document | None) -> Document:
        """Say which archive holds what: what was said before, and the seals since."""
        first = 0 if before is None else before["as_of_seq"] + 1
        seals = Selection(first, self._stop, type="compression")
        notes = {entry.seq: self.data(entry) for entry in _readable(self.reader.read(seals))}
        ours = {seq: note for seq, note in notes.items() if "imported" not in note}
        known = 0 if before is None else len(before["archives"])
        archives = [one for one in self.reader.archives() if one.last < self._stop][known:]
        fresh = files.restore_index(
            self.marks, archives=archives, compressions=sorted(ours.items()), active=()
        )
        fresh["not_indexed"] = [
            one.name
            for one in archives
            if not any(files.is_about(note, one) for note in ours.values())
        ]
        return fresh if before is None else _joined(before, fresh)

    def items(self, store: str) -> Items:
        """Return the items of a store."""
        return self._views.items(store)

    def entry(self, seq: int) -> Entry | None:
        """Return an entry; None for one that cannot be read, or came later."""
        one = Selection(seq, min(seq + 1, self._stop))
        return next(_readable(self.reader.read(one)), None)

    def data(self, entry: Entry) -> Mapping[str, Any]:
        """Return an entry's data; parts that are large or gone stand as references."""
        stored = entry.value()
        found: Any = vault.references(stored)
        if not found:
            return stored
        try:
            return vault.resolve(stored, self._small)  # type: ignore[no-any-return]
        except Damaged:
            return stored

    def _small(self, sha256: str) -> bytes | None:
        content = self.reader.artifact(sha256)
        return content if content and len(content) <= PUBLISH_ARTIFACT_BYTES_MAX else None

    @property
    def _stop(self) -> int:
        return self.marks.as_of_seq + 1

    def _newest(self, selection: Selection) -> Newest:
        newest = msgspec.structs.replace(selection, newest_first=True)
        found = self.reader.read(newest)
        kept = list(_readable(islice(found, PUBLISH_ENTRIES_READ)))
        return Newest(kept[::-1], unseen=next(iter(found), None) is not None)


def marks_of(reader: Reader, size: int) -> Marks:
    """Return the marks of what is true after the first `size` entries."""
    head = reader.head()
    size = min(size, head.size)
    leaf = head.leaf if size == head.size else reader.node(size - 1, size) if size else bytes(32)
    return Marks(head.ledger, leaf.hex(), size - 1)


def last_checkpoint(reader: Reader, marks: Marks) -> Entry | None:
    """Return the newest checkpoint that can be read."""
    newest = Selection(stop=marks.as_of_seq + 1, type="checkpoint", newest_first=True)
    return next(_readable(reader.read(newest)), None)


def _joined(before: Document, fresh: Document) -> Document:
    """Put what new seals say behind what was known."""
    sessions = dict(before["sessions"])
    for name, place in fresh["sessions"].items():
        sessions[name] = _behind(sessions.get(name), place)
    return fresh | {
        "archives": [*before["archives"], *fresh["archives"]],
        "not_indexed": [*before["not_indexed"], *fresh["not_indexed"]],
        "sessions": sessions,
        "unsessioned": _behind(before["unsessioned"], fresh["unsessioned"]),
    }


def _behind(known: Document | None, place: Document | None) -> Document | None:
    if known is None or place is None:
        return known or place
    return known | {"end": place["end"], "parts": [*known["parts"], *place["parts"]]}


def _through(checkpoint: Entry) -> int:
    through: Any = checkpoint.value().get("through")
    return through if isinstance(through, int) and through < checkpoint.seq else checkpoint.seq


def _readable(found: Iterable[Any]) -> Iterator[Entry]:
    """Yield entries; damaged ones are for `verify` to name."""
    for stored in found:
        try:
            yield entries.read(stored.body)
        except Damaged:
            continue
