"""What `bd` prints: the same issue, whatever stands around it and whatever it lacks."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.evidence.beads.shapes import error_of, issue_of, rows
from holdfast.kernel.errors import CouldNotLook

ISSUE = {"id": "bd-1", "title": "One"}


@pytest.mark.lesson("N16")
@pytest.mark.parametrize(
    "answer",
    [
        ISSUE,
        [ISSUE],
        {"schema_version": 1, "data": ISSUE},
        {"schema_version": 1, "data": [ISSUE]},
        {"schema_version": 1, "items": [ISSUE]},
        {"schema_version": 1, **ISSUE},
    ],
    ids=["object", "array", "envelope", "envelope-array", "items", "inline"],
)
def test_every_shape_holds_the_same_issue(answer: Any) -> None:
    [row] = rows(answer)
    issue = issue_of(row)
    assert issue is not None
    assert (issue.id, issue.title, issue.status) == ("bd-1", "One", "open")


@pytest.mark.parametrize("answer", [None, [], {"schema_version": 1, "data": None}])
def test_nothing_is_nothing(answer: Any) -> None:
    assert rows(answer) == []


@pytest.mark.parametrize("answer", [1, "text", [1], [["bd-1"]]])
def test_what_is_no_answer_is_not_nothing(answer: Any) -> None:
    with pytest.raises(CouldNotLook):
        rows(answer)


def test_dependencies_are_read_as_records_and_as_issues() -> None:
    records = [
        {"issue_id": "bd-1", "depends_on_id": "bd-2", "type": "blocks"},
        {"issue_id": "bd-1", "depends_on_id": "bd-3", "type": "parent-child"},
        {"issue_id": "bd-7", "depends_on_id": "bd-1", "type": "blocks"},
        {"depends_on_id": 5, "type": "blocks"},
    ]
    linked = [
        {"id": "bd-2", "title": "Two", "dependency_type": "blocks"},
        {"id": "bd-3", "title": "Three", "dependency_type": "related"},
    ]
    for dependencies in (records, linked):
        issue = issue_of({**ISSUE, "dependencies": dependencies})
        assert issue is not None
        assert issue.depends_on == ["bd-2"]


@pytest.mark.parametrize(
    ("metadata", "read"),
    [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("{broken", {}), (None, {}), ([1], {})],
)
def test_metadata_may_be_an_object_or_a_text(metadata: Any, read: dict[str, Any]) -> None:
    issue = issue_of({**ISSUE, "metadata": metadata})
    assert issue is not None
    assert issue.metadata == read


@pytest.mark.parametrize("field", ["description", "status", "priority", "comments", "dependencies"])
@pytest.mark.parametrize("value", [None, 7.5, {"x": 1}, [None]])
def test_a_field_of_another_type_is_as_if_it_were_not_there(field: str, value: Any) -> None:
    issue = issue_of({**ISSUE, field: value})
    assert issue is not None
    assert (issue.description, issue.priority, issue.comments) == ("", None, [])
    assert issue.raw[field] == value


@pytest.mark.parametrize("row", [{}, {"id": "bd-1"}, {"id": " ", "title": "x"}, {"title": "x"}])
def test_what_has_no_id_and_title_is_no_issue(row: dict[str, Any]) -> None:
    assert issue_of(row) is None


def test_an_error_is_told_apart_from_an_issue() -> None:
    assert error_of({"error": "not found", "schema_version": 1}) == "not found"
    assert error_of({"schema_version": 1, "data": {"error": "gone", "hint": "h"}}) == "gone"
    assert error_of({"error": "code", "message": "Say it."}) == "Say it."
    assert error_of({**ISSUE, "error": "part of the issue"}) is None
    assert error_of([ISSUE]) is None
