"""The queue, closing and opening again."""

from __future__ import annotations

import threading
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Conflict
from holdfast.storage.port import Batch
from holdfast.testing.builders import LEDGER, sealed_chain
from holdfast.testing.conformance.engines import (
    append,
    artifact,
    audited,
    drop,
    fill,
    run_threads,
)
from holdfast.testing.conformance.suite import Suite


class Lasting(Suite):
    """An engine keeps its order while writers queue and processes end."""

    # The queue

    def test_inside_the_queue_no_other_writer_moves_the_head(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)

        def work() -> None:
            for _ in range(20):
                with engine.queue():
                    append(engine, 1)

        run_threads(work, 8)
        assert engine.head().size == 160
        assert list(range(160)) == [entries.read(one.body).seq for one in engine.read()]

    def test_the_queue_may_be_entered_again_inside(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        with engine.queue(), engine.queue():
            append(engine, 1)
        append(engine, 1)
        assert engine.head().size == 2

    def test_an_error_inside_the_queue_lets_the_next_writer_in(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        with pytest.raises(ZeroDivisionError), engine.queue():
            raise ZeroDivisionError
        run_threads(lambda: append(engine, 1), 1)
        assert engine.head().size == 1

    def test_writers_that_lose_the_race_are_told_so(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        lost: list[Conflict] = []
        start = threading.Barrier(8)

        def race() -> None:
            batch = sealed_chain(Head(LEDGER), 1)
            start.wait(20)
            try:
                engine.append(Batch(batch), expected_head=Head(LEDGER))
            except Conflict as conflict:
                lost.append(conflict)

        run_threads(race, 8)
        assert len(lost) == 7
        assert engine.head().size == 1

    # Closing

    def test_closing_twice_is_allowed(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1)
        engine.close()
        engine.close()

    def test_what_was_kept_is_there_when_it_is_opened_again(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        append(engine, 1, artifacts=artifact(b"kept"))
        archive = self.archived.keep(everything[:10])
        drop(engine, archive)
        size = len(everything) + 1
        before = (engine.head(), list(engine.read()), engine.node(0, size))
        again = self.reopen(engine)
        if again is None:
            return
        assert before == (again.head(), list(again.read()), again.node(0, size))
        assert again.artifact(sha256(b"kept").hexdigest()) == b"kept"
        assert [archive] == list(again.archives())
        assert audited(again) == []
        append(again, 2)
        assert size + 2 == again.head().size
