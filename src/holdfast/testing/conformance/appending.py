"""The head, batches and their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.kernel import chain, merkle
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Conflict, InvalidInput
from holdfast.kernel.limits import (
    BATCH_ENTRIES_MAX,
    ENTRY_BYTES_MAX,
    KIB,
    RUN_BYTES_MAX,
    RUN_ENTRIES_MAX,
)
from holdfast.storage.port import Batch, Selection
from holdfast.testing.builders import LEDGER, prepared, sealed_chain
from holdfast.testing.conformance.engines import (
    SESSIONS_USED,
    TYPES_USED,
    append,
    artifact,
    audited,
    stored_form,
)
from holdfast.testing.conformance.suite import Suite


class Appending(Suite):
    """An engine appends all of a batch or none of it, behind the head it was told."""

    # The head

    def test_an_empty_ledger_has_size_zero_and_names_itself(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        assert Head(LEDGER) == engine.head()
        assert list(engine.read()) == []

    def test_the_head_follows_every_append(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        for count in (1, 3, 1):
            added = append(engine, count)
            assert Head(LEDGER, added[-1].seq + 1, added[-1].leaf) == engine.head()

    def test_a_batch_for_another_head_is_refused_and_leaves_nothing(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 3)
        head = engine.head()
        wrong_heads = [
            Head(LEDGER),
            Head(LEDGER, 2, head.leaf),
            Head(LEDGER, 4, head.leaf),
            Head(LEDGER, 3, b"\1" * 32),
            Head("f" * 32, 3, head.leaf),
        ]
        for wrong in wrong_heads:
            batch = Batch(sealed_chain(head, 2), artifact(b"with it"))
            with pytest.raises(Conflict):
                engine.append(batch, expected_head=wrong)
            assert head == engine.head()
        assert engine.artifact(next(iter(artifact(b"with it")))) is None
        assert [stored.seq for stored in engine.read()] == [0, 1, 2]

    def test_after_a_conflict_the_right_head_is_accepted(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1)
        with pytest.raises(Conflict):
            engine.append(Batch(sealed_chain(Head(LEDGER), 1)), expected_head=Head(LEDGER))
        append(engine, 1)
        assert engine.head().size == 2

    # Batches

    def test_entries_come_back_in_order_byte_for_byte(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        added = [sealed for count in (1, 2, 5, 1, 300, 1) for sealed in append(engine, count)]
        assert stored_form(added) == list(engine.read())
        assert list(range(310)) == [entries.read(one.body).seq for one in engine.read()]

    def test_an_empty_batch_changes_nothing(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1)
        head = engine.head()
        engine.append(Batch([]), expected_head=head)
        assert head == engine.head()

    def test_a_batch_that_is_refused_for_a_known_id_leaves_nothing(self, tmp_path: Path) -> None:
        """An engine MAY refuse such a batch; one that does refuses all of it."""
        engine = self.make_engine(tmp_path)
        known = append(engine, 5)[2].id
        head = engine.head()
        new = [prepared(n=5), prepared(n=6, id=known), prepared(n=7)]
        batch = Batch(list(chain.seal_all(head, new)), artifact(b"with it"))
        try:
            engine.append(batch, expected_head=head)
        except InvalidInput:
            assert head == engine.head()
            assert [stored.seq for stored in engine.read()] == [0, 1, 2, 3, 4]
            assert list(engine.read(Selection(id=new[0].id))) == []
            assert engine.artifact(next(iter(artifact(b"with it")))) is None
        else:
            assert [stored.seq for stored in engine.read(Selection(id=known))] == [2, 6]
        append(engine, 3)
        assert audited(engine) == []

    @pytest.mark.parametrize(
        "odd",
        [
            "x",
            "UPPER and spaces",
            "☃" * 60,
            "019a8605-1c80-7000-8000-000000000000",
            "019a8605-1c80-7000-8000-000000000001",
            "ffffffff-ffff-7fff-bfff-ffffffffffff",
            "80000000-0000-7000-8000-000000000000",
            "+1234567-1234-7123-8000-000000000000",
            "12345678-1234-7zzz-8000-000000000000",
            "a" * 200,
        ],
        ids=ascii,
    )
    def test_an_id_of_any_shape_is_found(self, tmp_path: Path, odd: str) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 3)
        head = engine.head()
        (sealed,) = chain.seal_all(head, [prepared(n=3, id=odd)])
        engine.append(Batch([sealed]), expected_head=head)
        assert stored_form([sealed]) == list(engine.read(Selection(id=odd)))
        append(engine, 300)
        assert stored_form([sealed]) == list(engine.read(Selection(id=odd)))
        assert audited(engine) == []

    def test_ids_that_differ_only_at_the_end_are_different(self, tmp_path: Path) -> None:
        """Engines may look ids up by a part of them; two that share it MUST stay two."""
        engine = self.make_engine(tmp_path)
        ids = [f"019a8605-1c80-7abc-8000-00000000000{end}" for end in range(4)]
        for n, one in enumerate(ids):
            head = engine.head()
            batch = list(chain.seal_all(head, [prepared(n=n, id=one)]))
            engine.append(Batch(batch), expected_head=head)
        assert list(range(4)) == [next(engine.read(Selection(id=one))).seq for one in ids]

    # Bounds

    def test_the_largest_batch_is_kept_whole(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        added = append(engine, BATCH_ENTRIES_MAX, types=TYPES_USED, sessions=SESSIONS_USED)
        assert engine.head().size == BATCH_ENTRIES_MAX
        assert stored_form(added) == list(engine.read())
        assert stored_form(added[::-1]) == list(engine.read(Selection(newest_first=True)))
        assert audited(engine) == []

    def test_the_largest_entry_is_kept_whole(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        small, big = {"text": "x"}, {"text": "x" * (ENTRY_BYTES_MAX - 600)}
        batch = list(
            chain.seal_all(
                Head(LEDGER), [prepared(n=n, data=big if n == 1 else small) for n in range(3)]
            )
        )
        assert ENTRY_BYTES_MAX - KIB < len(batch[1].body) <= ENTRY_BYTES_MAX
        engine.append(Batch(batch), expected_head=Head(LEDGER))
        assert stored_form(batch) == list(engine.read())
        assert stored_form(batch[1:2]) == list(engine.read(Selection(1, 2)))

    @pytest.mark.parametrize("around", [RUN_ENTRIES_MAX, 2 * RUN_ENTRIES_MAX])
    def test_batches_around_the_length_of_a_run_are_kept_whole(
        self, tmp_path: Path, around: int
    ) -> None:
        engine = self.make_engine(tmp_path)
        added = [
            sealed for count in (around - 1, around, around + 1) for sealed in append(engine, count)
        ]
        assert stored_form(added) == list(engine.read())
        assert merkle.root_of([one.leaf for one in added]) == engine.node(0, len(added))

    def test_batches_around_the_weight_of_a_run_are_kept_whole(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        texts = [RUN_BYTES_MAX // 4] * 9 + [RUN_BYTES_MAX - 500, RUN_BYTES_MAX, 3, RUN_BYTES_MAX]
        batch = list(
            chain.seal_all(
                Head(LEDGER),
                [prepared(n=n, data={"text": "x" * size}) for n, size in enumerate(texts)],
            )
        )
        engine.append(Batch(batch), expected_head=Head(LEDGER))
        assert stored_form(batch) == list(engine.read())
        for sealed in batch:
            assert stored_form([sealed]) == list(engine.read(Selection(id=sealed.id)))

    def test_entries_may_hold_any_character(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        odd = 'line\nend\r\n\x00\u2028\u2029\\"\x7f\U0001f980'
        batch = list(
            chain.seal_all(
                Head(LEDGER),
                [prepared(n=n, data={odd: [odd]}, session_id="☃ \U0001f980") for n in range(3)],
            )
        )
        engine.append(Batch(batch), expected_head=Head(LEDGER))
        assert stored_form(batch) == list(engine.read(Selection(session_id="☃ \U0001f980")))
