"""Compactions: reproducible, bounded, honest about what they were made from."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.kernel import entry as entry_bytes
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    MILESTONES_MAX,
    SUMMARY_BYTES_FLOOR,
    SUMMARY_BYTES_MAX,
    SUMMARY_SHARE,
)
from holdfast.kernel.types import TYPES
from holdfast.testing.builders import sealed_chain
from holdfast.views.compaction import Compaction, compact, compression_data, summarise_sessions
from holdfast.views.tally import stored_bytes
from tests.views.material import chained, of, sessions, steps_of


def output(compaction: Compaction) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(compaction.output_bytes)
    return found


def note(entries: list[Entry]) -> dict[str, Any]:
    return compression_data(
        entries,
        archive_path="archives/a.jsonl.zst",
        archive_sha256="ab" * 32,
        archive_bytes=9,
        trigger="request",
        artifacts=2,
    )


def test_the_id_follows_from_inputs_policy_and_purpose() -> None:
    made = compact("RECAP", "p/1", ["a", "b"], {"x": 1})
    assert made.compaction_id == compact("RECAP", "p/1", ["a", "b"], {"x": 2}).compaction_id
    assert len(made.compaction_id) == 16
    others = [
        compact("SYNOPSIS", "p/1", ["a", "b"], {"x": 1}),
        compact("RECAP", "p/2", ["a", "b"], {"x": 1}),
        compact("RECAP", "p/1", ["b", "a"], {"x": 1}),
        compact("RECAP", "p/1", ["ab"], {"x": 1}),
    ]
    assert len({made.compaction_id, *(other.compaction_id for other in others)}) == 5


def test_nothing_may_be_mentioned_unless_it_is_said_and_only_of_the_inputs() -> None:
    assert compact("RECAP", "p/1", ["a"], {}).allowmention_handles == ()
    assert compact("RECAP", "p/1", ["a", "b"], {}, ["b"]).allowmention_handles == ("b",)
    with pytest.raises(ValueError, match="only what it was made from"):
        compact("RECAP", "p/1", ["a"], {}, ["c"])


def test_a_compaction_is_frozen_all_the_way_down() -> None:
    made = compact("RECAP", "p/1", ["a"], {})
    with pytest.raises(AttributeError):
        made.purpose = "SYNOPSIS"  # type: ignore[misc]
    assert {type(getattr(made, field)) for field in made.__struct_fields__} == {str, tuple, bytes}
    with pytest.raises(TypeError, match="tuples"):
        Compaction("x", "RECAP", "p", ["a"], b"", "")  # type: ignore[arg-type]


def test_a_summary_says_who_when_what_and_how_it_ended() -> None:
    entries = chained(
        [
            of("session_started"),
            of("file_change", path="new.py", action="create"),
            of("file_change", path="old.py", action="modify"),
            of("decision", choice="Use gzip"),
            of("decision", choice="Use zstd", supersedes=["e3"]),
            of("command_ran", command="make", exit_code=2),
            of("command_ran", command="ls", exit_code=0),
            of("error"),
            of("checkpoint", quick_resume="Half way", task="Pack it"),
            *[of("metric")] * 40,
        ]
    )
    made = summarise_sessions(entries)
    assert list(made) == ["s"]
    assert output(made["s"]) == {
        "session_id": "s",
        "first": 0,
        "last": 48,
        "entries": 49,
        "started": entries[0].timestamp,
        "ended": entries[-1].timestamp,
        "duration_s": 0,
        "counts": {"commands": 2, "decisions": 2, "errors": 1, "files": 2},
        "quick_resume": "Half way",
        "last_failing": {"command": "make", "exit_code": 2},
        "decisions": [{"choice": "Use zstd", "id": "e4"}],
        "files_created": ["new.py"],
        "files_modified": ["old.py"],
    }
    assert made["s"].allowmention_handles == ("e8", "e5", "e4")
    assert made["s"].input_handles[1:] == tuple(entry.id for entry in entries)
    assert made["s"].purpose == "SEGMENT_SUMMARY"


def at(entry: Entry, timestamp: str) -> Entry:
    return msgspec.structs.replace(entry, timestamp=timestamp)


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-11-15T07:00:00.000000Z", "2026-11-15T07:01:01.900000Z", 61),
        ("2024-02-28T23:59:59.000000Z", "2024-03-01T00:00:00.000000Z", 24 * 3600 + 1),
        ("2023-02-28T23:59:59.000000Z", "2023-03-01T00:00:00.000000Z", 1),
        ("2026-12-31T23:59:59.500000Z", "2027-01-01T00:00:00.500000Z", 1),
    ],
)
def test_the_duration_is_between_the_entries_own_times(start: str, end: str, seconds: int) -> None:
    first, last = chained([of("metric"), of("metric")])
    made = summarise_sessions([at(first, start), at(last, end)])["s"]
    assert output(made)["duration_s"] == seconds
    assert "clock" not in output(made)


def test_a_clock_that_went_backwards_is_told_and_no_time_is_invented() -> None:
    first, last = chained([of("metric"), of("metric")])
    made = summarise_sessions(
        [at(first, "2026-11-15T07:00:00.000000Z"), at(last, "2026-11-15T06:00:00.000000Z")]
    )["s"]
    assert output(made)["duration_s"] == 0
    assert output(made)["clock"] == "went backwards"


def test_the_newest_are_kept_and_those_that_find_no_room_are_counted() -> None:
    deep = "src/" + "deeper/" * 16
    steps = [of("file_change", path=f"{deep}{n}.py", action="create") for n in range(99)]
    steps += [of("decision", choice=f"{n} " + "long words " * 20) for n in range(9)]
    said = output(summarise_sessions(chained(steps))["s"])
    assert said["files_created"][0] == f"{deep}98.py"
    assert said["decisions"][0]["id"] == "e107"
    assert len(said["files_created"]) + said["more"]["files_created"] == 99
    assert len(said["decisions"]) + said["more"].get("decisions", 0) == 9


def test_a_created_file_that_is_gone_again_counts_as_changed_only() -> None:
    steps = [of("file_change", path="a", action=action) for action in ("create", "delete")]
    said = output(summarise_sessions(chained([*steps, *[of("metric")] * 20]))["s"])
    assert said["files_modified"] == ["a"]
    assert "files_created" not in said


@given(steps_of(sessions))
def test_a_summary_thrown_away_comes_back_byte_for_byte(steps: list[Any]) -> None:
    first, again = (summarise_sessions(iter(chained(steps))) for _ in range(2))
    assert first == again
    for made in first.values():
        assert canonical.encode(output(made)) == made.output_bytes


@given(steps_of(sessions), st.integers(1, 12))
def test_a_summary_is_small_and_counts_what_it_leaves_out(steps: list[Any], times: int) -> None:
    entries = chained(steps * times)
    for session, made in summarise_sessions(entries).items():
        own = [entry for entry in entries if entry.session_id == session]
        raw = sum(map(stored_bytes, own))
        bound = min(max(SUMMARY_BYTES_FLOOR, raw // SUMMARY_SHARE), SUMMARY_BYTES_MAX)
        assert len(made.output_bytes) <= bound
        said = output(made)
        more = said.get("more", {})
        files = [*said.get("files_created", []), *said.get("files_modified", [])]
        left = more.get("files_created", 0) + more.get("files_modified", 0)
        assert len(files) + left == said["counts"]["files"]
        assert len(said.get("decisions", [])) + more.get("decisions", 0) == sum(
            entry.type == "decision" for entry in own
        )


@pytest.mark.parametrize("count", [30, 500, 3000])
def test_archived_bytes_are_ten_times_the_summaries(count: int) -> None:
    kinds = ["tool_called", "command_ran", "file_change", "agent_said", "decision", "checkpoint"]
    steps = [of(kinds[n % len(kinds)], f"session-{n % 2}") for n in range(count)]
    made = note(chained(steps))
    assert made["raw_bytes"] >= 10 * made["summary_bytes"] > 0


def test_the_bytes_of_an_entry_are_those_that_are_stored() -> None:
    for sealed in sealed_chain(Head("0" * 32), 8, types=list(TYPES), sessions=("s", None, "é")):
        assert stored_bytes(entry_bytes.read(sealed.body)) == len(sealed.body)


def test_interleaved_sessions_each_point_at_exactly_their_own_entries() -> None:
    entries = chained([of("metric", session) for session in ("a", "b", "a", None, "b", "b", "a")])
    made = note(entries)
    assert made["restore_index"] == {
        "a": {"start": 0, "end": 6, "ranges": [[0, 0], [2, 2], [6, 6]]},
        "b": {"start": 1, "end": 5, "ranges": [[1, 1], [4, 5]]},
    }
    assert made["unsessioned"] == [[3, 3]]
    assert made["sessions_covered"] == ["a", "b"]


@given(steps_of(sessions))
def test_every_entry_is_in_exactly_one_place_and_it_is_the_right_one(steps: list[Any]) -> None:
    entries = chained(steps)
    made = note(entries)
    TYPES.check("compression", made)
    canonical.encode(made)
    ranges = {name: place["ranges"] for name, place in made["restore_index"].items()}
    ranges[None] = made["unsessioned"]
    found = {
        seq: session
        for session, pairs in ranges.items()
        for first, last in pairs
        for seq in range(first, last + 1)
    }
    assert found == {entry.seq: entry.session_id for entry in entries}
    assert list(made["restore_index"]) == made["sessions_covered"]


def test_the_note_of_a_seal_has_the_totals_and_names_its_summaries() -> None:
    entries = chained(
        [
            of("decision", "a"),
            of("file_change", "a", path="x.py"),
            of("file_change", "b", path="x.py"),
            of("error", "b"),
            of("checkpoint", "b", task="Pack it", completed=0, total=3),
            of("session_ended", "b", reason="done"),
        ]
    )
    made = note(entries)
    summaries = summarise_sessions(entries)
    assert made["summary"] == {
        "total_decisions": 1,
        "total_files_changed": 1,
        "total_errors": 1,
        "key_milestones": ["Pack it 0/3", "b ended: done"],
        "sessions": {
            name: {"compaction_id": one.compaction_id, "output_hash": one.output_hash}
            for name, one in summaries.items()
        },
    }
    rest = {key: made[key] for key in ("first", "last", "entries_compressed", "archive_path")}
    assert rest == {
        "first": 0,
        "last": 5,
        "entries_compressed": 6,
        "archive_path": "archives/a.jsonl.zst",
    }
    assert (made["trigger"], made["artifacts"], made["archive_bytes"]) == ("request", 2, 9)


def test_milestones_beyond_the_bound_are_counted() -> None:
    steps = [of("checkpoint", task=f"part {n}") for n in range(MILESTONES_MAX + 3)]
    summary = note(chained(steps))["summary"]
    assert len(summary["key_milestones"]) == MILESTONES_MAX
    assert summary["earlier_milestones"] == 3
    assert summary["key_milestones"][-1].startswith(f"part {MILESTONES_MAX + 2}")


def test_an_empty_range_is_no_error() -> None:
    assert note([])["restore_index"] == {}
