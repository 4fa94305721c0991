"""The entries of the proxy: transitions stand in a table, and names fit into an entry."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INLINE_BYTES_MAX, PROXY_MOVED_MAX
from holdfast.kernel.types import LEGAL, TYPES
from holdfast.testing import data_for

STATES = ("PROPOSED", "AUTHORITATIVE", "SUPERSEDED", "TOMBSTONED")
SEED = {
    ("PROPOSED", "AUTHORITATIVE"),
    ("PROPOSED", "TOMBSTONED"),
    ("AUTHORITATIVE", "SUPERSEDED"),
    ("AUTHORITATIVE", "TOMBSTONED"),
}
"""The arrows of the specification; besides, everything begins as proposed."""


@pytest.mark.req("T6")
@pytest.mark.parametrize(("before", "after"), list(product((None, *STATES), STATES)))
def test_a_transition_is_legal_exactly_when_the_specification_has_it(
    before: str | None, after: str
) -> None:
    data = data_for("artifact_moved", before=before, after=after)
    if (before, after) in SEED | {(None, "PROPOSED")}:
        assert TYPES.check("artifact_moved", data) == 1
    else:
        with pytest.raises(InvalidInput, match=f"no artifact goes from {before} to {after}"):
            TYPES.check("artifact_moved", data)


def test_the_table_is_the_specification_s() -> None:
    assert set(LEGAL) == SEED | {(None, "PROPOSED")}


def moved(*names: str) -> list[dict[str, Any]]:
    return [{"symbol": name, "artifact": "ab" * 32} for name in names]


@pytest.mark.parametrize(
    "symbols",
    [
        [],
        moved("a", "a"),
        moved(*(f"f{n}" for n in range(PROXY_MOVED_MAX + 1))),
        moved(*("x" * 400 + str(n) for n in range(20))),
        moved(""),
        moved("x" * 501),
        [{"symbol": "a", "artifact": "AB" * 32}],
        [{"symbol": "a", "artifact": "ab"}],
        [{"symbol": "a"}],
    ],
    ids=["none", "twice", "many", "long", "empty", "too long", "capitals", "short", "no hash"],
)
def test_moves_that_could_not_be_read_back_are_refused(symbols: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidInput, match=r"symbols|definitions|names"):
        TYPES.check("artifact_moved", data_for("artifact_moved", symbols=symbols))


def test_the_largest_entry_needs_no_vault() -> None:
    names = (f"{'é' * 45}{n:03}" for n in range(PROXY_MOVED_MAX))
    kept = {"$artifact": "ab" * 32, "bytes": 10**9, "form": "raw-text"}
    most = [
        {"symbol": name, "artifact": "ab" * 32, "nodes": 10**9, "tokens": 10**9, "slice": kept}
        for name in names
    ]
    data = data_for("artifact_moved", symbols=most)
    assert TYPES.check("artifact_moved", data) == 1
    assert len(str(most).encode()) < INLINE_BYTES_MAX


@pytest.mark.parametrize("path", ["", "a::b", "a:", "x" * 1001, None, 1])
@pytest.mark.parametrize("name", ["artifact_moved", "file_settled", "disk_truth"])
def test_a_path_that_would_make_names_ambiguous_is_refused(name: str, path: Any) -> None:
    with pytest.raises(InvalidInput, match="path"):
        TYPES.check(name, data_for(name, path=path))


@pytest.mark.parametrize("path", ["a", "a.py", "src/a b.py", "C:/x:y/a.py", "é\n", "x" * 1000])
def test_other_paths_are_taken_as_they_are(path: str) -> None:
    TYPES.check("artifact_moved", data_for("artifact_moved", path=path))


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("episode_recorded", "ended", "later"),
        ("episode_recorded", "response_hash", "ab"),
        ("episode_recorded", "status", -1),
        ("artifact_seen", "level", "SURE"),
        ("artifact_seen", "speaker", "system"),
        ("artifact_seen", "by", "luck"),
        ("artifact_seen", "reason", " "),
        ("artifact_moved", "grant", "luck"),
        ("file_settled", "digest", "ab"),
        ("desk_changed", "change", "lost"),
        ("audit_done", "status", "done"),
        ("audit_done", "late", "no"),
        ("disk_truth", "symbol", "x" * 501),
    ],
)
def test_an_ill_typed_field_is_refused(name: str, field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"\$\.{field}"):
        TYPES.check(name, data_for(name, **{field: value}))
