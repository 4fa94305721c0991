"""Whatever is recorded, sealed and wiped: every save boots, from every base, to its bytes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from holdfast.index.views import Views
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.kernel.types import TYPES
from holdfast.ledger import saving, sealing
from holdfast.ledger.booting import Booted, cold_boot
from holdfast.ledger.history import fold_at
from holdfast.ledger.ledger import Draft
from holdfast.ledger.resuming import resume
from holdfast.ledger.saving import take_save
from holdfast.stores.facts import fact_id
from holdfast.testing.builders import data_for
from holdfast.testing.clock import FixedClock, FixedIds
from holdfast.wiring.booting import base_of, boot
from tests.ledger.saved import PINS
from tests.ledger.sealed import Box

pytestmark = [pytest.mark.req("O3", "O9"), pytest.mark.lesson("O2")]

SESSIONS = ("s1", "s2", None)
SEGMENT_ENTRIES = 8
ARCHIVE_ENTRIES = 16

numbers = st.integers(0, 3)
facts = numbers.map(lambda n: fact_id("place", data_for("fact_recorded", n)["payload"]))
scopes = st.sampled_from(["SCENE", "SESSION", "CAMPAIGN"])
pendings = st.sampled_from(["it", "that"])
steps = st.sampled_from(["ask", "hear"])

SPECIAL: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "fact_recorded": st.builds(
        lambda n, seen, locked, gone: data_for(
            "fact_recorded", n, visibility=seen, precision=locked, supersedes=gone
        ),
        numbers,
        st.sampled_from(["OPEN", "HIDDEN"]),
        st.sampled_from(["EXACT", "LOCKED"]),
        st.lists(facts, max_size=2),
    ),
    "fact_withdrawn": facts.map(lambda fact: {"fact": fact, "reason": "a rumour"}),
    "unlock_granted": st.builds(
        lambda handle, scope: {"handle": handle, "scope": scope},
        facts | st.sampled_from(["kind:place", "handout"]),
        scopes,
    ),
    "pending_opened": st.builds(
        lambda name, chain: {
            "pending": name,
            "kind": "PENDING_CONSENT" if chain else "PENDING_ROLL",
            "prompt": "Well?",
            "steps": chain,
        },
        pendings,
        st.none() | st.just(["ask", "hear"]),
    ),
    "pending_step_taken": st.builds(
        lambda name, step: {"pending": name, "step": step}, pendings, steps
    ),
    "pending_resolved": pendings.map(lambda name: {"pending": name, "outcome": "17"}),
}
ROLLBACK = "rolled_back"
MOVED = "artifact_moved"
PLAIN = [name for name in TYPES if name not in SPECIAL and name not in (ROLLBACK, MOVED)]


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Something of any type but a rollback, about few things, so that they meet again."""
    type_name = draw(st.sampled_from([*PLAIN, *SPECIAL]))
    data = draw(SPECIAL[type_name]) if type_name in SPECIAL else data_for(type_name, draw(numbers))
    return Draft(type_name, data, session_id=draw(st.sampled_from(SESSIONS)))


class BootMachine(RuleBasedStateMachine):
    """A ledger on disk with kept folds, and the saves that were taken of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(saving, "SAVE_SEGMENT_ENTRIES", SEGMENT_ENTRIES)
        self.patch.setattr(sealing, "ARCHIVE_ENTRIES_MAX", ARCHIVE_ENTRIES)
        self.box = Box(self.folder, clock=FixedClock(), ids=FixedIds())
        self.views = Views(str(self.box.place.views))
        self.saves: list[SaveSnapshot] = []

    def teardown(self) -> None:
        self.views.close()
        self.box.ledger.close()
        self.patch.undo()
        shutil.rmtree(self.folder)

    @property
    def reader(self) -> Any:
        return self.box.ledger.reader

    @rule(batch=st.lists(drafts(), min_size=1, max_size=12))
    def record(self, batch: list[Draft]) -> None:
        self.box.ledger.append_many(batch)

    @rule()
    def propose(self) -> None:
        """Move an artifact; each sighting is one of its own."""
        size = self.box.ledger.head().size
        data = data_for(MOVED, size % 4, version=f"episode/{size}")
        self.box.ledger.append(MOVED, data, at=size)

    @precondition(lambda self: self.box.ledger.head().size > 0)
    @rule(share=st.floats(0, 1), session=st.sampled_from(SESSIONS))
    def roll_back(self, share: float, session: str | None) -> None:
        to = int(share * (self.box.ledger.head().size - 1))
        self.box.ledger.append(ROLLBACK, {"to": to, "reason": "again"}, session_id=session)

    @rule(keep=st.integers(0, 8))
    def seal(self, keep: int) -> None:
        self.box.sealer(keep=keep).seal(wait_s=0)

    @rule(kind=st.sampled_from(["SCENE", "SESSION", "CAMPAIGN"]), mark=st.booleans())
    def save(self, kind: Any, mark: bool) -> None:
        """Save the present, as kept folds have it where they are asked to keep this point."""
        size = self.box.ledger.head().size
        fold = fold_at(self.reader, size)
        save = take_save(self.reader, fold, kind, pins=PINS)
        if mark:
            self.views.fold_up(self.reader)
            self.views.mark_point(size)
            assert self.views.digests() == save.store_digests
        self.saves.append(save)

    @rule(share=st.floats(0, 1), kind=st.sampled_from(["SCENE", "SESSION", "CAMPAIGN"]))
    def save_the_past(self, share: float, kind: Any) -> None:
        size = round(share * self.box.ledger.head().size)
        fold = fold_at(self.reader, size, self.views)
        self.saves.append(take_save(self.reader, fold, kind, pins=PINS))

    @rule()
    def wipe_what_is_derived(self) -> None:
        self.views.close()
        place = self.box.place
        for path in place.views.parent.glob(f"{place.views.name}*"):
            path.unlink()
        for path in place.state.rglob("*"):
            if path.is_file() and path.parent != place.archives:
                path.unlink()
        self.views = Views(str(place.views))

    @precondition(lambda self: len(self.saves) > 0)
    @rule(data=st.data())
    def boot_some(self, data: st.DataObject) -> None:
        """From nothing and from a base, by the ledger and by lines: the same bytes."""
        save = data.draw(st.sampled_from(self.saves))
        earlier = [one for one in self.saves if one.tree_size <= save.tree_size]
        start = data.draw(st.sampled_from(earlier))
        from_nothing = boot(self.reader, save)
        self.check(from_nothing)
        self.check(boot(self.reader, save, base=start, views=self.views))
        lines = [stored.body for stored in self.box.ledger.lines()]
        base = base_of(self.reader, start, self.views)
        self.check(cold_boot(save.to_line(), lines, pins=PINS, base=base))

    def check(self, booted: Booted) -> None:
        save = booted.snapshot
        assert booted.digests == save.store_digests
        again = take_save(self.reader, booted.fold, save.save_type, pins=PINS)
        assert again.to_line() == save.to_line()
        required = {one.pending for one in resume(booted).required}
        assert required == set(save.pending_state or ())

    @invariant()
    def the_newest_save_boots(self) -> None:
        if self.saves:
            self.check(boot(self.reader, self.saves[-1]))


TestBootModel = BootMachine.TestCase
TestBootModel.settings = settings(
    max_examples=max(settings().max_examples // 10, 1),
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
