"""The documents on disk: as of when, what is current, what is where; what is cut is counted."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import VIEW_DECISIONS_MAX, VIEW_ITEMS_MAX, VIEW_RANGES_MAX
from holdfast.storage.port import Archive
from holdfast.stores import Fold
from holdfast.views.compaction import compression_data
from holdfast.views.files import (
    Marks,
    current_state,
    latest_session,
    open_sessions,
    restore_index,
    session_memory,
)
from holdfast.views.resume import Capsule
from tests.views.material import chained, of, sessions, steps_of

MARKS = {"ledger": "0123456789abcdef0123456789abcdef", "head": "ab" * 32}


def folded(entries: list[Entry]) -> Fold:
    fold = Fold()
    for entry in entries:
        fold.apply(entry)
    return fold


def state_of(entries: list[Entry], **options: Any) -> dict[str, Any]:
    fold = folded(entries)
    checkpoints = [entry for entry in entries if entry.type == "checkpoint"]
    return current_state(
        Marks(**MARKS, as_of_seq=len(entries) - 1),
        archives=options.get("archives", []),
        sessions=fold.state("sessions").items,
        decisions=fold.state("decisions").items,
        work=fold.state("open_work").items,
        checkpoint=checkpoints[-1] if checkpoints else None,
        capsule=Capsule("Half way", 3),
    )


def memory_of(entries: list[Entry], session_id: str | None) -> dict[str, Any]:
    fold = folded(entries)
    return session_memory(
        Marks(**MARKS, as_of_seq=len(entries) - 1),
        session_id=session_id,
        sessions=fold.state("sessions").items,
        entries=[entry for entry in entries if entry.session_id == session_id],
        decisions=fold.state("decisions").items,
    )


def index_of(entries: list[Entry], *stops: int) -> dict[str, Any]:
    """Seal the entries up to each stop, and ask where everything is."""
    archives, notes = [], []
    first = 0
    for number, stop in enumerate(stops):
        name = f"archive_{first}-{stop - 1}"
        archives.append(Archive(first, stop - 1, name, "cd" * 32, 7))
        made = compression_data(
            entries[first:stop],
            archive_path=f"archives/{name}",
            archive_sha256="cd" * 32,
            archive_bytes=7,
            trigger="request",
        )
        notes.append((1000 + number, made))
        first = stop
    return restore_index(
        Marks(**MARKS, as_of_seq=len(entries) - 1),
        archives=archives,
        compressions=notes,
        active=[(entry.seq, entry.session_id) for entry in entries[first:]],
    )


def test_every_document_says_as_of_when_it_is_true() -> None:
    entries = chained([of("metric")])
    for document in (state_of(entries), memory_of(entries, "s"), index_of(entries)):
        marks = {key: document[key] for key in ("as_of_seq", "head", "ledger")}
        assert marks == {"as_of_seq": 0, **MARKS}


def test_an_empty_ledger_has_documents_too() -> None:
    assert state_of([])["entries"] == 0
    assert state_of([])["checkpoint"] is None
    assert memory_of([], None)["session"] is None
    assert index_of([])["sessions"] == {}


def test_the_current_state_counts_active_and_archived_entries() -> None:
    archives = [Archive(0, 1, "one", "cd" * 32, 7), Archive(2, 9, "newer than this", "ef" * 32, 7)]
    state = state_of(chained([of("metric")] * 5), archives=archives)
    assert (state["entries"], state["active"], state["archived"]) == (5, 3, 2)
    assert state["archives"] == 1


def test_the_current_state_has_the_last_checkpoint_whole_and_the_resume() -> None:
    state = state_of(chained([of("metric"), of("checkpoint", quick_resume="Half way", extra=1)]))
    assert state["checkpoint"]["seq"] == 1
    assert state["checkpoint"]["data"]["quick_resume"] == "Half way"
    assert state["checkpoint"]["data"]["extra"] == 1
    assert state["resume"] == {"text": "Half way", "tokens": 3}


def test_superseded_decisions_are_never_current_and_what_rests_on_them_is_flagged() -> None:
    state = state_of(
        chained(
            [
                of("decision", choice="Use gzip", subject="format"),
                of("decision", choice="Name it .gz", cites=["e0"]),
                of("decision", choice="Use zstd", supersedes=["e0"]),
            ]
        )
    )
    assert [one["choice"] for one in state["decisions"]["newest"]] == ["Use zstd", "Name it .gz"]
    assert [one["id"] for one in state["flagged"]["newest"]] == ["e1"]
    assert state["flagged"]["newest"][0]["cites_superseded"] == ["e0"]


def test_decisions_and_work_beyond_the_bound_are_counted() -> None:
    many = VIEW_ITEMS_MAX + 3
    state = state_of(
        chained(
            [of("decision")] * (VIEW_DECISIONS_MAX + 2)
            + [of("work_opened", work=f"w{n}", title=f"part {n}") for n in range(many)]
        )
    )
    assert len(state["decisions"]["newest"]) == VIEW_DECISIONS_MAX
    assert state["decisions"]["more"] == 2
    assert state["decisions"]["newest"][0]["seq"] == VIEW_DECISIONS_MAX + 1
    assert state["open_work"]["more"] == 3
    assert state["open_work"]["newest"][0]["work"] == f"w{many - 1}"


def test_open_sessions_are_those_started_and_not_ended_the_newest_first() -> None:
    entries = chained(
        [
            of("session_started", "a"),
            of("session_started", "b"),
            of("session_started", "c"),
            of("session_ended", "c"),
            of("metric", "never started"),
            of("metric", "a"),
        ]
    )
    items = folded(entries).state("sessions").items
    assert open_sessions(items) == ["a", "b"]
    assert state_of(entries)["sessions"] == {"current": "a", "open": ["a", "b"], "more_open": 0}
    assert latest_session(items) == "a"


def test_without_an_open_session_the_one_with_the_newest_entry_is_remembered() -> None:
    entries = chained([of("session_started", "a"), of("session_ended", "a"), of("metric", "b")])
    assert latest_session(folded(entries).state("sessions").items) == "b"
    assert latest_session({}) is None


def test_the_memory_of_a_session_has_its_own_work_newest_first() -> None:
    entries = chained(
        [
            of("session_started"),
            of("decision", choice="Use gzip"),
            of("decision", choice="Use zstd", supersedes=["e1"]),
            of("file_change", path="a.py", action="create"),
            of("file_change", path="b.py", action="modify"),
            of("file_change", path="a.py", action="modify"),
            of("command_ran", command="make", exit_code=2),
            of("error", error_type="Refused", message="no"),
            of("decision", "other"),
        ]
    )
    memory = memory_of(entries, "s")
    assert memory["session"]["id"] == "s"
    assert memory["session"]["entries"] == 8
    assert [one["choice"] for one in memory["decisions"]["newest"]] == ["Use zstd"]
    assert memory["files"]["newest"] == [
        {"seq": 5, "path": "a.py", "action": "modify"},
        {"seq": 4, "path": "b.py", "action": "modify"},
    ]
    assert memory["commands"]["newest"] == [{"seq": 6, "command": "make", "exit_code": 2}]
    assert memory["errors"]["newest"] == [{"seq": 7, "error": "Refused: no"}]
    assert memory["looked_at"] == {"first": 0, "last": 7, "older_unseen": False}


def test_calls_that_a_checkpoint_did_not_see_count_for_the_next_one() -> None:
    steps = [of("tool_called")] * 3
    assert memory_of(chained(steps), "s")["tool_calls_since_checkpoint"] == 3
    through = [*steps, of("checkpoint", through=1), of("tool_called")]
    assert memory_of(chained(through), "s")["tool_calls_since_checkpoint"] == 2
    whole = [*steps, of("checkpoint"), of("tool_called")]
    assert memory_of(chained(whole), "s")["tool_calls_since_checkpoint"] == 1


def test_commands_beyond_the_bound_are_counted() -> None:
    memory = memory_of(chained([of("command_ran")] * (VIEW_ITEMS_MAX + 4)), "s")
    assert len(memory["commands"]["newest"]) == VIEW_ITEMS_MAX
    assert memory["commands"]["more"] == 4


def test_a_session_split_between_archives_and_the_log_is_found_in_all_its_parts() -> None:
    entries = chained([of("metric", name) for name in ("a", "b", "a", "a", None, "b", "a", "a")])
    index = index_of(entries, 3, 5)
    assert index["sessions"] == {
        "a": {
            "start": 0,
            "end": 7,
            "parts": [
                {"archive": "archive_0-2", "ranges": [[0, 0], [2, 2]]},
                {"archive": "archive_3-4", "ranges": [[3, 3]]},
                {"archive": None, "ranges": [[6, 7]]},
            ],
        },
        "b": {
            "start": 1,
            "end": 5,
            "parts": [
                {"archive": "archive_0-2", "ranges": [[1, 1]]},
                {"archive": None, "ranges": [[5, 5]]},
            ],
        },
    }
    apart = chained([of("metric", name) for name in ("a", "b", "a")])
    assert index_of(apart)["sessions"]["a"]["parts"] == [
        {"archive": None, "ranges": [[0, 0], [2, 2]]}
    ]
    assert index["unsessioned"]["parts"] == [{"archive": "archive_3-4", "ranges": [[4, 4]]}]
    assert index["archives"][1] == {
        "name": "archive_3-4",
        "first": 3,
        "last": 4,
        "sha256": "cd" * 32,
        "bytes": 7,
    }


def test_ranges_beyond_the_bound_are_counted_and_where_all_of_them_are_is_told() -> None:
    count = 2 * (VIEW_RANGES_MAX + 5)
    entries = chained([of("metric", "ab"[n % 2]) for n in range(count)])
    [part] = index_of(entries, count)["sessions"]["a"]["parts"]
    assert (len(part["ranges"]), part["more"]) == (VIEW_RANGES_MAX, 5)
    assert part["all_in_entry"] == 1000


def test_an_archive_made_by_another_program_without_ranges_is_taken_as_it_says() -> None:
    index = restore_index(
        Marks(**MARKS, as_of_seq=9),
        archives=[Archive(0, 4, "x", "cd" * 32, 7)],
        compressions=[
            (5, {"first": 0, "restore_index": {"S1": {"start": 0, "end": 4}}}),
            (6, {"restore_index": {"S1": {"start": 0, "end": 999}}}),
        ],
        active=[],
    )
    assert index["sessions"]["S1"]["parts"] == [{"archive": "x", "ranges": [[0, 4]]}]


@given(steps_of(sessions))
def test_the_documents_are_the_same_again_and_have_one_spelling(steps: list[Any]) -> None:
    entries = chained(steps)
    stops = [len(entries) // 2] if len(entries) > 1 else []
    first, again = (
        canonical.encode([state_of(entries), memory_of(entries, "s"), index_of(entries, *stops)])
        for _ in range(2)
    )
    assert first == again
