"""From jobs to entries: all of it or nothing, once, and after what others appended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Conflict, StorageFailed
from holdfast.kernel.limits import READIED_AT_ONCE
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.readying import Readying
from holdfast.proxy.lulls import Lulls
from holdfast.proxy.recording import Recorder
from holdfast.proxy.settling import Settled
from holdfast.proxy.values import Answered, Asked, Draft, Job, Map, Prepared
from holdfast.storage.port import Reader
from holdfast.testing import data_for
from tests.proxy.shown import Desk, episode


class Settling:
    """Lets an episode follow from each job."""

    def __init__(self) -> None:
        self.settled: list[list[str]] = []
        self.accepted: list[str] = []

    def settle(self, jobs: Sequence[Job], known: Map) -> Settled:
        names = [job.episode for job in jobs if isinstance(job, Asked)]
        self.settled.append(names)
        return Settled(tuple(Draft("episode_recorded", episode(name)) for name in names))

    def accept(self, settled: Settled) -> None:
        self.accepted += [draft.data["episode"] for draft in settled.drafts]


class Troubled:
    """A ledger that is in trouble a few times; `before` runs before it writes, `after` after."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.before: list[Callable[[], object]] = []
        self.after: list[Callable[[], object]] = []

    @property
    def reader(self) -> Reader:
        return self._ledger.reader

    def head(self) -> Head:
        return self._ledger.head()

    def readying(self, drafts: Sequence[Draft], head: Head) -> Readying:
        return self._ledger.readying(drafts, head)

    def append_readied(self, readied: Readying) -> None:
        if self.before:
            self.before.pop(0)()
        self._ledger.append_readied(readied)
        if self.after:
            self.after.pop(0)()


def fail() -> None:
    raise StorageFailed("The disk is full.")


class Stepping(Lulls):
    """Notes what is known after each step, and how much was remembered by then."""

    def __init__(self, room: Room) -> None:
        super().__init__()
        self._room = room
        self.steps: list[tuple[int, int]] = []

    def do(self, steps: Iterator[object]) -> None:
        for _ in steps:
            self.steps.append((self._room.desk.live.size, len(self._room.settling.accepted)))


class Room:
    def __init__(self) -> None:
        self.desk = Desk()
        self.ledger = Troubled(self.desk.ledger)
        self.settling = Settling()
        self.over: list[str] = []
        self.lulls = Stepping(self)
        self.recorder = Recorder(
            self.ledger,
            self.desk.live,
            self.settling,
            let_go=self.over.append,
            lulls=self.lulls,
        )

    def episodes(self) -> list[object]:
        return [
            entry.value()["episode"]
            for entry in self.desk.ledger.read()
            if entry.type == "episode_recorded"
        ]


@pytest.fixture
def room() -> Room:
    return Room()


def asked(name: str) -> Asked:
    return Asked(name, "chat", b"{}")


def answered(request: Asked) -> Answered:
    return Answered(Prepared(request, b"", ""), 200, b"", "", "", True, "whole", "up")


def test_jobs_are_recorded_together_and_taken_in(room: Room) -> None:
    room.recorder([asked("e1"), asked("e2")])
    assert room.episodes() == ["e1", "e2"]
    assert room.settling.accepted == ["e1", "e2"]
    assert room.desk.live.size == 2


def test_all_but_the_write_itself_is_done_by_small_steps(room: Room) -> None:
    count = 2 * READIED_AT_ONCE + 1
    room.recorder([*(asked(f"e{number}") for number in range(count)), answered(asked("e0"))])
    made_ready = [(0, 0)] * 3
    taken_in = [(size, 0) for size in range(1, count + 1)]  # and only then remembered
    let_go = [(count, count)]
    assert room.lulls.steps == made_ready + taken_in + let_go
    assert (room.episodes(), room.over) == ([f"e{number}" for number in range(count)], ["e0"])


def test_an_episode_is_let_go_when_its_answer_is_recorded_and_not_before(room: Room) -> None:
    answer = answered(asked("e1"))
    room.recorder([asked("e1")])
    assert room.over == []
    room.ledger.before = [fail]
    with pytest.raises(StorageFailed):
        room.recorder([answer, asked("e2")])
    assert room.over == []
    room.recorder([answer, asked("e2")])
    assert room.over == ["e1"]


def test_a_job_from_which_nothing_follows_appends_nothing(room: Room) -> None:
    room.recorder([])
    assert room.desk.ledger.head().size == 0


def test_what_others_append_meanwhile_is_taken_in_first(room: Room) -> None:
    room.ledger.before = [lambda: room.desk.ledger.append("decision", data_for("decision"))]
    room.recorder([asked("e1")])
    assert room.settling.settled == [["e1"], ["e1"]]
    assert room.settling.accepted == ["e1"]
    assert [entry.type for entry in room.desk.ledger.read()] == ["decision", "episode_recorded"]


def test_what_others_append_behind_is_taken_in_with_the_next_look_or_the_next_jobs(
    room: Room,
) -> None:
    def other() -> object:
        return room.desk.ledger.append("decision", data_for("decision"))

    room.ledger.after = [other, other]
    room.recorder([asked("e1")])
    assert (room.desk.live.size, room.desk.ledger.head().size) == (1, 2)
    room.recorder.look()
    assert room.desk.live.size == 2
    room.recorder([asked("e2")])
    room.recorder([asked("e3")])
    assert room.settling.settled == [["e1"], ["e2"], ["e3"]]
    assert room.desk.live.size == room.desk.ledger.head().size == 5


def test_what_others_append_while_it_is_worked_out_is_taken_in_first(room: Room) -> None:
    settle = room.settling.settle

    def late(jobs: Sequence[Job], known: Map) -> Settled:
        if not room.settling.settled:
            room.desk.ledger.append("decision", data_for("decision"))
        return settle(jobs, known)

    room.settling.settle = late  # type: ignore[method-assign]
    room.recorder([asked("e1")])
    assert room.settling.settled == [["e1"], ["e1"]]
    assert [entry.type for entry in room.desk.ledger.read()] == ["decision", "episode_recorded"]


def test_looking_takes_in_what_others_appended(room: Room) -> None:
    room.desk.ledger.append("decision", data_for("decision"))
    room.recorder.look()
    assert room.desk.live.size == 1


def test_who_never_gets_a_turn_lets_it_wait(room: Room) -> None:
    room.ledger.before = [
        lambda: room.desk.ledger.append("decision", data_for("decision")) for _ in range(500)
    ]
    with pytest.raises(Conflict):
        room.recorder([asked("e1")])
    assert room.settling.accepted == []


def test_a_failed_write_leaves_nothing_behind_and_is_done_again(room: Room) -> None:
    room.ledger.before = [fail]
    jobs = [asked("e1")]
    with pytest.raises(StorageFailed):
        room.recorder(jobs)
    assert (room.episodes(), room.settling.accepted) == ([], [])
    room.recorder([*jobs, asked("e2")])
    assert (room.episodes(), room.settling.accepted) == (["e1", "e2"], ["e1", "e2"])


def test_a_write_that_came_through_though_it_failed_is_not_done_twice(room: Room) -> None:
    room.ledger.after = [fail]
    jobs = [asked("e1")]
    with pytest.raises(StorageFailed):
        room.recorder(jobs)
    room.recorder([*jobs, asked("e2")])
    assert (room.episodes(), room.settling.accepted) == (["e1", "e2"], ["e1", "e2"])
    assert room.settling.settled == [["e1"], ["e2"]]


def test_a_write_that_came_through_though_it_failed_is_taken_in_behind_others(room: Room) -> None:
    def other() -> None:
        room.desk.ledger.append("decision", data_for("decision"))
        fail()

    room.recorder([asked("e1")])
    room.ledger.after = [other]
    jobs = [asked("e2")]
    with pytest.raises(StorageFailed):
        room.recorder(jobs)
    assert room.desk.live.size == 1
    room.recorder(jobs)
    assert (room.episodes(), room.settling.accepted) == (["e1", "e2"], ["e1", "e2"])
    assert room.desk.live.size == 2, "nothing else had to be recorded"
    room.recorder.look()
    assert room.desk.live.size == 3


def test_the_same_episode_may_come_again_in_another_job(room: Room) -> None:
    room.ledger.after = [fail]
    job = asked("e1")
    with pytest.raises(StorageFailed):
        room.recorder([job])
    room.recorder([job])
    room.recorder([asked("e1")])
    assert room.episodes() == ["e1", "e1"]
