"""A ledger on disk behaves as a plain list does, whatever is done to it and in whatever order."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.port import Selection
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing import LEDGER, FixedClock, FixedIds, data_for, open_memory_ledger

TYPES = ("decision", "error", "metric")
SESSIONS = (None, "s1", "s2")

ids = st.sampled_from(
    [
        None,
        "a",
        "b",
        "c",
        "019a8605-1c80-7000-8000-000000000000",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",
    ]
)
CONTENTS: dict[str, Any] = {
    "small": "x",
    "large": "x" * 33_000,
    "odd": ["\ud800", 2**60],
    "misleading": {"$artifact": "0" * 64},
}
Choice: TypeAlias = tuple[str, int, str, str | None, str | None]
choices = st.tuples(
    st.sampled_from(TYPES),
    st.integers(0, 5),
    st.sampled_from(list(CONTENTS)),
    st.sampled_from(SESSIONS),
    ids,
)


def draft_of(choice: Choice) -> Draft:
    name, n, content, session_id, entry_id = choice
    data = data_for(name, n, extra=CONTENTS[content])
    return Draft(name, data, session_id=session_id, id=entry_id)


class LedgerMachine(RuleBasedStateMachine):
    """Does the same to a ledger and to a list."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = str(self.folder / "ledger.db")
        create(self.path, LEDGER)
        self.clock, self.ids = FixedClock(), FixedIds()
        self.ledger = self.opened()
        self.model: list[tuple[str, Draft]] = []
        self.kept: list[tuple[int, str]] = []

    receipts: Bundle[Any] = Bundle("receipts")

    def opened(self) -> Ledger:
        engine = SqliteEngine(self.path)
        return open_memory_ledger(engine, clock=self.clock, ids=self.ids)

    def teardown(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.folder)

    def take(self, batch: list[Draft], answers: list[Any]) -> None:
        """Do to the list what the ledger did."""
        for draft, receipt in zip(batch, answers, strict=True):
            places = {entry_id: seq for seq, (entry_id, _) in enumerate(self.model)}
            if draft.id in places:
                assert (places[draft.id], True) == (receipt.seq, receipt.duplicate)
                same = self.model[receipt.seq][1].data == draft.data
                assert same is not receipt.differs
            else:
                assert (len(self.model), False) == (receipt.seq, receipt.duplicate)
                self.model.append((receipt.id, draft))

    @rule(target=receipts, choice=choices)
    def append(self, choice: Choice) -> Any:
        draft = draft_of(choice)
        receipt = self.ledger.append(
            draft.type, draft.data, session_id=draft.session_id, id=draft.id
        )
        self.take([draft], [receipt])
        return receipt

    @rule(chosen=st.lists(choices, max_size=4), repeated=st.sampled_from([1, 1, 1, 30]))
    def append_many(self, chosen: list[Choice], repeated: int) -> None:
        batch = [draft_of(choice) for choice in chosen * repeated]
        self.take(batch, self.ledger.append_many(batch))

    @rule(chosen=st.lists(choices, max_size=3))
    def append_a_bad_batch(self, chosen: list[Choice]) -> None:
        try:
            self.ledger.append_many([*map(draft_of, chosen), Draft("decision", {})])
        except InvalidInput:
            return
        raise AssertionError("a draft without its fields was recorded")

    @rule(receipt=receipts)
    def get(self, receipt: Any) -> None:
        stored = self.ledger.get(receipt.id)
        assert (receipt.seq, receipt.leaf) == (stored.seq, stored.leaf.hex())
        assert stored == self.ledger.get(receipt.seq)

    @rule()
    def reopen(self) -> None:
        head, root = self.ledger.head(), self.ledger.root()
        self.ledger.close()
        self.ledger = self.opened()
        assert (head, root) == (self.ledger.head(), self.ledger.root())

    @rule()
    def keep_a_root(self) -> None:
        self.kept.append((self.ledger.head().size, self.ledger.root()))

    @rule(
        first=st.integers(0, 80),
        stop=st.none() | st.integers(0, 90),
        name=st.none() | st.sampled_from(TYPES),
        session_id=st.sampled_from(SESSIONS),
        newest_first=st.booleans(),
    )
    def select(
        self,
        first: int,
        stop: int | None,
        name: str | None,
        session_id: str | None,
        newest_first: bool,
    ) -> None:
        found = self.ledger.read(
            Selection(first, stop, None, name, session_id, newest_first=newest_first)
        )
        expected = [
            (seq, draft.data)
            for seq, (_, draft) in enumerate(self.model)
            if first <= seq < (len(self.model) if stop is None else stop)
            and name in (None, draft.type)
            and session_id in (None, draft.session_id)
        ]
        if newest_first:
            expected.reverse()
        assert expected == [(entry.seq, self.ledger.data(entry)) for entry in found]

    @rule()
    def verify(self) -> None:
        assert self.ledger.verify().ok
        for kept in self.kept:
            assert self.ledger.verify(expected=kept).ok

    @invariant()
    def has_the_size_of_the_list(self) -> None:
        assert len(self.model) == self.ledger.head().size


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
