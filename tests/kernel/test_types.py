"""Types are a closed, versioned list; data is checked against them and kept in full."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import canonical, chain, entry
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NewerFormat
from holdfast.kernel.types import TYPES, Checkpoint, Metric, Model, Registry, TypeSpec
from holdfast.testing import LEDGER, data_for, prepared

SEED: dict[str, dict[str, Any]] = {
    "decision": {
        "question": "Which algorithm for optimization?",
        "choice": "PSO over GA",
        "reasoning": "Better for continuous parameters",
        "alternatives": ["GA", "Simulated Annealing"],
        "confidence": 0.85,
    },
    "file_change": {
        "path": "C:\\PRISM\\scripts\\example.py",
        "action": "create",
        "size_before": 0,
        "size_after": 1500,
        "lines_changed": 50,
        "diff_summary": "Added optimization function",
        "hash_after": "sha256...",
    },
    "checkpoint": {
        "task": "Session 0.2 items 1-5",
        "completed": 5,
        "total": 12,
        "files_created": ["a.py", "b.md"],
        "files_modified": ["c.json"],
        "decisions_made": 3,
        "next_action": "Continue with item 6",
        "quick_resume": "Working on append-only state, 5/12 done",
    },
    "error": {
        "error_type": "FileNotFound",
        "message": "Path X not accessible",
        "context": "Trying to read config",
        "resolution": "Created default config",
        "prevention": "Check path exists before read",
    },
    "metric": {
        "name": "S(x)",
        "value": 0.85,
        "threshold": 0.70,
        "passed": True,
        "components": {"safety_check": 0.90, "validation": 0.80},
    },
    "compression": {
        "entries_compressed": 500,
        "sessions_covered": ["S1", "S2", "S3"],
        "archive_path": "C:\\PRISM\\state\\archives\\archive_20260201.jsonl",
        "summary": {
            "total_decisions": 45,
            "total_files_changed": 23,
            "total_errors": 2,
            "key_milestones": ["Completed Phase 0.1", "Created 5 scripts"],
        },
        "restore_index": {
            "S1": {"start": 0, "end": 150},
            "S2": {"start": 151, "end": 350},
            "S3": {"start": 351, "end": 500},
        },
    },
}
"""The samples of the append-only state protocol, word for word."""

OPTIONAL = {("decision", "confidence")}
ALL_FIELDS = [(name, field) for name, data in SEED.items() for field in data]

WRONG: dict[tuple[str, str], list[Any]] = {
    ("decision", "question"): [None, 1, ["a"]],
    ("decision", "choice"): [None, "", "  \n", 3],
    ("decision", "reasoning"): [None, {}],
    ("decision", "alternatives"): [None, "GA", [1], [None]],
    ("decision", "confidence"): ["high", -0.01, 1.01, True],
    ("file_change", "path"): [None, "", " "],
    ("file_change", "action"): [None, "rename", "CREATE", ""],
    ("file_change", "size_before"): [None, -1, "0", 1.5],
    ("file_change", "size_after"): [None, -1, True],
    ("file_change", "lines_changed"): [None, -1, "many"],
    ("file_change", "diff_summary"): [None, 1],
    ("file_change", "hash_after"): [1, []],
    ("checkpoint", "task"): [None, 1],
    ("checkpoint", "completed"): [None, -1, "5", 0.5],
    ("checkpoint", "total"): [None, -1],
    ("checkpoint", "files_created"): [None, "a.py", [1]],
    ("checkpoint", "files_modified"): [None, {}, [None]],
    ("checkpoint", "decisions_made"): [None, -1],
    ("checkpoint", "next_action"): [None, 6],
    ("checkpoint", "quick_resume"): [None, "", "\t "],
    ("error", "error_type"): [None, "", 404],
    ("error", "message"): [None, 1],
    ("error", "context"): [1, []],
    ("error", "resolution"): [1],
    ("error", "prevention"): [False],
    ("metric", "name"): [None, "", 1],
    ("metric", "value"): [None, "0.85", True],
    ("metric", "threshold"): [None, "0.7"],
    ("metric", "passed"): [None, 1, "yes"],
    ("metric", "components"): [None, [], 1],
    ("compression", "entries_compressed"): [None, -1, "500"],
    ("compression", "sessions_covered"): [None, "S1", [1]],
    ("compression", "archive_path"): [None, ""],
    ("compression", "summary"): [None, "short", []],
    ("compression", "restore_index"): [None, [], "S1"],
}


def entry_of(name: str, data: dict[str, Any], version: int | None = None) -> Entry:
    made = prepared(id="x", data=data)
    changed = msgspec.structs.replace(made, type=name, version=version or 1)
    return entry.read(chain.seal(chain.Head(LEDGER, 9), changed).body)


@pytest.mark.parametrize("name", SEED)
def test_the_samples_of_the_protocol_are_valid(name: str) -> None:
    assert TYPES.check(name, SEED[name]) == 1


ADDED = {"decision": ["supersedes", "cites", "subject", "grounds"], "checkpoint": ["cites"]}


@pytest.mark.parametrize("name", SEED)
def test_a_type_has_the_fields_of_the_protocol_and_adds_only_optional_ones(name: str) -> None:
    fields = msgspec.structs.fields(TYPES.spec(name).model)
    added = ADDED.get(name, [])
    assert [*SEED[name], *added] == [field.encode_name for field in fields]
    assert not any(field.required for field in fields if field.encode_name in added)


@pytest.mark.parametrize(("name", "field"), ALL_FIELDS)
def test_a_missing_field_is_refused_and_named(name: str, field: str) -> None:
    data = {key: value for key, value in SEED[name].items() if key != field}
    if (name, field) in OPTIONAL:
        assert TYPES.check(name, data) == 1
        return
    with pytest.raises(InvalidInput, match=f"`{field}`") as caught:
        TYPES.check(name, data)
    assert field in caught.value.remedy
    assert "Nothing was recorded" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [(name, field, value) for (name, field), values in WRONG.items() for value in values],
)
def test_an_ill_typed_field_is_refused_and_named(name: str, field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=rf"\$\.{field}"):
        TYPES.check(name, {**SEED[name], field: value})


def test_every_field_has_a_value_that_is_refused() -> None:
    assert sorted(ALL_FIELDS) == sorted(WRONG)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("checkpoint", {"completed": 0, "total": 0, "decisions_made": 0}),
        ("metric", {"value": 0, "threshold": 0, "passed": False, "components": {}}),
        ("decision", {"confidence": 0, "question": "", "reasoning": "", "alternatives": []}),
        ("file_change", {"size_before": 0, "size_after": 0, "lines_changed": 0}),
        ("compression", {"entries_compressed": 0, "sessions_covered": []}),
    ],
)
def test_zero_and_empty_are_values(name: str, fields: dict[str, Any]) -> None:
    data = {**SEED[name], **fields}
    TYPES.check(name, data)
    read = TYPES.read(entry_of(name, data))
    for field, value in fields.items():
        assert value == getattr(read, field)
        assert type(value) is type(getattr(read, field)) or isinstance(value, int)


def test_what_is_not_known_yet_of_an_error_is_null() -> None:
    unknown = {"context": None, "resolution": None, "prevention": None}
    assert TYPES.check("error", {**SEED["error"], **unknown}) == 1


def test_a_deleted_file_has_no_hash() -> None:
    gone = {"action": "delete", "hash_after": None, "size_after": 0}
    assert TYPES.check("file_change", {**SEED["file_change"], **gone}) == 1


def test_a_metric_may_be_whole_numbers() -> None:
    TYPES.check("metric", {**SEED["metric"], "value": 3, "threshold": 2})
    read = TYPES.read(entry_of("metric", {**SEED["metric"], "value": 3, "threshold": 2}))
    assert isinstance(read, Metric)
    assert read.value == 3


NAMES = {
    ("file_change", "action"),
    ("session_started", "parent"),
    ("work_opened", "work"),
    ("work_closed", "work"),
    ("artifact_erased", "sha256"),
    ("line_quarantined", "encoding"),
    ("fact_recorded", "kind"),
    ("fact_withdrawn", "fact"),
    ("unlock_granted", "handle"),
    ("unlock_granted", "scope"),
    ("story_set", "campaign"),
    ("story_set", "world"),
    ("story_set", "mode"),
    ("scene_started", "scene"),
    ("scene_ended", "scene"),
    ("pending_opened", "pending"),
    ("pending_opened", "kind"),
    ("pending_step_taken", "pending"),
    ("pending_step_taken", "step"),
    ("pending_resolved", "pending"),
    ("pin_revised", "pin"),
    ("ledger_continued", "ledger"),
    ("ledger_continued", "root"),
    ("ledger_continued", "snapshot_id"),
    ("decision_grounded", "decision"),
    ("evidence_recorded", "kind"),
    ("fork_opened", "fork"),
    ("fork_resolved", "fork"),
    ("fork_resolved", "ruling"),
    ("ghost_flagged", "ghost"),
    ("ghost_checked", "ghost"),
    ("ghost_checked", "status"),
    ("search_ran", "scope"),
    ("task_added", "task"),
    ("task_updated", "task"),
    ("task_updated", "status"),
    ("task_closed", "task"),
    ("scenario_added", "task"),
    ("attention_measured", "zone"),
    ("gate_ran", "enforcement"),
    ("episode_recorded", "episode"),
    ("episode_recorded", "conversation"),
    ("episode_recorded", "dialect"),
    ("episode_recorded", "response_hash"),
    ("episode_recorded", "ended"),
    ("artifact_seen", "version"),
    ("artifact_seen", "episode"),
    ("artifact_seen", "speaker"),
    ("artifact_seen", "form"),
    ("artifact_seen", "level"),
    ("artifact_seen", "by"),
    ("artifact_moved", "version"),
    ("artifact_moved", "episode"),
    ("artifact_moved", "path"),
    ("artifact_moved", "after"),
    ("artifact_moved", "symbols"),
    ("file_settled", "path"),
    ("file_settled", "version"),
    ("file_settled", "episode"),
    ("file_settled", "digest"),
    ("desk_changed", "conversation"),
    ("desk_changed", "change"),
    ("audit_done", "episode"),
    ("audit_done", "conversation"),
    ("audit_done", "status"),
    ("disk_truth", "path"),
    ("tool_begun", "call"),
    ("hook_fired", "agent"),
    ("context_compacted", "agent"),
    ("context_given", "agent"),
    ("context_given", "of_session"),
    ("handoff_offered", "to"),
    ("handoff_answered", "handoff"),
    ("handoff_answered", "answer"),
    ("handoff_answered", "by"),
    ("peer_merged", "ledger"),
    ("peer_merged", "root"),
    ("peer_refused", "ledger"),
    ("peer_refused", "known"),
    ("peer_refused", "told"),
    ("state_kept", "framework"),
    ("state_kept", "kind"),
    ("state_kept", "scope"),
    ("state_kept", "about"),
    ("state_dropped", "framework"),
    ("state_dropped", "reason"),
}
REFERENCE = {"$artifact": "ab" * 32, "bytes": 40_000, "form": "text"}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (name, field)
        for name in TYPES
        for field, value in data_for(name).items()
        if isinstance(value, str | list | dict) and (name, field) not in NAMES
    ],
)
def test_a_large_value_may_stand_in_the_vault(name: str, field: str) -> None:
    data = {**data_for(name), field: REFERENCE}
    assert TYPES.check(name, data) == 1
    read = TYPES.read(entry_of(name, data))
    assert msgspec.to_builtins(getattr(read, field)) == REFERENCE


@pytest.mark.parametrize("field", ["value", "threshold"])
def test_a_measured_number_beyond_json_may_stand_in_the_vault(field: str) -> None:
    reference = {"$artifact": "ab" * 32, "bytes": 19, "form": "raw-json"}
    assert TYPES.check("metric", {**data_for("metric"), field: reference}) == 1


@pytest.mark.parametrize("parent", ["", "x" * 201, 1, REFERENCE])
def test_the_session_before_is_named_like_a_session(parent: object) -> None:
    TYPES.check("session_started", {})
    TYPES.check("session_started", {"parent": None})
    TYPES.check("session_started", {"parent": "x" * 200})
    with pytest.raises(InvalidInput, match="parent"):
        TYPES.check("session_started", {"parent": parent})


SINCE: dict[tuple[str, str], list[Any]] = {
    ("decision", "supersedes"): ["d1", [""], [1], ["x" * 201], {}],
    ("decision", "cites"): ["d1", [""], [None], ["x" * 201]],
    ("decision", "subject"): [1, ["a"]],
    ("checkpoint", "cites"): ["d1", [""], 3],
    ("session_started", "holder"): [1, {}, {"pid": "1", "started": "x"}, {"pid": 1}],
    ("session_started", "title"): [1, []],
    ("prompt_given", "text"): [None, "", " \n", 1],
    ("agent_said", "text"): [None, "", "\t", []],
    ("tool_called", "tool"): [None, "", 1],
    ("tool_called", "ok"): ["yes", 1],
    ("tool_called", "detail"): [1],
    ("tool_called", "duration_ms"): [-1, 0.5, "1"],
    ("command_ran", "command"): [None, " ", 1],
    ("command_ran", "exit_code"): ["0", 1.5, False],
    ("command_ran", "output"): [1],
    ("command_ran", "cwd"): [[]],
    ("command_ran", "duration_ms"): [-1, "1"],
    ("work_opened", "work"): [None, "", "x" * 201, 1],
    ("work_opened", "title"): [None, "", " "],
    ("work_opened", "kind"): [1],
    ("work_closed", "work"): [None, "", 1],
    ("work_closed", "outcome"): [None, "", " "],
    ("artifact_erased", "sha256"): [None, "", "ab", "AB" * 32, "ab" * 32 + "c"],
    ("artifact_erased", "bytes"): [None, -1, "1"],
    ("artifact_erased", "reason"): [None, "", " "],
    ("line_quarantined", "source"): [None, ""],
    ("line_quarantined", "line"): [None, -1, "1"],
    ("line_quarantined", "reason"): [None, " "],
    ("line_quarantined", "encoding"): [None, "hex", ""],
    ("line_quarantined", "content"): [None, 1],
    ("line_quarantined", "session"): [1],
}
"""Values that fields beyond the protocol refuse."""


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [(name, field, value) for (name, field), values in SINCE.items() for value in values],
)
def test_an_ill_typed_field_beyond_the_protocol_is_refused(
    name: str, field: str, value: Any
) -> None:
    with pytest.raises(InvalidInput, match=rf"\$\.{field}"):
        TYPES.check(name, data_for(name, **{field: value}))


@pytest.mark.parametrize("name", sorted({name for name, _ in SINCE} - set(SEED)))
def test_a_missing_field_of_a_type_beyond_the_protocol_is_refused_and_named(name: str) -> None:
    needed = [f.encode_name for f in msgspec.structs.fields(TYPES.spec(name).model) if f.required]
    for field in needed:
        data = {key: value for key, value in data_for(name).items() if key != field}
        with pytest.raises(InvalidInput, match=f"`{field}`"):
            TYPES.check(name, data)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("decision", {"supersedes": [], "cites": [], "subject": ""}),
        ("decision", {"supersedes": ["a", "b"], "cites": ["c"], "subject": "storage"}),
        ("checkpoint", {"cites": ["a"]}),
        ("session_started", {"holder": {"pid": 0, "started": ""}, "title": "x"}),
        ("command_ran", {"exit_code": None, "output": None, "cwd": None, "duration_ms": 0}),
        ("command_ran", {"exit_code": -9, "output": ""}),
        ("tool_called", {"ok": None, "params": [1, {"a": None}], "duration_ms": 0}),
        ("work_opened", {"kind": "subagent"}),
        ("line_quarantined", {"line": 0, "content": "", "encoding": "base64", "session": "s"}),
        ("artifact_erased", {"bytes": 0}),
    ],
)
def test_fields_beyond_the_protocol_take_what_they_are_for(
    name: str, fields: dict[str, Any]
) -> None:
    TYPES.check(name, data_for(name, **fields))
    read = TYPES.read(entry_of(name, data_for(name, **fields)))
    assert fields == {field: msgspec.to_builtins(getattr(read, field)) for field in fields}


extras = st.dictionaries(
    st.text(min_size=1, max_size=5).map(lambda key: "x_" + key),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=4,
    ),
    max_size=4,
)


@given(st.sampled_from(list(TYPES)), extras)
def test_unknown_fields_are_kept_value_for_value(name: str, extra: dict[str, Any]) -> None:
    data = data_for(name, **extra)
    TYPES.check(name, data)
    read = entry_of(name, data)
    assert canonical.encode(data) == canonical.encode(read.value())
    TYPES.read(read)


def test_the_builders_have_valid_data_for_every_type() -> None:
    for name in TYPES:
        for n in (0, 1, 7):
            TYPES.check(name, data_for(name, n))
        assert data_for(name, 1) != data_for(name, 2)


@pytest.mark.parametrize(
    ("wrong", "near"), [("descision", "'decision'"), ("checkpoints", "'checkpoint'")]
)
def test_an_unknown_type_is_refused_with_the_nearest_name(wrong: str, near: str) -> None:
    with pytest.raises(InvalidInput, match=wrong) as caught:
        TYPES.check(wrong, {})
    assert near in caught.value.remedy


def test_an_unknown_type_like_none_is_refused_with_all_names() -> None:
    with pytest.raises(InvalidInput) as caught:
        TYPES.check("zzz" * 100, {})
    for name in TYPES:
        assert name in caught.value.remedy
    assert len(caught.value.what) < 300


def test_replaying_an_unknown_type_is_a_hard_failure() -> None:
    with pytest.raises(InvalidInput, match="unheard"):
        TYPES.read(entry_of("unheard", {}))


def test_replaying_data_that_does_not_fit_its_type_is_damage_with_its_number() -> None:
    with pytest.raises(Damaged, match=r"Entry 9 .*quick_resume"):
        TYPES.read(entry_of("checkpoint", data_for("checkpoint", quick_resume=1)))


def test_an_entry_reads_as_its_model() -> None:
    read = TYPES.read(entry_of("checkpoint", SEED["checkpoint"]))
    assert isinstance(read, Checkpoint)
    assert read.quick_resume == "Working on append-only state, 5/12 done"


class Person(Model, frozen=True, kw_only=True):
    """A type whose third version is today's."""

    first: str
    last: str
    born: int


def _name_split(data: dict[str, Any]) -> dict[str, Any]:
    first, _, last = data["name"].partition(" ")
    return {"first": first, "last": last, **{k: v for k, v in data.items() if k != "name"}}


def _born_added(data: dict[str, Any]) -> dict[str, Any]:
    return {"born": 0, **data}


PEOPLE = Registry(TypeSpec("person", Person, (_name_split, _born_added)))


def test_a_type_with_two_upcasts_is_written_as_version_three() -> None:
    assert PEOPLE.check("person", {"first": "Ada", "last": "L", "born": 1815}) == 3


@pytest.mark.parametrize(
    ("version", "data", "expected"),
    [
        (1, {"name": "Ada Lovelace"}, Person(first="Ada", last="Lovelace", born=0)),
        (2, {"first": "Ada", "last": "L"}, Person(first="Ada", last="L", born=0)),
        (3, {"first": "A", "last": "L", "born": 1815}, Person(first="A", last="L", born=1815)),
    ],
)
def test_an_older_version_is_upcast_one_step_at_a_time(
    version: int, data: dict[str, Any], expected: Person
) -> None:
    old = entry_of("person", data, version)
    assert expected == PEOPLE.read(old)
    assert canonical.encode(data) == bytes(old.data)


def test_a_newer_version_is_a_hard_failure_that_leaves_the_ledger_alone() -> None:
    with pytest.raises(NewerFormat, match="version 4; this holdfast knows 3"):
        PEOPLE.read(entry_of("person", {"first": "A", "last": "L", "born": 1}, 4))


@pytest.mark.parametrize("version", [0, -1])
def test_a_version_before_the_first_is_damage(version: int) -> None:
    made = msgspec.structs.replace(prepared(data=SEED["error"]), type="error", version=version)
    odd = entry.read(chain.seal(chain.Head(LEDGER), made).body)
    with pytest.raises(Damaged, match="version"):
        TYPES.read(odd)


def test_upcasts_leave_what_they_are_given_alone() -> None:
    old = entry_of("person", {"name": "Ada Lovelace"}, 1)
    assert PEOPLE.read(old) == PEOPLE.read(old)
