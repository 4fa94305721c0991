"""Time and ids: spelled the same everywhere, in order, and fixed where tests want them fixed."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger import sources
from holdfast.storage.sqlite.keys import id_key
from holdfast.testing.clock import START_US, FixedClock, FixedIds, id_for

times = st.integers(0, 253_402_300_799_999_999)
"""Microseconds from 1970 to the end of the year 9999."""


@pytest.mark.parametrize(
    ("now_us", "expected"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (1_794_726_000_123_456, "2026-11-15T07:00:00.123456Z"),
        (START_US, "2026-11-15T07:00:00.000000Z"),
    ],
)
def test_a_time_is_iso_8601_in_utc_with_microseconds(now_us: int, expected: str) -> None:
    assert expected == sources.timestamp(now_us)


@given(times)
def test_a_spelled_time_reads_back_exactly(now_us: int) -> None:
    read = datetime.fromisoformat(sources.timestamp(now_us))
    assert read.tzinfo == UTC
    whole = int((read.replace(microsecond=0)).timestamp()) * 1_000_000 + read.microsecond
    assert now_us == whole


@given(st.lists(times, min_size=2, max_size=5))
def test_spelled_times_sort_as_times_do(moments: list[int]) -> None:
    assert [sources.timestamp(now) for now in sorted(moments)] == sorted(
        sources.timestamp(now) for now in moments
    )


@given(times)
def test_an_id_is_a_uuid_of_version_7_that_holds_its_time(now_us: int) -> None:
    made = uuid.UUID(sources.uuid7(now_us))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert now_us // 1000 == made.int >> 80


def test_ids_of_one_moment_are_different() -> None:
    assert len({sources.uuid7(START_US) for _ in range(1000)}) == 1000


def test_ids_of_later_milliseconds_have_larger_keys() -> None:
    keys = [id_key(sources.uuid7(START_US + n * 1000)) for n in range(50)]
    assert sorted(keys) == keys


def test_a_ledgers_name_is_32_hex_digits_and_new_each_time() -> None:
    names = {sources.new_ledger_id() for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in names)


def test_the_fixed_clock_goes_on_by_one_step() -> None:
    clock = FixedClock(step_us=5)
    assert [clock(), clock(), clock()] == [START_US, START_US + 5, START_US + 10]


def test_fixed_ids_are_uuids_of_version_7_and_the_same_in_every_run() -> None:
    ids = FixedIds()
    made = [ids(START_US) for _ in range(3)]
    assert [id_for(0), id_for(1), id_for(2)] == made
    assert [uuid.UUID(one).version for one in made] == [7, 7, 7]
    assert "019a8658-6c80-7000-8000-000000000000"[14:] == made[0][14:]
