"""Another ledger arrives as its own chain, proved; of ours one entry is all that changes."""

from __future__ import annotations

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import artifact_hash
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.peers.known import known_of
from holdfast.ledger.peers.merging import sync
from holdfast.ledger.peers.source import ReaderSource
from holdfast.ledger.peers.taking import take
from holdfast.ledger.verify import verify
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Erased, Selection
from tests.ledger.peers.neighbours import (
    OURS,
    THEIRS,
    Liar,
    MemoryMirrors,
    Ours,
    forked,
    new_ledger,
    record,
    source_of,
)

PART_6 = artifact_hash(("6 " + "long " * 10_000).encode())
"""What entry 6 of the other ledger has in the vault, and nobody else."""


@pytest.fixture
def ours() -> Ledger:
    return new_ledger(OURS, 3)


@pytest.fixture
def theirs() -> Ledger:
    return new_ledger(THEIRS, 9, number=5)


@pytest.fixture
def mirrors() -> MemoryMirrors:
    return MemoryMirrors()


def lines(engine: MemoryEngine) -> list[bytes]:
    return [stored.body for stored in engine.read()]


@pytest.mark.req("L20")
def test_entries_arrive_byte_for_byte_and_are_merged_by_one_entry(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    before = Ours(ours)
    done = sync(ours, source_of(theirs), mirrors, name="../theirs")
    assert (done.outcome, done.new, done.size, done.root) == ("merged", 9, 9, theirs.root())
    assert before.check() == ["peer_merged"]
    mirror = mirrors.places[THEIRS]
    assert lines(mirror) == [stored.body for stored in theirs.lines()]
    assert verify(mirror).ok
    assert done.seq is not None
    merged = entries.read(ours.get(done.seq).body).value()
    expected = {"ledger": THEIRS, "size": 9, "root": theirs.root(), "source": "../theirs"}
    assert merged == expected
    assert ours.artifact(PART_6) is None
    assert mirror.artifact(PART_6) is not None


@pytest.mark.req("L20")
def test_what_is_new_is_taken_and_what_is_not_records_nothing(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    before = Ours(ours)
    same = sync(ours, source_of(theirs), mirrors, name="p")
    assert (same.outcome, same.seq, before.check()) == ("same", None, [])
    record(theirs, 20)
    more = sync(ours, source_of(theirs), mirrors, name="p")
    assert (more.outcome, more.new, more.size) == ("merged", 1, 10)
    assert before.check() == ["peer_merged"]


@pytest.mark.req("L20")
def test_a_peer_that_tells_another_entry_is_refused_with_both_as_evidence(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    held = lines(mirrors.places[THEIRS])
    other = forked(theirs, at=6, extra=8)
    before = Ours(ours)
    done = sync(ours, source_of(other), mirrors, name="p")
    assert before.check() == ["peer_refused"]
    assert (done.outcome, done.size, done.told) == ("refused", 9, 14)
    assert done.contradiction is not None
    assert done.contradiction.seq == 6
    known, told = (one.get(6) for one in (theirs, other))
    assert (done.contradiction.known, done.contradiction.told) == (
        known.leaf.hex(),
        told.leaf.hex(),
    )
    assert mirrors.evidence[str(done.evidence)] == (known.body, told.body)
    assert done.seq is not None
    evidence = ours.data(entries.read(ours.get(done.seq).body))["evidence"]
    assert evidence == {"known": known.body.decode(), "told": told.body.decode()}
    assert lines(mirrors.places[THEIRS]) == held


def test_the_same_contradiction_again_is_recorded_once_and_the_true_peer_goes_on(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    other = forked(theirs, at=6)
    first = sync(ours, source_of(other), mirrors, name="p")
    before = Ours(ours)
    again = sync(ours, source_of(other), mirrors, name="p")
    assert (again.seq, before.check()) == (first.seq, [])
    record(theirs, 30)
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "merged"


def test_a_shorter_peer_that_is_the_same_is_behind(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    earlier = forked(theirs, at=4, extra=0)
    before = Ours(ours)
    done = sync(ours, source_of(earlier), mirrors, name="p")
    assert (done.outcome, done.size, done.told, before.check()) == ("behind", 9, 4, [])


def test_a_shorter_peer_that_is_another_is_refused(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    done = sync(ours, source_of(forked(theirs, at=3)), mirrors, name="p")
    assert (done.outcome, done.contradiction and done.contradiction.seq) == ("refused", 3)


def test_what_is_merged_is_remembered_when_its_place_is_gone(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    mirrors.places.clear()
    before = Ours(ours)
    refused = sync(ours, source_of(forked(theirs, at=3, extra=9)), mirrors, name="p")
    assert (refused.outcome, refused.evidence) == ("refused", None)
    assert before.check() == ["peer_refused"]
    assert refused.contradiction is not None
    assert refused.contradiction.known == theirs.root(9)
    mirrors.places.clear()
    before = Ours(ours)
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "same"
    assert (len(lines(mirrors.places[THEIRS])), before.check()) == (9, [])


@pytest.mark.parametrize("taken", [1, 4, 8, 9])
def test_a_place_that_a_liar_filled_again_is_begun_anew(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors, taken: int
) -> None:
    """The liar knows the head and the proof of the true peer, and gives entries of its own."""
    sync(ours, source_of(theirs), mirrors, name="p")
    record(theirs, 50)
    mirrors.places.clear()
    before = Ours(ours)
    false = [stored.body for stored in new_ledger(THEIRS, 12, number=9).lines()]
    liar = Liar(source_of(theirs))
    liar.change_bodies = lambda _bodies, first: false[first : first + taken]
    with pytest.raises(Damaged):
        sync(ours, liar, mirrors, name="p")
    assert before.check() == []
    done = sync(ours, source_of(theirs), mirrors, name="p")
    assert (done.outcome, done.size, before.check()) == ("merged", 10, ["peer_merged"])


def test_a_place_filled_again_without_its_artifacts_is_begun_anew(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    mirrors.places.clear()
    liar = Liar(source_of(theirs))
    liar.change_artifact = lambda _content: None
    with pytest.raises(Damaged, match="is not in the vault"):
        sync(ours, liar, mirrors, name="p")
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "same"
    assert mirrors.places[THEIRS].artifact(PART_6) is not None


def test_a_sync_that_was_cut_short_goes_on_where_it_was(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    with mirrors.open(THEIRS) as mirror:
        take(source_of(theirs), mirror, 5)
    liar = Liar(source_of(theirs))
    asked: list[int] = []

    def note(bodies: list[bytes], first: int) -> list[bytes]:
        asked.append(first)
        return bodies

    liar.change_bodies = note
    assert sync(ours, liar, mirrors, name="p").new == 9
    assert asked == [5]


def test_what_was_left_but_never_merged_binds_nobody(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    """Somebody pretended to be the peer, and was cut short: the peer itself is not refused."""
    sync(ours, source_of(forked(theirs, at=4, extra=0)), mirrors, name="p")
    with mirrors.open(THEIRS) as mirror:
        take(source_of(forked(theirs, at=4, extra=3)), mirror, 7)
    before = Ours(ours)
    done = sync(ours, source_of(theirs), mirrors, name="p")
    assert (done.outcome, done.size, before.check()) == ("merged", 9, ["peer_merged"])
    assert lines(mirrors.places[THEIRS]) == [stored.body for stored in theirs.lines()]


def test_this_ledger_itself_is_no_peer_and_a_copy_gone_astray_is_evidence(
    ours: Ledger, mirrors: MemoryMirrors
) -> None:
    before = Ours(ours)
    for copy in (ours, forked(ours, at=2, extra=0), forked(ours, at=3, extra=2)):
        with pytest.raises(InvalidInput, match="this ledger itself"):
            sync(ours, source_of(copy), mirrors, name="p")
    assert before.check() == []
    done = sync(ours, source_of(forked(ours, at=1)), mirrors, name="p")
    assert (done.outcome, done.ledger, before.check()) == ("refused", OURS, ["peer_refused"])


def test_only_a_merge_of_our_own_counts(ours: Ledger, theirs: Ledger) -> None:
    ours.append("peer_merged", {"ledger": THEIRS, "size": 5, "root": "0" * 64})
    assert known_of(ours.reader, THEIRS) is None


def test_an_empty_peer_is_nothing_new(ours: Ledger, mirrors: MemoryMirrors) -> None:
    before = Ours(ours)
    done = sync(ours, source_of(new_ledger(THEIRS, 0)), mirrors, name="p")
    assert (done.outcome, done.size, done.root, before.check()) == ("same", 0, None, [])


@pytest.mark.req("X8")
def test_what_is_erased_there_is_erased_here_too(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    sha256 = PART_6
    assert mirrors.places[THEIRS].artifact(sha256) is not None
    note = {"sha256": sha256, "bytes": 50_002, "reason": "asked for"}
    theirs._drop(Erased(sha256), Draft("artifact_erased", note))
    record(theirs, 1)
    done = sync(ours, source_of(theirs), mirrors, name="p")
    assert (done.outcome, done.new, mirrors.forgotten) == ("merged", 2, 1)
    assert mirrors.places[THEIRS].artifact(sha256) is None
    assert verify(mirrors.places[THEIRS]).ok
    fresh = MemoryMirrors()
    assert sync(new_ledger(OURS, 1), source_of(theirs), fresh, name="p").size == 11


def test_what_was_erased_meanwhile_does_not_keep_a_lost_place_from_coming_again(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    mirrors.places.clear()
    note = {"sha256": PART_6, "bytes": 50_002, "reason": "asked for"}
    theirs._drop(Erased(PART_6), Draft("artifact_erased", note))
    assert sync(ours, source_of(theirs), mirrors, name="p").size == 10
    assert verify(mirrors.places[THEIRS]).ok


def test_what_was_erased_and_recorded_again_is_here(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sha256 = PART_6
    note = {"sha256": sha256, "bytes": 50_002, "reason": "asked for"}
    theirs._drop(Erased(sha256), Draft("artifact_erased", note))
    record(theirs, 6)
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "merged"
    assert mirrors.places[THEIRS].artifact(sha256) is not None


def test_an_artifact_that_is_gone_without_a_word_is_not_merged(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    liar = Liar(source_of(theirs))
    liar.change_artifact = lambda _content: None
    before = Ours(ours)
    with pytest.raises(Damaged, match="is not in the vault"):
        sync(ours, liar, mirrors, name="p")
    assert before.check() == []
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "merged"


def test_a_damaged_place_is_not_built_upon(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    other = MemoryEngine(THEIRS)
    take(ReaderSource(forked(theirs, at=2, extra=9).reader), other, 11)
    mirrors.places[THEIRS] = other
    before = Ours(ours)
    with pytest.raises(Damaged, match="not what was merged"):
        sync(ours, source_of(theirs), mirrors, name="p")
    assert before.check() == []


def test_the_newest_merge_is_the_one_that_is_known(
    ours: Ledger, theirs: Ledger, mirrors: MemoryMirrors
) -> None:
    sync(ours, source_of(theirs), mirrors, name="p")
    record(theirs, 40)
    sync(ours, source_of(theirs), mirrors, name="p")
    known = known_of(ours.reader, THEIRS)
    assert known is not None
    assert (known.size, known.root) == (10, theirs.root())
    assert len(list(ours.lines(Selection(type="peer_merged")))) == 2
