"""Whatever is recorded, sealed, killed and reopened: a session comes back as a list has it."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from holdfast.kernel import entry as entries
from holdfast.ledger import sealing
from holdfast.ledger.ledger import Draft
from holdfast.ledger.restoring import restore
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for
from holdfast.testing.clock import FixedClock, FixedIds
from holdfast.wiring.restoring import index_of
from tests.ledger.sealed import Box, WatchedFiles

pytestmark = [
    pytest.mark.req("P8"),
    pytest.mark.lesson("P1"),
    pytest.mark.lesson("P2"),
    pytest.mark.lesson("P4"),
    pytest.mark.lesson("P5"),
]

SESSIONS = ("s1", "s2", "s3", None)
PARTS = {"small": "s", "large": "x" * 33_000, "larger": "y" * 40_000}
ENTRIES_MAX = 16
"""In one archive, so that a seal makes several."""

sessions = st.sampled_from(SESSIONS)
batches = st.lists(st.tuples(sessions, st.sampled_from(list(PARTS))), min_size=1, max_size=30)


class Killed(BaseException):
    """The process is gone."""


class StateMachine(RuleBasedStateMachine):
    """Does the same to a ledger and to a list of (session, bytes)."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock, self.ids = FixedClock(), FixedIds()
        self.model: list[tuple[str | None, bytes]] = []
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(sealing, "ARCHIVE_ENTRIES_MAX", ENTRIES_MAX)
        self.open()

    def open(self) -> None:
        self.box = Box(self.folder, clock=self.clock, ids=self.ids)

    def teardown(self) -> None:
        self.box.ledger.close()
        self.patch.undo()
        shutil.rmtree(self.folder)

    def take_notes(self) -> None:
        """Add what seals wrote, and nothing but that, to the list."""
        for stored in self.box.ledger.lines(Selection(len(self.model))):
            assert entries.read(stored.body).type == "compression"
            self.model.append((None, stored.body))

    @rule(batch=batches)
    def append(self, batch: list[tuple[str | None, str]]) -> None:
        drafts = [
            Draft("decision", data_for("decision", n, reasoning=PARTS[part]), session_id=session)
            for n, (session, part) in enumerate(batch)
        ]
        first = self.box.ledger.append_many(drafts)[0].seq
        assert first == len(self.model)
        stored = list(self.box.ledger.lines(Selection(first)))
        for draft, one in zip(drafts, stored, strict=True):
            assert self.box.ledger.data(entries.read(one.body)) == draft.data
            self.model.append((draft.session_id, one.body))

    @rule(session=sessions)
    def append_one(self, session: str | None) -> None:
        self.append([(session, "small")])

    @rule(keep=st.integers(0, 40))
    def seal(self, keep: int) -> None:
        before = self.active_own()
        report = self.box.sealer().seal(keep=keep, wait_s=0)
        assert not report.busy
        self.take_notes()
        assert self.active_own() == min(keep, before)

    def active_own(self) -> int:
        """Return how many active entries are not notes of seals."""
        active = self.model[len(self.model) - self.box.sealer().active() :]
        return sum(entries.read(body).type != "compression" for _, body in active)

    @rule(keep=st.integers(0, 20), moment=st.integers(0, 18))
    def seal_killed(self, keep: int, moment: int) -> None:
        """Stop a seal before one of its operations, and look at what the next process finds."""
        count = itertools.count()

        def tell(*_: str) -> None:
            if next(count) == moment:
                raise Killed

        self.killed(lambda: self.box.sealer(files=WatchedFiles(tell)).seal(keep=keep, wait_s=0))

    @rule(keep=st.integers(0, 20), after=st.booleans())
    def seal_killed_at_the_drop(self, keep: int, after: bool) -> None:
        drop = self.box.ledger._drop

        def dying(*args: Any) -> None:
            if after:
                drop(*args)
            raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.box.ledger, "_drop", dying)
            self.killed(lambda: self.box.sealer().seal(keep=keep, wait_s=0))

    def killed(self, seal: Any) -> None:
        with suppress(Killed):  # or it comes to its end before that moment
            seal()
        self.reopen()
        self.take_notes()

    @rule()
    def reopen(self) -> None:
        self.box.ledger.close()
        self.open()

    @rule(session=sessions, share=st.floats(0, 1))
    def restore_up_to(self, session: str | None, share: float) -> None:
        if self.model:
            self.check(session, at=int(share * (len(self.model) - 1)))

    @invariant()
    def every_session_is_whole(self) -> None:
        for session in SESSIONS:
            self.check(session)

    def check(self, session: str | None, at: int | None = None) -> None:
        """Compare a restore by the index, and one by the notes alone, with the list."""
        upto = self.model if at is None else self.model[: at + 1]
        expected = [body for one, body in upto if session in (None, one)]
        reader, archives = self.box.ledger.reader, self.box.archives
        with index_of(self.box.place) as where:
            for found in (
                restore(reader, archives, session, at, where=where),
                restore(reader, archives, session, at),
            ):
                assert [one.body for one in found.entries] == expected
                assert found.whole

    @invariant()
    def the_ledger_verifies(self) -> None:
        assert self.box.ledger.verify().ok


TestStateModel = StateMachine.TestCase
TestStateModel.settings = settings(
    max_examples=settings().max_examples // 8,
    stateful_step_count=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
