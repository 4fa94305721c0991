from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast.config import Seal
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import data_hash, leaf_hash
from holdfast.ledger import sealing
from holdfast.ledger.erasing import Eraser, find
from holdfast.ledger.ledger import Draft
from holdfast.storage.archives import artifacts_in
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for, draft
from holdfast.testing.clock import FixedClock
from holdfast.wiring.opening import open_ledger
from tests.ledger.sealed import Box, bodies_of, named_by_all, packs

ROOT = Path(__file__).parents[2]
LARGE = "x" * 40_000


def notes_of(box: Box) -> list[dict[str, Any]]:
    return [box.ledger.data(entry) for entry in box.ledger.read(Selection(type="compression"))]


@pytest.mark.req("P5")
def test_the_newest_stay_and_the_rest_moves_in_full(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(50)
        lines = box.lines()
        report = box.sealer(keep=10).seal()
        assert (report.sealed, report.kept, report.busy) == (40, 10, False)
        assert [path.name for path in box.listed()] == list(report.archives)
        assert box.lines()[:50] == lines
        assert box.sealer(keep=10).active() == 11
        assert box.ledger.verify().ok


def test_nothing_but_what_stays_is_nothing_to_do(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        assert box.sealer(keep=0).seal() == sealing.SealReport(0, (), 0)
        box.fill(30)
        box.sealer(keep=10).seal()
        size = box.ledger.head().size
        assert box.sealer(keep=10).seal() == sealing.SealReport(0, (), 11)
        assert box.sealer(keep=11).seal() == sealing.SealReport(0, (), 11)
        assert box.ledger.head().size == size
        assert box.sealer(keep=9).seal().sealed == 1


@pytest.mark.lesson("P8")
def test_zero_kept_is_a_value(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(30)
        assert box.sealer(keep=10).seal(keep=0) == sealing.SealReport(
            30, ("archive_20261115_0-29.jsonl.zst",), 0
        )
        assert box.sealer(keep=0).seal().sealed == 0
        box.fill(1)
        assert box.sealer(keep=0).seal().sealed == 2, "the note of the first seal goes along"


def test_a_long_seal_makes_several_archives_each_with_its_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "ARCHIVE_ENTRIES_MAX", 20)
    told: list[tuple[int, int]] = []
    with Box(tmp_path) as box:
        box.fill(90)
        report = box.sealer(keep=10).seal(progress=lambda done, total: told.append((done, total)))
        assert report.sealed == 80
        assert told == [(20, 80), (40, 80), (60, 80), (80, 80)]
        assert [note["entries_compressed"] for note in notes_of(box)] == [20, 20, 20, 20]
        assert [note["archive_path"] for note in notes_of(box)] == [
            f"state/archives/{name}" for name in report.archives
        ]
        assert report.kept == 10
        assert box.sealer(keep=10).seal().sealed == 0


def test_archives_are_bounded_by_bytes_and_by_what_is_packed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Box(tmp_path) as box:
        box.fill(10)
        weight = sum(len(line.body) + 1 for line in box.lines()[:3])
        monkeypatch.setattr(sealing, "ARCHIVE_BYTES_MAX", weight)
        assert len(box.sealer().seal().archives) == 4
        monkeypatch.setattr(sealing, "ARCHIVE_BYTES_MAX", 10**9)
        for n in range(4):
            box.ledger.append("decision", data_for("decision", reasoning=f"{n}" + LARGE))
        monkeypatch.setattr(sealing, "PACK_BYTES_MAX", 2 * len(LARGE) + 2)
        archives = box.sealer().seal().archives
        assert [len(list(artifacts_in(str(pack_of(box, name))))) for name in archives] == [2, 2]
        monkeypatch.setattr(sealing, "PACK_BYTES_MAX", 10)
        box.ledger.append("decision", data_for("decision", reasoning="alone" + LARGE))
        box.sealer().seal()
        *_, (alone,) = (range(a.first, a.last + 1) for a in box.ledger.reader.archives())
        assert len(list(artifacts_in(str(packs(box)[-1])))) == 1, "one alone may be larger"
        assert entries.read(box.lines()[alone].body).type == "decision"


def pack_of(box: Box, name: str) -> Path:
    return box.place.archives / name.replace(".jsonl.zst", ".artifacts.zst")


@pytest.mark.req("P6")
def test_the_note_belongs_to_no_session_and_says_why(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(12, ["s1", "s1", "s2"])
        for trigger in sealing.TRIGGERS:
            box.fill(1)
            box.sealer().seal(trigger=trigger)
        found = list(box.ledger.read(Selection(type="compression")))
        assert {entry.session_id for entry in found} == {None}
        assert {entry.actor.kind for entry in found} == {"holdfast"}
        assert [note["trigger"] for note in notes_of(box)] == list(sealing.TRIGGERS)
        assert notes_of(box)[0]["restore_index"]["s2"]["ranges"] == [
            [2, 2],
            [5, 5],
            [8, 8],
            [11, 11],
        ]
        with pytest.raises(InvalidInput, match="whim"):
            box.sealer().seal(trigger="whim")


def test_ids_of_sessions_that_look_like_secrets_stay_findable(tmp_path: Path) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    with Box(tmp_path) as box:
        box.fill(30, [token, "$artifact", "s1"])
        lines = box.lines()
        box.sealer().seal()
        for session in (token, "$artifact"):
            found = box.restored(session)
            assert [one.body for one in found.entries] == bodies_of(lines, session)
            assert len(found.entries) == 10


# What is not right is not archived


@pytest.mark.lesson("P6")
def test_a_damaged_entry_stops_the_seal_and_is_named(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill_singly(10)
        lines = box.lines()
        box.tamper(6, old=b"Way 6", new=b"Way 7")
        report = None
        with pytest.raises(Damaged, match="Entry 6 cannot be archived: its bytes"):
            report = box.sealer().seal()
        assert report is None
        assert [(a.first, a.last) for a in box.ledger.reader.archives()] == [(0, 5)]
        assert [line for line in box.lines() if line.seq not in (6, 10)] == [
            line for line in lines if line.seq != 6
        ]
        with pytest.raises(Damaged, match="Entry 6"):
            box.sealer().seal()
        assert len(box.listed()) == 1


def test_an_entry_forged_with_its_hash_is_not_archived(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill_singly(10)
        body = box.lines()[6].body
        forged = body.replace(b"It is the shorter one.", b"It is the longest one.")
        data = entries.read(forged)
        forged = forged.replace(data.hash.encode(), data_hash(data.data).encode())
        box.tamper(6, old=body, new=forged, hashes=leaf_hash(forged))
        with pytest.raises(Damaged, match="Entry 6"):
            box.sealer().seal()
        assert [(a.first, a.last) for a in box.ledger.reader.archives()] == [(0, 5)]


def test_the_last_one_to_go_is_held_against_the_first_that_stays(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill_singly(10)
        body = box.lines()[6].body
        forged = body.replace(b"shorter", b"longest")
        data = entries.read(forged)
        forged = forged.replace(data.hash.encode(), data_hash(data.data).encode())
        box.tamper(6, old=body, new=forged, hashes=leaf_hash(forged))
        with pytest.raises(Damaged, match="Entry 6"):
            box.sealer().seal(keep=3)
        assert [(a.first, a.last) for a in box.ledger.reader.archives()] == [(0, 5)]


def test_damage_among_those_that_stay_stops_nothing(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill_singly(10)
        box.tamper(8, old=b"Way 8", new=b"Way 7")
        assert box.sealer().seal(keep=3).sealed == 7


# Artifacts


def test_every_artifact_of_sealed_entries_is_in_a_pack(tmp_path: Path) -> None:
    nested = {"inner": [LARGE + "1", "small"], "more": {str(n): "y" * 3000 for n in range(20)}}
    with Box(tmp_path) as box:
        box.fill(3)
        box.ledger.append("tool_called", {"tool": "t", "params": nested})
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        box.sealer().seal()
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        box.sealer().seal()
        named = named_by_all(box)
        assert len(named) == 3
        packed = {name for pack in packs(box) for name, _ in artifacts_in(str(pack))}
        assert named <= packed
        for sha256 in named:
            assert box.archives.artifact(sha256) == box.ledger.artifact(sha256)


def test_erased_artifacts_are_not_missed_and_lost_ones_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.index.views import Views

    with Box(tmp_path) as box, Views(str(box.place.views)) as views:
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "1"))
        [target] = find(box.ledger.reader, "0")
        eraser = Eraser(box.ledger, box.archives, views, lock_path=str(box.place.seal_lock))
        eraser.erase(target, "asked for")
        assert box.sealer().seal().sealed == 2
        assert packs(box) == []
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        monkeypatch.setattr(box.ledger.reader, "artifact", lambda _sha256: None)
        with pytest.raises(Damaged, match="Entry 3 cannot be archived: the artifact"):
            box.sealer().seal()


# By itself


@pytest.mark.req("P4")
def test_a_long_log_is_sealed_by_itself(tmp_path: Path) -> None:
    with holdfast.open(tmp_path) as ledger:
        for n in range(1000):
            ledger.append("decision", data_for("decision", n))
        assert ledger.reader.archives() == ()
        ledger.append("decision", data_for("decision", 1000))
        [archive] = ledger.reader.archives()
        assert (archive.first, archive.last, ledger.head().size) == (0, 900, 1002)
        assert [e.type for e in ledger.read(Selection(1001))] == ["compression"]
        drafts = [Draft("decision", data_for("decision", n)) for n in range(1000)]
        ledger.append_many(drafts)
        held = ledger.head().size - ledger.reader.archives()[-1].last - 1
        kept = list(ledger.read(Selection(ledger.reader.archives()[-1].last + 1)))
        assert held == 101
        assert sum(entry.type != "compression" for entry in kept) == 100
        assert ledger.verify().ok


@pytest.mark.req("P4")
def test_the_numbers_are_settings_and_off_is_off(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db", seal=Seal(threshold=0, keep=0)) as ledger:
        ledger.append("decision", data_for("decision"))
        assert [(a.first, a.last) for a in ledger.reader.archives()] == [(0, 0)]
    with open_ledger(tmp_path / "b.db", seal=Seal(auto=False, threshold=0)) as ledger:
        ledger.append("decision", data_for("decision"))
        assert ledger.reader.archives() == ()


def test_as_many_kept_as_may_be_active_does_not_make_an_archive_of_each_entry(
    tmp_path: Path,
) -> None:
    with open_ledger(tmp_path / "a.db", seal=Seal(threshold=10, keep=10)) as ledger:
        for n in range(61):
            ledger.append("decision", data_for("decision", n))
        assert 4 <= len(ledger.reader.archives()) <= 6


def test_a_process_that_comes_late_seals_at_the_same_entry(tmp_path: Path) -> None:
    for _ in range(11):
        with open_ledger(tmp_path / "a.db", seal=Seal(threshold=10, keep=4)) as ledger:
            assert ledger.reader.archives() == ()
            ledger.append("decision", data_for("decision"))
    with open_ledger(tmp_path / "a.db") as ledger:
        assert [(a.first, a.last) for a in ledger.reader.archives()] == [(0, 6)]


def test_a_seal_that_fails_by_itself_is_told_and_the_entry_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "a.state").write_text("in the way")
    with open_ledger(tmp_path / "a.db", seal=Seal(threshold=2, keep=0)) as ledger:
        for n in range(2):
            ledger.append("decision", data_for("decision", n))
        with pytest.warns(RuntimeWarning, match="Sealing was put off"):
            assert ledger.append("decision", data_for("decision", 2)).seq == 2
        assert ledger.head().size == 3


# The lessons


@pytest.mark.lesson("P1")
def test_interleaved_sessions_each_get_exactly_their_own(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(200, ["s1", "s2"])
        lines = box.lines()
        box.sealer().seal(keep=37)
        for session in ("s1", "s2"):
            found = box.restored(session)
            assert [one.body for one in found.entries] == bodies_of(lines, session)
            assert len(found.entries) == 100
            assert found.whole
        [note] = notes_of(box)
        for session, index in note["restore_index"].items():
            inside = [seq for first, last in index["ranges"] for seq in range(first, last + 1)]
            sealed = [x.seq for x in lines[:163] if entries.read(x.body).session_id == session]
            assert inside == sealed
            assert (index["start"], index["end"]) == (sealed[0], sealed[-1])


@pytest.mark.lesson("P2")
def test_after_ten_seals_every_session_restores_whole(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        for seal in range(10):
            box.fill(25, [f"session-{seal}", "all-along"])
            box.sealer(keep=7).seal()
        lines = box.lines()
        assert len(box.listed()) == 10
        for session in ("all-along", *(f"session-{n}" for n in range(10))):
            found = box.restored(session)
            assert found.whole
            assert [one.body for one in found.entries] == bodies_of(lines, session)
            assert found.entries


@pytest.mark.lesson("P3")
def test_three_seals_in_one_second_lose_nothing(tmp_path: Path) -> None:
    with Box(tmp_path, clock=FixedClock(step_us=0)) as box:
        names: list[str] = []
        for _ in range(3):
            box.fill(190)
            names += box.sealer(keep=5).seal().archives
        assert len(set(names)) == 3
        assert [line.seq for line in box.lines()] == list(range(573))
        assert box.restored(None).whole
        assert box.ledger.verify().ok


@pytest.mark.lesson("P4")
def test_split_anywhere_a_session_comes_back_byte_for_byte(tmp_path: Path) -> None:
    for keep in range(13):
        folder = tmp_path / str(keep)
        folder.mkdir()
        with Box(folder) as box:
            box.fill(12, ["s1", "s1", "s2"])
            lines = box.lines()
            box.sealer().seal(keep=keep)
            found = box.restored("s1")
            assert found.whole
            assert [one.body for one in found.entries] == bodies_of(lines, "s1")


def test_a_clock_that_goes_back_loses_nothing(tmp_path: Path) -> None:
    with Box(tmp_path, clock=FixedClock(step_us=-3_600_000_000 * 20)) as box:
        for _ in range(3):
            box.fill(10)
            box.sealer().seal()
        days = [archive.name.split("_")[1] for archive in box.ledger.reader.archives()]
        assert days == sorted(days, reverse=True)
        assert len(set(days)) == 3
        assert box.restored(None).whole


def test_a_log_that_is_far_too_long_shrinks_in_many_steps(tmp_path: Path) -> None:
    """Nobody who records one entry waits for all that was never sealed."""
    with open_ledger(tmp_path, seal=Seal(auto=False)) as ledger:
        ledger.append_many([draft("metric", n) for n in range(500)])
    with open_ledger(tmp_path, seal=Seal(threshold=50, keep=10)) as ledger:
        lasts = []
        for n in range(4):
            ledger.append("metric", data_for("metric", n))
            lasts.append([archive.last for archive in ledger.reader.archives()])
    assert lasts[0] == [149]
    for later in range(4):
        with open_ledger(tmp_path, seal=Seal(threshold=50, keep=10)) as ledger:
            ledger.append("metric", data_for("metric", later))
            active = ledger.head().size - ledger.reader.archives()[-1].last - 1
    assert active <= 50
