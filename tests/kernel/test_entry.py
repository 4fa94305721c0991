"""An entry is its bytes: written canonically once, sliced when read, and never printed again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.kernel import canonical, entry
from holdfast.kernel.entry import Actor, Prepared, Span
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import data_hash
from holdfast.kernel.limits import INTEGER_MAX, NAME_CHARS_MAX
from holdfast.testing import LEDGER, prepared

PREV = "ab" * 32
FIELDS = [
    "actor",
    "data",
    "hash",
    "id",
    "ledger",
    "prev",
    "seq",
    "session_id",
    "span",
    "timestamp",
    "type",
    "v",
]

names = st.text(st.characters(codec="utf-8"), max_size=30)
checked = st.text(st.characters(codec="utf-8"), max_size=30).filter(str.isprintable)
"""Names as `check_name` lets them through: an entry is only ever made with such."""

values = st.recursive(
    st.none() | st.booleans() | st.integers(-INTEGER_MAX, INTEGER_MAX) | names | st.floats(0, 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
actors = st.builds(Actor, st.sampled_from(entry.ACTOR_KINDS), checked)
spans = st.none() | st.builds(Span, checked, st.none() | checked, checked)


def envelope(made: Prepared, data: object, seq: int) -> dict[str, Any]:
    """Return what an entry says, as a plain value."""
    return {
        "actor": {"kind": made.actor.kind, "name": made.actor.name},
        "data": data,
        "hash": made.hash,
        "id": made.id,
        "ledger": LEDGER,
        "prev": PREV,
        "seq": seq,
        "session_id": made.session_id,
        "span": msgspec.to_builtins(made.span),
        "timestamp": made.timestamp,
        "type": made.type,
        "v": made.version,
    }


@given(
    st.dictionaries(names, values, max_size=4),
    checked,
    st.none() | checked,
    actors,
    spans,
    st.integers(0, INTEGER_MAX),
)
@example({"é": 'quote " and \\', "\U0001f980": 1, "\ufffd": 2}, 'a"b\\', "☃ é", Actor("user", '"'),
         Span('"', None, "\\"), 0)  # fmt: skip
def test_an_entry_is_written_as_canonical_json(
    data: dict[str, Any],
    entry_id: str,
    session_id: str | None,
    actor: Actor,
    span: Span | None,
    seq: int,
) -> None:
    made = prepared(id=entry_id, session_id=session_id, data=data, actor=actor, span=span)
    body = entry.encode(made, ledger=LEDGER, prev=PREV, seq=seq)
    assert canonical.encode_slow(envelope(made, data, seq)) == body


@given(st.dictionaries(names, values, max_size=4), checked, st.none() | checked, actors, spans)
def test_an_entry_reads_back_as_it_was_written(
    data: dict[str, Any],
    entry_id: str,
    session_id: str | None,
    actor: Actor,
    span: Span | None,
) -> None:
    made = prepared(id=entry_id, session_id=session_id, data=data, actor=actor, span=span)
    read = entry.read(entry.encode(made, ledger=LEDGER, prev=PREV, seq=7))
    assert made.data == bytes(read.data)
    assert (made.id, made.type, made.version, made.session_id) == (
        read.id,
        read.type,
        read.v,
        read.session_id,
    )
    assert (made.actor, made.span, made.timestamp) == (read.actor, read.span, read.timestamp)
    assert (read.ledger, read.prev, read.seq) == (LEDGER, PREV, 7)
    assert data_hash(made.data) == read.hash
    assert canonical.encode(read.value()) == made.data


@pytest.mark.parametrize("missing", FIELDS)
def test_bytes_without_one_of_the_fields_are_damaged(missing: str) -> None:
    body = entry.encode(prepared(), ledger=LEDGER, prev=PREV, seq=0)
    members = msgspec.json.decode(body)
    assert sorted(members) == FIELDS
    del members[missing]
    with pytest.raises(Damaged, match=missing):
        entry.read(msgspec.json.encode(members))


def test_a_field_that_is_not_of_the_format_is_damage() -> None:
    members = msgspec.json.decode(entry.encode(prepared(), ledger=LEDGER, prev=PREV, seq=0))
    with pytest.raises(Damaged, match="extra"):
        entry.read(msgspec.json.encode({**members, "extra": 1}))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"null", b"[]", b"\xff\xfe", b'"text"', b"[" * 100_000, b"{}\n{}"]
)
def test_what_is_not_an_entry_is_damaged_and_says_what_to_do(body: bytes) -> None:
    with pytest.raises(Damaged) as caught:
        entry.read(body)
    assert "verify" in caught.value.remedy


@pytest.mark.parametrize("name", ["a", "A b", "☃", "x" * NAME_CHARS_MAX, "0", "a/b:c"])
def test_a_name_that_fits_one_line_is_taken_as_it_is(name: str) -> None:
    assert name == entry.check_name("The id", name)


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "a\nb", "a\tb", "\0", "x" * (NAME_CHARS_MAX + 1), "\ud800", "\u2028"]
)
def test_a_name_that_could_not_be_found_again_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="The id"):
        entry.check_name("The id", name)


def test_an_actor_of_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="robot") as caught:
        entry.check_actor(Actor("robot", "r2"))  # type: ignore[arg-type]
    for kind in entry.ACTOR_KINDS:
        assert kind in caught.value.remedy


@pytest.mark.parametrize("kind", entry.ACTOR_KINDS)
def test_an_actor_needs_a_name(kind: entry.ActorKind) -> None:
    assert Actor(kind, "n") == entry.check_actor(Actor(kind, "n"))
    with pytest.raises(InvalidInput, match="actor"):
        entry.check_actor(Actor(kind, ""))
