"""`holdfast task`: what is to do, in which order, and what belongs to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Holdfast, Result


def lines(done: Result) -> list[Any]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def add(holdfast: Holdfast, title: str, *options: str) -> str:
    done = holdfast("task", "add", title, *options, "--json")
    assert done.code == 0, done.err
    return str(done.json()["task"])


@pytest.mark.req("L14")
def test_a_task_goes_from_added_to_closed(holdfast: Holdfast) -> None:
    first = add(holdfast, "Rotate tokens", "--priority", "1", "--kind", "feature")
    second = add(holdfast, "Write the migration", "--depends-on", first)
    assert [one["task"] for one in lines(holdfast("task", "ready", "--json"))] == [first]
    begun = holdfast("task", "start", first, "--json")
    assert (begun.code, begun.json()["status"]) == (0, "in_progress")
    assert "No task is ready; 2 wait or are begun." in holdfast("task", "ready").err
    holdfast("task", "update", first, "--next", "test it", "--blocker", "a key", "--total", "3")
    closed = holdfast("task", "close", first, "--reason", "merged")
    assert f"{first}  P1  closed  Rotate tokens" in closed.text
    [left] = lines(holdfast("task", "list", "--json"))
    assert (left["task"], left["ready"], left["waits_for"]) == (second, True, [])
    assert len(lines(holdfast("task", "list", "--all", "--json"))) == 2


@pytest.mark.req("L14")
def test_show_has_the_fields_that_others_exchange(holdfast: Holdfast) -> None:
    task = add(holdfast, "Rotate tokens")
    holdfast("session", "start", "--session", "s1")
    holdfast("task", "start", task)
    holdfast("task", "scenario", "Token at boundary", "--type", "edge_case", "--expected", "grace")
    evidence = [{"path": "a.py", "line": 12, "quote": "def f():", "state": "exact"}]
    grounds = {"cited": 1, "exact": 1, "task": task, "evidence": evidence}
    holdfast.record("decision", 0, choice="Rotate", reasoning="Replay.", grounds=grounds)
    holdfast.record("handoff_made", 0, task=task, trajectory_ref="t.jsonl:span-1")
    holdfast.record("delta_synced", 0, task=task)
    shown = holdfast("task", "show", task, "--json").json()
    [decision] = shown["decisions"]
    assert decision["decision"] == "Rotate"
    assert decision["rationale"] == "Replay."
    assert decision["evidence"] == [
        {"path": "${PROJECT_ROOT}/a.py", "line": 12, "quote": "def f():"}
    ]
    assert shown["test_scenarios"] == [
        {"name": "Token at boundary", "type": "edge_case", "expected": "grace"}
    ]
    [handoff] = shown["handoffs"]
    assert (handoff["session_id"], handoff["notes_ref"]) == ("s1", "NOTES.md:1-9")
    assert (handoff["trajectory_ref"], shown["delta_synced"]) == ("t.jsonl:span-1", True)
    page = holdfast("task", "show", task).text
    for part in ("Rotate", "because Replay.", "`def f():` [${PROJECT_ROOT}/a.py:12]", "grace"):
        assert part in page


@pytest.mark.req("L14")
def test_a_decision_is_shown_with_what_it_rests_on_now(holdfast: Holdfast) -> None:
    task = add(holdfast, "Rotate tokens")
    made = holdfast.record("decision", 0, grounds={"cited": 0, "exact": 0, "task": task})
    assert holdfast("task", "show", task, "--json").json()["decisions"][0]["evidence"] == []
    evidence = [{"path": "a.py", "line": 12, "quote": "def f():", "state": "exact"}]
    grounds = {"cited": 1, "exact": 1, "evidence": evidence}
    holdfast.record("decision_grounded", 0, decision=made["id"], grounds=grounds)
    holdfast.record("decision_grounded", 1, grounds=grounds)  # another decision, of no task
    [decision] = holdfast("task", "show", task, "--json").json()["decisions"]
    assert [one["line"] for one in decision["evidence"]] == [12]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "hf-12cd"), 1, "Near ones: hf-12ce"),
        (("start", "nope"), 1, "There is no task 'nope'"),
        (("update", "hf-12ce"), 2, "Nothing was named"),
        (("update", "hf-12ce", "--status", "closed"), 2, "'closed' is not one of"),
        (("update", "hf-12ce", "--depends-on", "hf-12ce"), 2, "hf-12ce → hf-12ce"),
        (("add", " "), 2, "title"),
        (("add", "x", "--id", "hf-12ce"), 2, "already"),
        (("add", "x", "--id", "two\nlines"), 2, "The task's id"),
        (("add", "x", "--priority", "5"), 2, "5 is not in the range"),
        (("close", "hf-12ce"), 2, "--reason"),
        (("scenario", "n", "--type", "t", "--expected", "e", "--task", "nope"), 1, "no task"),
    ],
)
def test_what_cannot_be_says_why_and_records_nothing(
    holdfast: Holdfast, words: tuple[str, ...], code: int, said: str
) -> None:
    add(holdfast, "Rotate", "--id", "hf-12ce")
    done = holdfast("task", *words, "--json")
    assert (done.code, len(holdfast.entries())) == (code, 1)
    assert said in done.err
    assert done.json()["error"]["what"]


def test_a_scenario_is_for_the_current_task_else_for_the_session(holdfast: Holdfast) -> None:
    words = ("task", "scenario", "n", "--type", "t", "--expected", "e")
    assert "no task is begun" in holdfast(*words).err
    task = add(holdfast, "Rotate")
    holdfast("task", "start", task)
    assert holdfast(*words, "--json").json()["task"] == task
    assert holdfast(*words, "--of-session", "--json").json()["task"] is None
    assert len(holdfast("task", "show", task, "--json").json()["test_scenarios"]) == 1


def test_lists_are_emptied_by_clear_and_kept_without(holdfast: Holdfast) -> None:
    task = add(holdfast, "Rotate")
    holdfast("task", "update", task, "--next", "a", "--next", "b", "--blocker", "c")
    holdfast("task", "update", task, "--clear", "next", "--note", "well")
    shown = holdfast("task", "show", task, "--json").json()
    assert (shown["next_steps"], shown["blockers"], shown["note"]) == ([], ["c"], "well")


def test_beginning_what_still_waits_is_told(holdfast: Holdfast) -> None:
    first = add(holdfast, "One")
    second = add(holdfast, "Two", "--depends-on", first)
    assert f"It still waits for {first}." in holdfast("task", "start", second).err


def test_what_a_title_hides_is_shown(holdfast: Holdfast) -> None:
    task = add(holdfast, "red \x1b[31m alert")
    for done in (holdfast("task", "list"), holdfast("task", "show", task)):
        assert "\\x1b[31m" in done.text


def test_nothing_to_do_is_said(holdfast: Holdfast) -> None:
    assert holdfast("task", "list").err == "There is nothing to do.\n"
    assert holdfast("task", "list", "--status", "closed").err == "There is no such task.\n"
    assert holdfast("task", "ready").err == "No task is ready.\n"


def test_a_text_whose_bytes_were_erased_is_named(holdfast: Holdfast) -> None:
    task = add(holdfast, "Rotate", "--description", "d" * 40_000)
    [entry] = holdfast.entries()
    sha256 = entry["data"]["description"]["$artifact"]
    assert holdfast("erase", sha256, "--reason", "asked", "--yes").code == 0
    shown = holdfast("task", "show", task, "--json").json()
    assert shown["description"] == f"({sha256[:12]} was erased)"


# Exchange


@pytest.mark.req("L14")
def test_what_was_exported_is_imported_elsewhere(holdfast: Holdfast, tmp_path: Path) -> None:
    first = add(holdfast, "Rotate", "--priority", "0", "--kind", "bug", "--description", "All.")
    second = add(holdfast, "Migrate", "--depends-on", first, "--priority", "2", "--kind", "task")
    add(holdfast, "Own kind", "--kind", "ritual")
    holdfast("task", "scenario", "n", "--type", "t", "--expected", "e", "--task", second)
    holdfast("task", "update", second, "--next", "one", "--status", "blocked")
    holdfast("task", "close", first, "--reason", "merged")
    exported = holdfast("task", "export")
    assert [json.loads(line)["id"] for line in exported.out.splitlines()][:2] == [first, second]
    other = Holdfast(tmp_path / "other", holdfast.home)
    other.folder.mkdir()
    other("init")
    taken = other("task", "import", "-", "--json", stdin=exported.out)
    assert taken.json() == {
        "added": 3,
        "changed": 0,
        "unchanged": 0,
        "left_out": [],
        "not_taken": 0,
    }
    for name in (first, second):
        here = holdfast("task", "show", name, "--json").json()
        there = other("task", "show", name, "--json").json()
        for field in (
            "title",
            "description",
            "status",
            "priority",
            "kind",
            "depends_on",
            "reason",
            "next_steps",
            "test_scenarios",
        ):
            assert there[field] == here[field], field
        assert there["source"] == "beads"
    third = lines(other("task", "list", "--status", "open", "--json"))[0]
    assert third["priority"] == 2  # Beads has no task without one
    again = other("task", "import", "-", "--json", stdin=exported.out)
    assert (again.json()["added"], again.json()["unchanged"]) == (0, 3)
    assert "ritual" in {one["kind"] for one in lines(other("task", "list", "--json"))}


@pytest.mark.req("L14")
def test_a_file_of_beads_is_taken_in_and_written_back(holdfast: Holdfast) -> None:
    file = holdfast.folder / ".beads" / "issues.jsonl"
    file.parent.mkdir()
    rows = [
        {"id": "bd-1", "title": "One", "status": "closed", "close_reason": "done", "priority": 0},
        {"id": "bd-2", "title": "Two", "status": "hooked", "labels": ["x"], "dependencies": [
            {"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"},
            {"issue_id": "bd-2", "depends_on_id": "bd-9", "type": "parent-child"}]},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert holdfast("task", "import").text == "2 added, 0 changed, 0 as they were.\n"
    assert [one["task"] for one in lines(holdfast("task", "ready", "--json"))] == ["bd-2"]
    assert holdfast("task", "show", "bd-1", "--json").json()["reason"] == "done"
    holdfast("task", "update", "bd-2", "--next", "look")
    written = holdfast("task", "export", file, "--json")
    assert written.json() == {"exported": 2, "file": str(file)}
    row = json.loads(file.read_text().splitlines()[1])
    assert (row["labels"], row["status"]) == (["x"], "hooked")
    assert row["metadata"]["holdfast"]["next_steps"] == ["look"]
    assert len(row["dependencies"]) == 2


def test_what_differs_in_beads_is_changed_here(holdfast: Holdfast) -> None:
    row = {"id": "bd-1", "title": "One", "status": "open", "priority": 2, "description": "d"}

    def take(**fields: Any) -> Any:
        content = json.dumps(row | fields).encode()
        return holdfast("task", "import", "-", "--json", stdin=content).json()

    assert take()["added"] == 1
    size = len(holdfast.entries())
    assert (take()["unchanged"], len(holdfast.entries())) == (1, size)
    assert take(title="New", priority=0, status="in_progress", description="")["changed"] == 1
    shown = holdfast("task", "show", "bd-1", "--json").json()
    assert (shown["title"], shown["priority"], shown["status"]) == ("New", 0, "in_progress")
    take(status="closed", close_reason="done")
    assert holdfast("task", "show", "bd-1", "--json").json()["reason"] == "done"
    take(status="open")
    assert holdfast("task", "show", "bd-1", "--json").json()["status"] == "open"


def test_what_cannot_be_taken_in_is_named_and_the_rest_is(holdfast: Holdfast) -> None:
    def depends(name: str, *others: str) -> dict[str, Any]:
        records = [{"issue_id": name, "depends_on_id": one, "type": "blocks"} for one in others]
        return {"id": name, "title": name, "dependencies": records}

    rows = [depends("a", "b"), depends("b", "a", "gone"), {"id": "c", "title": " "}]
    content = b"".join(json.dumps(row).encode() + b"\n" for row in rows) + b"{broken\n"
    done = holdfast("task", "import", "-", "--json", stdin=content)
    assert (done.code, done.json()["added"]) == (1, 2)
    assert done.json()["left_out"] == [
        "line 4: it is not JSON",
        "c: it has no title",
        "b: that it depends on a would be a cycle",
        "b: it depends on gone, which is not here",
    ]
    assert "NOT taken in: c: it has no title" in done.err
    assert holdfast("task", "show", "a", "--json").json()["depends_on"] == ["b"]


def test_decisions_and_comments_of_others_are_counted_not_taken(holdfast: Holdfast) -> None:
    ours = {"decisions": [{"decision": "x"}], "handoffs": [], "test_scenarios": [{"name": "n"}]}
    row = {"id": "a", "title": "A", "comments": [{"text": "hi"}], "metadata": {"holdfast": ours}}
    done = holdfast("task", "import", "-", "--json", stdin=json.dumps(row).encode())
    assert done.json()["not_taken"] == 2
    assert done.json()["left_out"] == ["a: a scenario without name, type and expected"]
    assert [entry["type"] for entry in holdfast.entries()] == ["task_added"]


def test_without_beads_there_is_nothing_to_import_from(holdfast: Holdfast) -> None:
    done = holdfast("task", "import")
    assert done.code == 2
    assert "There is no .beads/" in done.err
    assert holdfast("task", "export", holdfast.folder).code == 2


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_next_step_is_refused(holdfast: Holdfast, blank: str) -> None:
    task = add(holdfast, "Rotate tokens")
    found = holdfast("task", "update", task, "--next", "run the tests", "--next", blank)
    assert (found.code, "is blank" in found.err) == (2, True)
    assert holdfast("task", "show", task, "--json").json()["next_steps"] == []
