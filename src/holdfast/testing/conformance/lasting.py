"""Archives, the queue, closing and opening again."""

from __future__ import annotations

import threading
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Conflict
from holdfast.storage.port import Archive, Batch, Selection, Stored
from holdfast.testing.builders import LEDGER, prepared, sealed_chain
from holdfast.testing.conformance.engines import (
    append,
    artifact,
    audited,
    fill,
    run_threads,
    stored_form,
)
from holdfast.testing.conformance.suite import Suite


class Lasting(Suite):
    """An engine keeps its order while entries move, writers queue and processes end."""

    # Archives

    def test_sealed_entries_read_back_identically(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        selections = [
            Selection(),
            Selection(newest_first=True),
            Selection(5, 700),
            Selection(0, 11),
            Selection(type="error"),
            Selection(session_id="s1", newest_first=True),
            Selection(session_id="s1", type="metric"),
            Selection(id=entries.read(everything[3].body).id),
            Selection(id=entries.read(everything[40].body).id),
        ]
        before = [list(engine.read(selection)) for selection in selections]
        head, root = engine.head(), engine.node(0, len(everything))
        listed = [self.archived.keep(everything[:10]), self.archived.keep(everything[10:30])]
        for archive in listed:
            engine.seal(archive)
            assert before == [list(engine.read(selection)) for selection in selections]
        assert listed == list(engine.archives())
        assert head == engine.head()
        assert root == engine.node(0, len(everything))
        assert audited(engine) == []

    def test_sealed_bytes_are_gone_from_the_engine(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        engine.seal(self.archived.keep(everything[:10]))
        self.archived.kept[4] = Stored(4, b"from the archive", everything[4].leaf)
        assert next(engine.read(Selection(4, 5))).body == b"from the archive"

    def test_an_id_that_resembles_a_sealed_one_is_accepted(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        engine.seal(self.archived.keep(everything[:10]))
        head = engine.head()
        like = entries.read(everything[3].body).id[:-4] + "ffff"
        batch = list(chain.seal_all(head, [prepared(n=head.size, id=like)]))
        engine.append(Batch(batch), expected_head=head)
        assert stored_form(batch) == list(engine.read(Selection(id=like)))

    def test_only_the_oldest_entries_can_be_sealed(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        engine.seal(self.archived.keep(everything[:10]))
        size = len(everything)
        wrong = [(0, 9), (9, 29), (11, 29), (30, 39), (10, size), (10, 9), (size, size + 9)]
        for first, last in wrong:
            with pytest.raises(Conflict):
                engine.seal(Archive(first, last, "wrong", "0" * 64, 1))
        assert [(archive.first, archive.last) for archive in engine.archives()] == [(0, 9)]
        assert everything == list(engine.read())

    def test_after_a_seal_appending_goes_on(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        engine.seal(self.archived.keep(everything))
        everything += stored_form(append(engine, 3))
        assert everything == list(engine.read())

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
        engine.seal(archive)
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
