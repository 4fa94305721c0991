"""Archives and erased artifacts: what leaves an engine, and what stays of it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput
from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES
from holdfast.ledger.verify import verify
from holdfast.storage.port import Archive, Batch, Engine, Erased, Selection, Stored
from holdfast.testing.builders import LEDGER, prepared, sealed_chain
from holdfast.testing.conformance.engines import (
    append,
    artifact,
    audited,
    drop,
    fill,
    stored_form,
)
from holdfast.testing.conformance.suite import Suite

GONE = Erased(sha256(b"gone").hexdigest())


class Leaving(Suite):
    """An engine lets bytes go only for an archive or on request, and says so in the same step."""

    # Archives

    @pytest.mark.parametrize("ends", [(10, 30), (1, 2, 3), (17, 100, 101, 333, 700), (256, 721)])
    def test_sealed_entries_read_back_identically(
        self, tmp_path: Path, ends: tuple[int, ...]
    ) -> None:
        """An archive may end at any entry, whichever were appended together."""
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        selections = _selections(everything)
        before = [list(engine.read(selection)) for selection in selections]
        head, root = engine.head(), engine.node(0, len(everything))
        listed = []
        for first, stop in zip((0, *ends), ends, strict=False):
            listed.append(self.archived.keep(everything[first:stop]))
            drop(engine, listed[-1])
            assert before == [list(engine.read(selection)) for selection in selections]
        assert listed == list(engine.archives())
        assert head == engine.head()
        assert root == engine.node(0, len(everything))
        assert audited(engine) == []

    def test_an_id_in_an_archive_that_is_gone_is_not_said_to_be_new(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything[:200]))
        known = entries.read(everything[70].body).id
        del self.archived.kept[70]
        with pytest.raises(Damaged):
            list(engine.read(Selection(id=known)))
        assert list(engine.read(Selection(id="another one"))) == []

    def test_the_note_of_a_seal_is_appended_with_it(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        head = engine.head()
        note = list(chain.seal_all(head, [prepared("compression", head.size)]))
        batch = Batch(note, artifact(b"of the note"))
        engine.drop(self.archived.keep(everything[:300]), batch, expected_head=head)
        assert [*everything, *stored_form(note)] == list(engine.read())
        assert Head(LEDGER, head.size + 1, note[0].leaf) == engine.head()
        assert engine.artifact(sha256(b"of the note").hexdigest()) == b"of the note"
        assert verify(engine).ok

    def test_many_seals_with_notes_keep_one_order(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        expected = fill(engine)
        for number in range(10):
            stop = 64 * number + 50
            sealed = sum(archive.last - archive.first + 1 for archive in engine.archives())
            head = engine.head()
            note = list(chain.seal_all(head, [prepared("compression", head.size)]))
            archive = self.archived.keep(expected[sealed:stop])
            engine.drop(archive, Batch(note), expected_head=head)
            expected += stored_form(note)
            assert expected == list(engine.read())
        assert len(engine.archives()) == 10
        assert expected[::-1] == list(engine.read(Selection(newest_first=True)))
        assert verify(engine).ok

    def test_everything_may_be_sealed_and_appending_goes_on(self, tmp_path: Path) -> None:
        """Entries that leave before the index takes them in are found by every name later on."""
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything))
        assert audited(engine) == []
        for count in (3, 1, INDEX_BLOCK_ENTRIES, 5):
            everything += stored_form(append(engine, count, sessions=("s1",)))
            assert everything == list(engine.read())
            for stored in everything[-90:]:
                found = engine.read(Selection(id=entries.read(stored.body).id))
                assert [stored] == list(found)
            assert audited(engine) == []
        of_session = [s for s in everything if entries.read(s.body).session_id == "s1"]
        assert of_session == list(engine.read(Selection(session_id="s1")))
        assert verify(engine).ok

    def test_a_seal_behind_another_head_is_refused_and_changes_nothing(
        self, tmp_path: Path
    ) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        head = engine.head()
        append(engine, 1, artifacts=artifact(b"gone"))
        stale = Batch(sealed_chain(head, 1))
        for leaving in (self.archived.keep(everything[:10]), GONE):
            with pytest.raises(Conflict):
                engine.drop(leaving, stale, expected_head=head)
        assert list(engine.archives()) == []
        assert engine.artifact(GONE.sha256) == b"gone"
        assert engine.head().size == head.size + 1
        drop(engine, self.archived.keep(everything[:10]))
        assert everything == list(engine.read())[:-1]

    def test_only_the_oldest_entries_can_be_sealed(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything[:10]))
        head, size = engine.head(), len(everything)
        wrong = [(0, 9), (9, 29), (11, 29), (30, 39), (10, size), (10, 9), (size, size + 9)]
        for first, last in wrong:
            with pytest.raises(Conflict):
                engine.drop(
                    Archive(first, last, "wrong", "0" * 64, 1),
                    Batch(sealed_chain(head, 1)),
                    expected_head=head,
                )
        assert [(archive.first, archive.last) for archive in engine.archives()] == [(0, 9)]
        assert everything == list(engine.read())

    def test_sealed_bytes_are_gone_from_the_engine(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything[:400]))
        for seq in (4, 399):
            self.archived.kept[seq] = Stored(seq, b"from the archive", b"")
            read = next(engine.read(Selection(seq, seq + 1)))
            assert Stored(seq, b"from the archive", everything[seq].leaf) == read

    def test_what_an_archive_does_not_give_is_left_out(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything[:400]))
        for seq in (0, 7, 8, 399):
            del self.archived.kept[seq]
        left = [stored for stored in everything if stored.seq not in (0, 7, 8, 399)]
        assert left == list(engine.read())
        assert left[::-1] == list(engine.read(Selection(newest_first=True)))

    def test_a_reader_that_is_overtaken_by_a_seal_misses_nothing(self, tmp_path: Path) -> None:
        for newest_first in (False, True):
            engine = self.make_engine(_folder(tmp_path, str(newest_first)))
            everything = fill(engine)
            reading = engine.read(Selection(newest_first=newest_first))
            begun = [next(reading) for _ in range(5)]
            drop(engine, self.archived.keep(everything[:500]))
            read = [*begun, *reading]
            assert everything == (read[::-1] if newest_first else read)
            engine.close()

    def test_an_id_that_resembles_a_sealed_one_is_accepted(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        drop(engine, self.archived.keep(everything[:10]))
        head = engine.head()
        like = entries.read(everything[3].body).id[:-4] + "ffff"
        batch = list(chain.seal_all(head, [prepared(n=head.size, id=like)]))
        engine.append(Batch(batch), expected_head=head)
        assert stored_form(batch) == list(engine.read(Selection(id=like)))

    # Erasing

    def test_an_erased_artifact_is_gone_and_the_note_says_so(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 3, artifacts={**artifact(b"gone"), **artifact(b"stays")})
        _erase(engine)
        assert engine.artifact(GONE.sha256) is None
        assert engine.artifact(sha256(b"stays").hexdigest()) == b"stays"
        assert [stored.seq for stored in engine.read(Selection(type="artifact_erased"))] == [3]
        assert verify(engine).ok
        assert audited(engine) == []

    def test_erasing_again_and_what_never_was_there_is_allowed(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1, artifacts=artifact(b"gone"))
        _erase(engine)
        _erase(engine)
        drop(engine, Erased("0" * 64))
        assert engine.artifact(GONE.sha256) is None
        assert engine.head().size == 3
        assert verify(engine).ok

    @pytest.mark.parametrize("name", ["", "abc", "zz" * 32, "F" * 64, "☃"])
    def test_what_no_artifact_can_be_called_is_not_erased(self, tmp_path: Path, name: str) -> None:
        engine = self.make_engine(tmp_path)
        append(engine, 1)
        head = engine.head()
        with pytest.raises(InvalidInput):
            engine.drop(Erased(name), Batch(sealed_chain(head, 1)), expected_head=head)
        assert head == engine.head()

    def test_an_erased_artifact_may_be_put_again_and_erased_again(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        for _ in range(2):
            append(engine, 1, artifacts=artifact(b"gone"))
            assert engine.artifact(GONE.sha256) == b"gone"
            _erase(engine)
            assert engine.artifact(GONE.sha256) is None
        append(engine, 1, artifacts=artifact(b"gone"))
        assert engine.artifact(GONE.sha256) == b"gone"

    def test_what_left_stays_gone_when_it_is_opened_again(self, tmp_path: Path) -> None:
        engine = self.make_engine(tmp_path)
        everything = fill(engine)
        append(engine, 1, artifacts=artifact(b"gone"))
        listed = self.archived.keep(everything[:300])
        drop(engine, listed)
        _erase(engine)
        before = (engine.head(), list(engine.read()))
        again = self.reopen(engine)
        if again is None:
            return
        assert before == (again.head(), list(again.read()))
        assert [listed] == list(again.archives())
        assert again.artifact(GONE.sha256) is None
        assert verify(again).ok


def _selections(everything: list[Stored]) -> list[Selection]:
    """Return selections of every kind over a filled engine."""
    return [
        Selection(),
        Selection(newest_first=True),
        Selection(5, 700),
        Selection(0, 11),
        Selection(99, 334, newest_first=True),
        Selection(type="error"),
        Selection(session_id="s1", newest_first=True),
        Selection(20, 600, session_id="s1"),
        Selection(session_id="s1", type="metric"),
        *(Selection(id=entries.read(everything[seq].body).id) for seq in (3, 16, 17, 40, 720)),
    ]


def _erase(engine: Engine) -> None:
    """Erase an artifact, with the note that says so."""
    with engine.queue():
        head = engine.head()
        data = {"sha256": GONE.sha256, "bytes": 4, "reason": "asked for"}
        note = chain.seal_all(head, [prepared("artifact_erased", head.size, data=data)])
        engine.drop(GONE, Batch(list(note)), expected_head=head)


def _folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name
