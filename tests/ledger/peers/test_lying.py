"""Whatever a peer sends, of ours nothing changes but the one entry that merges or refuses it."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel.entry import Actor, Prepared
from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.kernel.hashing import data_hash
from holdfast.kernel.limits import LINE_BYTES_MAX
from holdfast.ledger.peers.merging import sync
from holdfast.ledger.peers.source import TreeHead
from holdfast.ledger.verify import verify
from tests.ledger.peers.neighbours import (
    OURS,
    THEIRS,
    Chained,
    Liar,
    MemoryMirrors,
    Ours,
    forked,
    new_ledger,
    rebuilt,
    source_of,
    spelled,
    with_data,
)

Change = Callable[[Liar], None]


def _bodies(change: Callable[[list[bytes]], list[bytes]]) -> Change:
    def apply(liar: Liar) -> None:
        liar.change_bodies = lambda bodies, _first: change(bodies)

    return apply


def _head(**fields: object) -> Change:
    def apply(liar: Liar) -> None:
        liar.change_head = lambda head: msgspec.structs.replace(head, **fields)

    return apply


def _artifacts(content: bytes) -> Change:
    def apply(liar: Liar) -> None:
        liar.change_artifact = lambda _content: content

    return apply


LIES: dict[str, Change] = {
    "an entry is left out": _bodies(lambda b: b[:2] + b[3:]),
    "an entry comes twice": _bodies(lambda b: b[:2] + b[1:]),
    "two are swapped": _bodies(lambda b: [*b[:1], b[2], b[1], *b[3:]]),
    "it ends early": _bodies(lambda b: b[:-1]),
    "it gives nothing": _bodies(lambda _b: []),
    "it gives more": _bodies(lambda b: [*b, b[-1]]),
    "no JSON": _bodies(lambda b: [b[0], b"{", *b[2:]]),
    "not UTF-8": _bodies(lambda b: [b[0], b"\xff\xfe", *b[2:]]),
    "an empty line": _bodies(lambda b: [b[0], b"", *b[2:]]),
    "two lines in one": _bodies(lambda b: [b[0], b[1] + b"\n", *b[2:]]),
    "an endless line": _bodies(lambda b: [b[0], b"[" * (LINE_BYTES_MAX + 1), *b[2:]]),
    "deep beyond reason": _bodies(lambda b: [b[0], b"[" * 100_000, *b[2:]]),
    "blanks in it": _bodies(lambda b: [b[0], b[1].replace(b'{"actor"', b'{ "actor"'), *b[2:]]),
    "another root": _head(root="f" * 64),
    "no root": _head(root="nothing"),
    "a larger size": _head(size=99),
    "a size below nothing": _head(size=-1),
    "a size beyond numbers": _head(size=2**70),
    "another name": _head(ledger="a" * 32),
    "a name that leads elsewhere": _head(ledger="../../../../../../etc"),
    "other artifacts": _artifacts(b"something else"),
}


@pytest.mark.req("L20")
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_merges_nothing(lie: str) -> None:
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 6, number=5)
    before = Ours(ours)
    liar = Liar(source_of(theirs))
    LIES[lie](liar)
    mirrors = MemoryMirrors()
    with pytest.raises(Damaged):
        sync(ours, liar, mirrors, name="p")
    assert before.check() == []
    assert all(verify(mirror).ok for mirror in mirrors.places.values() if not mirror._artifacts)
    assert sync(ours, source_of(theirs), mirrors, name="p").size == 6


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_after_a_merge_changes_nothing_that_was_merged(lie: str) -> None:
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 9, number=5)
    mirrors = MemoryMirrors()
    sync(ours, source_of(forked(theirs, at=4, extra=0)), mirrors, name="p")
    before = Ours(ours)
    liar = Liar(source_of(theirs))
    LIES[lie](liar)
    with pytest.raises(Damaged):
        sync(ours, liar, mirrors, name="p")
    assert before.check() == []
    assert mirrors.places[THEIRS].node(0, 4).hex() == theirs.root(4)


SEALED_BUT_WRONG: dict[str, Callable[[Prepared], Prepared]] = {
    "data that is a list": with_data(b"[1]"),
    "data that is a text": with_data(b'"x"'),
    "data with blanks": with_data(b'{"a": 1}'),
    "keys out of order": with_data(b'{"b":1,"a":1}'),
    "keys twice": with_data(b'{"a":1,"a":1}'),
    "deep data": with_data(b'{"a":' * 80 + b"1" + b"}" * 80),
    "very deep data": with_data(b'{"a":' * 600 + b"1" + b"}" * 600),
    "a number too large": with_data(b'{"a":9007199254740993}'),
    "an artifact that is none": with_data(
        spelled({"x": {"$artifact": "../x", "bytes": 1, "form": "text"}})
    ),
    "an artifact nobody has": with_data(
        spelled({"x": {"$artifact": "a" * 64, "bytes": 1, "form": "text"}})
    ),
    "an id with blanks": lambda one: msgspec.structs.replace(one, id=" x "),
    "an id of many lines": lambda one: msgspec.structs.replace(one, id="a\nb"),
    "no id": lambda one: msgspec.structs.replace(one, id=""),
    "an endless session": lambda one: msgspec.structs.replace(one, session_id="s" * 1000),
    "an endless type": lambda one: msgspec.structs.replace(one, type="t" * 1000),
    "nobody": lambda one: msgspec.structs.replace(one, actor=Actor("agent", "")),
    "a hash of something else": lambda one: msgspec.structs.replace(one, hash=data_hash(b"x")),
}


@pytest.mark.parametrize("wrong", SEALED_BUT_WRONG)
def test_what_no_ledger_of_ours_could_hold_is_not_taken_though_it_is_chained(wrong: str) -> None:
    change = SEALED_BUT_WRONG[wrong]
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 4, number=5)
    hostile = rebuilt(theirs, 3, change)
    before = Ours(ours)
    with pytest.raises(Damaged):
        sync(ours, hostile, MemoryMirrors(), name="p")
    assert before.check() == []


def test_an_artifact_of_another_content_is_not_even_kept() -> None:
    liar = Liar(source_of(new_ledger(THEIRS, 6, number=5)))
    liar.change_artifact = lambda _content: b"something else"
    mirrors = MemoryMirrors()
    with pytest.raises(Damaged, match="is something else"):
        sync(new_ledger(OURS, 3), liar, mirrors, name="p")
    assert mirrors.places[THEIRS]._artifacts == {}


@pytest.mark.parametrize("spelling", [b'{ "actor"', b'{"v":1,"actor"', b'{"actor" '])
def test_an_entry_that_is_spelled_otherwise_is_not_taken_though_it_is_chained(
    spelling: bytes,
) -> None:
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 4, number=5)
    bodies = [stored.body for stored in theirs.lines()]
    bodies[-1] = bodies[-1].replace(b'{"actor"', spelling, 1)
    before = Ours(ours)
    with pytest.raises(Damaged, match="not spelled"):
        sync(ours, Chained(THEIRS, bodies, theirs.artifact), MemoryMirrors(), name="p")
    assert before.check() == []


@pytest.mark.parametrize("had", [0, 2, 3])
def test_an_id_that_is_there_twice_is_not_taken(had: int) -> None:
    """Twice in what comes now, or once in what came before."""
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 4, number=5)
    first = next(iter(theirs.read()))
    hostile = rebuilt(theirs, 3, lambda one: msgspec.structs.replace(one, id=first.id))
    mirrors = MemoryMirrors()
    if had:
        sync(ours, source_of(forked(theirs, at=had, extra=0)), mirrors, name="p")
    with pytest.raises(Damaged, match="is there twice"):
        sync(ours, hostile, mirrors, name="p")


def test_a_type_that_nobody_here_knows_is_kept_and_merged() -> None:
    """A newer holdfast's entries are proved like any others; only folding needs to know them."""
    ours, theirs = new_ledger(OURS, 3), new_ledger(THEIRS, 4, number=5)
    newer = rebuilt(theirs, 3, lambda one: msgspec.structs.replace(one, type="from_the_future"))
    assert sync(ours, newer, MemoryMirrors(), name="p").outcome == "merged"


def test_artifacts_within_artifacts_end_somewhere() -> None:
    ours, theirs = new_ledger(OURS, 1), new_ledger(THEIRS, 2, number=5)
    artifacts: dict[str, bytes] = {}
    name, content = "", spelled({"end": 1})
    for _ in range(40):
        name = data_hash(content)
        artifacts[name] = content
        content = spelled({"x": {"$artifact": name, "bytes": len(content), "form": "json"}})
    hostile = rebuilt(theirs, 1, with_data(content))
    hostile.artifact = lambda sha256: artifacts.get(sha256)
    before = Ours(ours)
    with pytest.raises(Damaged, match="names an artifact that cannot be one"):
        sync(ours, hostile, MemoryMirrors(), name="p")
    assert before.check() == []


@pytest.mark.req("L20")
@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_whatever_a_peer_sends_ours_changes_by_one_entry_at_most(number: int) -> None:
    draw = random.Random(number)
    ours, theirs = new_ledger(OURS, 2), new_ledger(THEIRS, 7, number=5)
    mirrors = MemoryMirrors()
    if draw.random() < 0.7:
        sync(ours, source_of(forked(theirs, at=draw.randint(0, 7), extra=0)), mirrors, name="p")
    for _ in range(3):
        before = Ours(ours)
        told = forked(theirs, at=draw.randint(0, 7), extra=draw.randint(0, 4))
        liar = Liar(source_of(told))
        _draw_lies(draw, liar)
        try:
            done = sync(ours, liar, mirrors, name="p")
        except HoldfastError:
            assert before.check() == []
            continue
        expected = {"merged": ["peer_merged"], "refused": ["peer_refused"]}
        added = before.check()
        assert added == expected.get(done.outcome, []) or (done.outcome, added) == ("refused", [])
        if done.outcome != "refused" and done.size:
            assert mirrors.places[THEIRS].node(0, done.size).hex() == done.root


def _draw_lies(draw: random.Random, liar: Liar) -> None:
    """Spoil about half of the answers, each in some way."""

    def flip(content: bytes) -> bytes:
        place = draw.randrange(len(content)) if content else 0
        return content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :]

    def bodies(given: list[bytes], _first: int) -> list[bytes]:
        changed = [flip(body) if draw.random() < 0.15 else body for body in given]
        return changed[: draw.randint(0, len(changed))] if draw.random() < 0.2 else changed

    def head(given: TreeHead) -> TreeHead:
        if draw.random() < 0.2:
            return msgspec.structs.replace(given, size=draw.randint(0, 12))
        return msgspec.structs.replace(given, root="e" * 64) if draw.random() < 0.1 else given

    if draw.random() < 0.5:
        liar.change_bodies = bodies
    if draw.random() < 0.5:
        liar.change_head = head
    if draw.random() < 0.3:
        liar.change_proof = lambda proof: [flip(one) for one in proof]
    if draw.random() < 0.3:
        liar.change_artifact = lambda content: content and flip(content)
