"""The trajectory on disk: every decision once, whole lines, and whatever is lost comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.index.views import Views
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.publishing import LOCK, Publisher
from holdfast.ledger.trajectory import Note, follow
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import EVERYTHING, Selection, Stored
from holdfast.testing import LEDGER, FixedClock, data_for, open_memory_ledger
from holdfast.testing.builders import draft
from holdfast.testing.clock import START_US
from holdfast.testing.conformance import ArchivedEntries
from holdfast.views.trajectory import span_of

DAY_US = 86_400_000_000


class CountingEngine(MemoryEngine):
    """Counts the entries that somebody reads."""

    def __init__(self) -> None:
        super().__init__(LEDGER)
        self.entries_read = 0

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        for stored in super().read(selection):
            self.entries_read += 1
            yield stored


class BrokenEngine(MemoryEngine):
    """Has an entry that cannot be read any more."""

    def __init__(self, how: str) -> None:
        super().__init__(LEDGER)
        self.how = how
        self.broken: int | None = None

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        for stored in super().read(selection):
            if stored.seq != self.broken:
                yield stored
            elif self.how == "damaged":
                yield Stored(stored.seq, stored.body[:-9], stored.leaf)


class Desk:
    """A ledger whose trajectory is kept."""

    def __init__(self, folder: Path, engine: MemoryEngine | None = None, step_us: int = 1) -> None:
        self.engine = engine or MemoryEngine(LEDGER)
        clock = FixedClock(START_US, step_us=step_us)
        self.ledger: Ledger = open_memory_ledger(self.engine, clock=clock)
        self.views = Views(":memory:")
        self.folder = folder / "trajectory"
        self.state = folder / "state"
        self.publisher = Publisher(self.state, trajectory=self.folder)

    def append(self, kind: str = "decision", n: int = 0, **changes: Any) -> str:
        return self.ledger.append(kind, data_for(kind, n, **changes), session_id="s1").id

    def publish(self) -> dict[str, bytes]:
        self.views.catch_up(self.ledger.reader)
        self.publisher.publish(self.ledger, self.views)
        return self.files()

    def follow(self, note: Note | None, *, gathered: int | None = None) -> Note:
        """Bring the trajectory alone up to date; `gathered` says where to count entries from."""
        self.views.catch_up(self.ledger.reader)
        if gathered is not None and isinstance(self.engine, CountingEngine):
            self.engine.entries_read = gathered
        return follow(self.folder, self.ledger.reader, self.views, note)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}

    def lines(self) -> list[Any]:
        return [json.loads(line) for one in self.publish().values() for line in one.splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def decisions(lines: list[Any]) -> list[str]:
    return [line["decision_id"] for line in lines if line["phase"] == "decision"]


@pytest.mark.req("L10")
@given(st.lists(st.sampled_from(["decision", "publish", "checkpoint", "lose", "tear", "add"])))
@settings(max_examples=40)
def test_every_decision_is_told_exactly_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("traced"), step_us=DAY_US // 3)
    made = []
    for number, step in enumerate(steps):
        if step == "decision":
            made.append(desk.append("decision", number))
        elif step == "checkpoint":
            desk.append("checkpoint", number)
        else:
            files = desk.publish()
            if files and step != "publish":
                harm(desk.folder / sorted(files)[number % len(files)], step)
    assert decisions(desk.lines()) == made


def harm(path: Path, how: str) -> None:
    if how == "lose":
        path.unlink()
    elif how == "tear":
        path.write_bytes(path.read_bytes()[:-7])
    else:
        path.write_bytes(path.read_bytes() + b'{"phase":"decision","decision_id":"forged"}\n')


@pytest.mark.lesson("L5")
def test_every_line_parses_alone(desk: Desk) -> None:
    nasty = 'two\nlines\u2028and\x85more "quoted" \\ \x00'
    desk.append("decision", 1, choice=nasty, reasoning=nasty)
    desk.append("session_ended", 1, reason=nasty)
    [content] = desk.publish().values()
    assert content.endswith(b"\n")
    assert content.isascii()
    told = [json.loads(line) for line in content.decode().splitlines()]
    assert [line["phase"] for line in told] == ["decision", "session_end"]
    assert told[0]["decision"] == nasty


@pytest.mark.lesson("L7")
def test_a_session_across_midnight_loses_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, step_us=6 * 3_600_000_000)
    desk.append("session_started", 1)
    made = [desk.append("decision", number) for number in range(9)]
    desk.publish()
    desk.append("session_ended", 1)
    files = desk.publish()
    assert list(files) == ["2026-11-15.jsonl", "2026-11-16.jsonl", "2026-11-17.jsonl"]
    for name, content in files.items():
        days = {json.loads(line)["ts"][:10] for line in content.splitlines()}
        assert days == {name.removesuffix(".jsonl")}
    lines = desk.lines()
    assert decisions(lines) == made
    assert (lines[0]["phase"], lines[-1]["phase"]) == ("session_start", "session_end")


def test_the_time_zone_of_the_machine_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for zone in ("UTC", "Pacific/Kiritimati", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        desk = Desk(tmp_path / zone.replace("/", "-"), step_us=5 * 3_600_000_000)
        for number in range(9):
            desk.append("decision", number)
        told.append(desk.publish())
    assert told[0] == told[1] == told[2]


@pytest.mark.req("L10")
@pytest.mark.parametrize("lost", ["folder", "one", "note", "both"])
def test_whatever_is_lost_comes_back_the_same(tmp_path: Path, lost: str) -> None:
    desk = Desk(tmp_path, step_us=DAY_US // 2)
    for number in range(8):
        desk.append("decision", number)
        desk.append("prompt_given", number)
    before = desk.publish()
    if lost in ("folder", "both"):
        for name in before:
            (desk.folder / name).unlink()
        desk.folder.rmdir()
    if lost == "one":
        (desk.folder / "2026-11-16.jsonl").unlink()
    if lost in ("note", "both"):
        (desk.state / LOCK).unlink()
    assert desk.publish() == before


def test_added_line_by_line_or_made_at_once_it_is_the_same(tmp_path: Path) -> None:
    kinds = ["session_started", "decision", "fork_opened", "gate_ran", "healed", "checkpoint"]
    slow, quick = (
        Desk(tmp_path / "slow", step_us=DAY_US // 4),
        Desk(tmp_path / "quick", step_us=DAY_US // 4),
    )
    for number, kind in enumerate(kinds * 3):
        slow.append(kind, number)
        slow.publish()
        quick.append(kind, number)
    assert slow.files() == quick.publish()


def test_what_was_edited_by_hand_is_written_anew(desk: Desk) -> None:
    desk.append()
    before = desk.publish()
    [name] = before
    (desk.folder / name).write_bytes(b'{"phase":"decision"}\n')
    assert desk.publish() == before
    foreign = desk.folder / "2026-01-01.jsonl"
    foreign.write_bytes(b"{}\n")
    assert desk.publish() == before


def test_a_file_of_somebody_else_stays(desk: Desk) -> None:
    desk.append()
    desk.publish()
    (desk.folder / "README").write_text("mine")
    (desk.folder / "2026-11-15.jsonl").unlink()
    assert desk.publish()["README"] == b"mine"


def test_what_is_new_costs_what_is_new(tmp_path: Path) -> None:
    engine = CountingEngine()
    desk = Desk(tmp_path, engine)
    for number in range(300):
        desk.append("decision", number)
    note = desk.follow(None)
    engine.entries_read = 0
    assert desk.follow(note, gathered=0) == note
    assert engine.entries_read == 0
    desk.append()
    desk.follow(note, gathered=0)
    assert engine.entries_read == 1


@pytest.mark.parametrize("how", ["damaged", "missing"])
def test_an_entry_that_cannot_be_read_is_told_by_its_number(tmp_path: Path, how: str) -> None:
    engine = BrokenEngine(how)
    desk = Desk(tmp_path, engine)
    desk.append("decision", 0)
    note = desk.follow(None)
    for number in range(1, 4):
        desk.append("decision", number)
    engine.broken = 2
    desk.follow(note)
    files = desk.files()
    assert json.loads(files["undated.jsonl"]) == {"ts": None, "phase": "unreadable", "seq": 2}
    assert files["2026-11-15.jsonl"].count(b"\n") == 3


def test_made_anew_it_costs_what_is_told(tmp_path: Path) -> None:
    engine = CountingEngine()
    desk = Desk(tmp_path, engine)
    for number in range(600):
        desk.append("prompt_given", number)
    desk.append("decision")
    desk.publish()
    (desk.folder / "2026-11-15.jsonl").unlink()
    engine.entries_read = 0
    assert decisions(desk.lines()) != []
    assert engine.entries_read < 50


@pytest.mark.req("L10")
def test_archived_entries_are_told_as_well(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    made = [desk.append("decision", number) for number in range(4)]
    before = desk.publish()
    archived = ArchivedEntries()
    desk.engine._archive_source = archived
    listed = archived.keep(list(desk.ledger.lines())[:3])
    desk.ledger._drop(listed, draft("compression", 0, session_id=None))
    assert desk.publish() == before
    for name in before:
        (desk.folder / name).unlink()
    assert desk.publish() == before
    assert decisions(desk.lines()) == made


@pytest.mark.req("L10")
def test_sessions_that_go_on_from_one_another_share_their_lineage(desk: Desk) -> None:
    from holdfast.ledger.sessions import Sessions

    sessions = Sessions(desk.ledger, desk.views)
    sessions.start("first")
    sessions.end("first", "done")
    sessions.start("second", parent="first")
    desk.ledger.append("decision", data_for("decision"), session_id="second")
    lines = desk.lines()
    assert {line["root_span_id"] for line in lines} == {span_of("first")}
    assert {line["session_id"] for line in lines} == {"first", "second"}


def test_without_a_folder_for_it_there_is_no_trajectory(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.publisher = Publisher(desk.state)
    desk.append()
    desk.views.catch_up(desk.ledger.reader)
    desk.publisher.publish(desk.ledger, desk.views)
    assert not desk.folder.exists()
