"""What came during a pause, or in a private session, is not taken from a transcript later."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.agents import pausing
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.sources import timestamp
from holdfast.testing.builders import open_memory_ledger
from holdfast.testing.clock import FixedClock
from holdfast.wiring.places import Place
from holdfast.wiring.unrecorded import Unrecorded, Window, pauses_of

S = 1_000_000


class At(FixedClock):
    """A clock that is set."""

    now_us = 0

    def __call__(self) -> int:
        return self.now_us


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def ledger(clock: At) -> Ledger:
    return open_memory_ledger(clock=clock)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "ledger.db")


def draft(at_us: int | None, session: str | None = "s1") -> Draft:
    data = {} if at_us is None else {"at": timestamp(at_us)}
    return Draft("hook_fired", {"agent": "codex", "event": "x", **data}, session)


def record(ledger: Ledger, clock: At, at_s: int, type_name: str, **data: object) -> None:
    clock.now_us = at_s * S
    session = data.get("session")
    ledger.append(type_name, data, session_id=session if isinstance(session, str) else None)


def test_nothing_is_hidden_where_nothing_was_paused(ledger: Ledger, place: Place) -> None:
    assert pauses_of(ledger) == []
    assert Unrecorded(ledger, place).left([draft(5 * S), draft(None)]) == [
        draft(5 * S),
        draft(None),
    ]


def test_a_pause_hides_what_came_in_it_and_what_tells_no_time_after_it(
    ledger: Ledger, clock: At, place: Place
) -> None:
    record(ledger, clock, 10, "recording_paused")
    record(ledger, clock, 20, "recording_resumed", unrecorded=3)
    record(ledger, clock, 30, "recording_paused", session="s1")
    assert pauses_of(ledger) == [Window(None, 10 * S, 20 * S), Window("s1", 30 * S)]
    lines = [draft(9 * S), draft(None), draft(15 * S), draft(None), draft(21 * S), draft(40 * S)]
    assert Unrecorded(ledger, place).left(lines) == [draft(9 * S), draft(None), draft(21 * S)]
    assert Unrecorded(ledger, place).left([draft(40 * S, "s2")]) == [draft(40 * S, "s2")]


def test_a_private_session_stays_private(ledger: Ledger, clock: At, place: Place) -> None:
    folder = str(place.folder)
    for event, at_s in (("SessionStart", 10), ("Stop", 15), ("SessionEnd", 20), ("Stop", 30)):
        pausing.note_private(folder, "s1", event, at_s * S)
    assert pausing.private_since(folder, "s1") == [(10 * S, 20 * S), (30 * S, None)]
    unrecorded = Unrecorded(ledger, place)
    shown = [draft(at * S) for at in (7, 23, 27)]
    hidden = [draft(at * S) for at in (8, 12, 22, 28, 99)]
    assert unrecorded.left(shown) == shown
    assert unrecorded.left(hidden) == []
    assert unrecorded.left([draft(12 * S, "s2"), draft(12 * S, None)]) != []


def test_a_private_session_that_never_said_its_end_ends_where_it_is_recorded_again(
    ledger: Ledger, clock: At, place: Place
) -> None:
    pausing.note_private(str(place.folder), "s1", "SessionStart", 10 * S)
    clock.now_us = 50 * S
    ledger.append("session_started", {}, session_id="s1")
    unrecorded = Unrecorded(ledger, place)
    assert unrecorded.hides(draft(49 * S)) is True
    assert unrecorded.hides(draft(51 * S)) is False


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path, place: Place) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / pausing.PRIVATE_FOLDER).symlink_to(tmp_path / "elsewhere")
    pausing.note_private(str(tmp_path), "s1", "SessionStart", S)
    pausing.note_private(str(tmp_path), "", "SessionStart", S)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_torn_line_of_a_private_session_is_passed_over(tmp_path: Path) -> None:
    pausing.note_private(str(tmp_path), "s1", "SessionStart", S)
    [file] = (tmp_path / pausing.PRIVATE_FOLDER).iterdir()
    file.write_bytes(file.read_bytes() + b"-00\xff\n-\n+x")
    assert pausing.private_since(str(tmp_path), "s1") == [(S, None)]
