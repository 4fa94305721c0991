"""A quick resume is made from facts, fits its budget, and says what must not be missing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import (
    FACT_COMMANDS_MAX,
    FACT_FILES_MAX,
    QUICK_RESUME_TOKENS_MAX,
    RESUME_CLAUSE_TOKENS_MAX,
)
from holdfast.kernel.tokens import estimate
from holdfast.kernel.types import TYPES
from holdfast.testing.builders import data_for
from holdfast.views.resume import (
    Facts,
    checkpoint_data,
    gather,
    is_boilerplate,
    next_action_of,
    quick_resume,
    resume_capsule,
    standing_of,
)
from tests.views.material import chained, of, steps_of


def facts_of(*steps: Any, **options: Any) -> Facts:
    return gather(chained(steps), **options)


WORK = (
    of("prompt_given", text="Make the parser accept tabs. Then write the changelog."),
    of("file_change", path="src/parser.py", action="modify"),
    of("file_change", path="tests/test_parser.py", action="create"),
    of("command_ran", command="ruff check", exit_code=0, output=""),
    of(
        "command_ran",
        command="pytest -q tests/test_parser.py",
        exit_code=1,
        output="E  assert 1\n====== 2 failed, 30 passed in 0.41s ======\n",
    ),
    of("decision", choice="Expand tabs to eight columns"),
    of("agent_said", text="Two tests still fail. I will look at the lexer next."),
)


def test_a_resume_says_what_comes_next_what_fails_and_what_changed() -> None:
    text = quick_resume(facts_of(*WORK))
    assert "next: fix: pytest -q tests/test_parser.py (exit 1)" in text
    assert text.count("pytest -q") == 1, "what comes next names it already"
    assert "changed: tests/test_parser.py, src/parser.py" in text
    assert "tests: 2 failed, 30 passed" in text
    assert estimate(text) <= QUICK_RESUME_TOKENS_MAX


def test_task_and_progress_stand_first_and_zero_is_a_value() -> None:
    facts = facts_of(of("file_change", path="a.py"))
    standing = standing_of(facts, task="Port the parser", completed=0, total=12)
    assert quick_resume(facts, standing=standing).startswith("Port the parser 0/12; ")


def test_a_failing_command_that_passed_later_is_not_what_comes_next() -> None:
    facts = facts_of(
        of("command_ran", command="make", exit_code=2),
        of("command_ran", command="make", exit_code=0),
        of("prompt_given", text="Now the docs"),
    )
    assert next_action_of(facts) == "Now the docs"
    assert "failed: make (exit 2, passed since)" in quick_resume(facts)


def test_open_work_is_in_the_resume() -> None:
    facts = facts_of(of("file_change", path="a.py"), open_work=["Scan the logs", "Bisect"])
    assert "open: Scan the logs, Bisect" in quick_resume(facts) + next_action_of(facts)
    assert "finish: Scan the logs" in quick_resume(facts)


def test_a_superseded_decision_is_not_told_as_decided() -> None:
    steps = (
        of("prompt_given", text="Choose a format"),
        of("decision", choice="Use gzip"),
        of("decision", choice="Use zstd"),
    )
    assert "decided: Use zstd" in quick_resume(facts_of(*steps, of("file_change")))
    assert "Use zstd" not in quick_resume(
        facts_of(*steps, of("file_change"), superseded=lambda key: key == "e2")
    )
    undone = facts_of(*steps, of("decision", choice="Use neither", supersedes=["e2", "e1"]))
    assert undone.decisions == (("e3", "Use neither"),)
    assert undone.decided == 3


def test_what_a_checkpoint_knew_is_carried_on_when_nothing_newer_is_known() -> None:
    first = checkpoint_data(facts_of(*WORK))
    text = quick_resume(facts_of(of("tool_called", tool="Read"), before=first))
    assert "fix: pytest -q tests/test_parser.py (exit 1)" in text
    assert "changed: src/parser.py, tests/test_parser.py" in text


def test_entries_before_the_last_checkpoint_are_left_out() -> None:
    facts = facts_of(
        of("file_change", path="old.py"),
        of("checkpoint", quick_resume="half way", files_modified=["old.py"]),
        of("file_change", path="new.py"),
    )
    assert facts.files == (("new.py", "modify"),)
    assert (facts.entries, facts.first, facts.last) == (1, 2, 2)


def test_many_files_are_counted() -> None:
    facts = facts_of(*(of("file_change", path=f"src/part_{n}.py") for n in range(9)))
    assert "changed: src/part_8.py, src/part_7.py +7 more" in quick_resume(facts)


def test_long_texts_are_cut_in_the_middle_and_the_cut_is_counted() -> None:
    text = quick_resume(
        facts_of(
            of("prompt_given", text="please " * 300),
            of("command_ran", command="run " + "--flag " * 300, exit_code=3),
            of("file_change", path="src/" + "deep/" * 60 + "end.py"),
        )
    )
    assert estimate(text) <= QUICK_RESUME_TOKENS_MAX
    assert all(label in text for label in ("next: ", "fix: run", "changed: src/", "end.py"))
    assert "… +" in text


def test_one_changed_path_stays_whole_as_long_as_it_can() -> None:
    path = "src/importer/readers/quoted_csv_reader.py"
    text = quick_resume(
        facts_of(
            of("prompt_given", text="Port the importer to the schema of the warehouse " * 3),
            *(of("file_change", path=f"src/importer/readers/reader_{n}.py") for n in range(3)),
            of("file_change", path=path),
            of("command_ran", command="pytest -q tests/importer --maxfail=1", exit_code=1),
        ),
        tokens_max=75,
    )
    assert f"changed: {path} +3 more" in text


def test_what_is_left_out_is_counted() -> None:
    facts = facts_of(
        *(of("error", message="sentence with many rare words " * 5), *WORK),
        of("work_opened", work="w", title="untangle the scheduler quarrel " * 3),
    )
    assert quick_resume(facts, tokens_max=60).endswith(" facts)")


def test_without_any_fact_about_work_it_says_so_with_the_session_and_a_count() -> None:
    text = quick_resume(facts_of(of("metric"), of("metric")))
    assert text == "Session s: 2 entries up to entry 1, none about work"
    assert quick_resume(Facts(), standing=standing_of(Facts(), completed=3, total=7)) == (
        "3/7; This ledger: 0 entries, none about work"
    )


def test_a_checkpoint_has_every_field_and_keeps_zero() -> None:
    data = checkpoint_data(facts_of(*WORK), task="Tabs", completed=0, total=0, next_action="lexer")
    TYPES.check("checkpoint", data)
    assert (data["completed"], data["total"], data["task"]) == (0, 0, "Tabs")
    assert data["files_created"] == ["tests/test_parser.py"]
    assert data["files_modified"] == ["src/parser.py"]
    assert data["decisions_made"] == 1
    assert data["derived"] == ["quick_resume"]
    assert data["commands"] == [
        {"command": "pytest -q tests/test_parser.py", "exit_code": 1},
        {"command": "ruff check", "exit_code": 0},
    ]
    assert "Tabs 0/0; next: lexer" in data["quick_resume"]


def test_a_created_file_that_is_gone_again_is_not_listed_as_created() -> None:
    steps = [of("file_change", path="a.py", action=action) for action in ("create", "delete")]
    data = checkpoint_data(facts_of(*steps))
    assert (data["files_created"], data["files_modified"]) == ([], ["a.py"])
    assert "changed: a.py (deleted)" in data["quick_resume"]


def test_a_checkpoint_counts_what_it_does_not_repeat() -> None:
    many = [of("command_ran", command=f"step {n}", exit_code=n == 0) for n in range(9)]
    files = [of("file_change", path=f"f{n}", action="modify") for n in range(FACT_FILES_MAX + 2)]
    data = checkpoint_data(facts_of(*many, *files, unseen=True))
    assert len(data["commands"]) == FACT_COMMANDS_MAX + 1
    assert data["commands"][-1] == {"command": "step 0", "exit_code": 1}
    assert data["left_out"] == {"commands": 4, "files_modified": 2}
    later = facts_of(of("metric", None), *many, unseen=True)
    assert later.unseen


def test_a_capsule_is_the_checkpoints_resume_when_nothing_came_since() -> None:
    checkpoint = data_for("checkpoint", quick_resume="Parser done,\n docs next")
    text, tokens = resume_capsule(checkpoint, facts_of(before=checkpoint))
    assert text == "Parser done, docs next"
    assert tokens == estimate(text)


def test_a_capsule_tells_in_one_clause_what_came_since() -> None:
    checkpoint = data_for("checkpoint", quick_resume="Parser done, docs next")
    text, _ = resume_capsule(checkpoint, facts_of(*WORK, before=checkpoint))
    assert text.startswith("Parser done, docs next | since then 7 entries; ")
    assert "failing: pytest -q tests/test_parser.py (exit 1)" in text
    assert "changed: tests/test_parser.py +1 more" in text


def test_a_capsule_takes_back_what_no_longer_holds() -> None:
    steps = (of("command_ran", command="make", exit_code=2), of("work_opened", work="w", title="X"))
    checkpoint = checkpoint_data(facts_of(*steps))
    since = facts_of(
        of("command_ran", command="make", exit_code=0), before=checkpoint, open_work=[]
    )
    text, _ = resume_capsule(checkpoint, since)
    assert "failed: make (exit 2, passed since)" in text
    assert "closed: X" in text


def test_a_capsule_without_a_checkpoint_speaks_from_facts() -> None:
    facts = facts_of(*WORK)
    assert resume_capsule(None, facts).text == quick_resume(facts)


def test_a_checkpoints_own_long_resume_is_cut_for_the_capsule_only() -> None:
    words = "Parser done and lexer begun " * 50
    data = checkpoint_data(facts_of(), quick_resume=words)
    assert data["quick_resume"] == words
    text, tokens = resume_capsule(data, Facts())
    assert tokens <= QUICK_RESUME_TOKENS_MAX
    assert "… +" in text


PARTS = ("lexer", "parser", "cache", "router", "index")


def session(number: int) -> list[Any]:
    """Return one of many sessions: other words, files and commands, and another course."""
    part = PARTS[number % 5]
    check = f"pytest -q tests/{part}/test_case_{number}.py"
    steps = [
        of(
            "prompt_given", text=f"Make the {part} handle case {number}, but keep the rest as it is"
        ),
        of("tool_called", tool="Read", detail=f"src/{part}/core.py"),
        of("command_ran", command=check, exit_code=1, output=f"{number} failed, 9 passed in 1s"),
        of("file_change", path=f"src/{part}/case_{number}.py"),
        of("decision", choice=f"Split {part} at {number} bytes"),
        of("agent_said", text=f"The {part} now sees case {number}. More later."),
        of("work_opened", work="w", title=f"Survey {part} callers"),
        of("command_ran", command="git status --short", exit_code=0),
    ]
    return steps[: 4 + number % 5] if number % 3 else steps[::-1]


def test_fifty_varied_sessions_have_fifty_resumes_and_none_lacks_what_matters() -> None:
    resumes = [quick_resume(facts_of(*session(number))) for number in range(50)]
    assert len(set(resumes)) == 50
    for number, text in enumerate(resumes):
        part = PARTS[number % 5]
        assert "next: " in text
        assert f"pytest -q tests/{part}/test_case_{number}.py (exit 1)" in text
        assert f"changed: src/{part}/case_{number}.py" in text
        assert estimate(text) <= QUICK_RESUME_TOKENS_MAX
        assert not is_boilerplate(text)


@given(steps_of(st.just("s")))
def test_whatever_happened_the_resume_fits_is_the_same_again_and_says_something(
    steps: list[Any],
) -> None:
    text = quick_resume(facts_of(*steps))
    assert text == quick_resume(facts_of(*steps))
    assert estimate(text) <= QUICK_RESUME_TOKENS_MAX
    assert "\n" not in text
    data = checkpoint_data(facts_of(*steps))
    TYPES.check("checkpoint", data)


@given(steps_of(st.just("s")))
def test_what_must_be_there_is_there_whenever_it_is_known(steps: list[Any]) -> None:
    facts = facts_of(*steps)
    text = quick_resume(facts)
    assert ("next: " in text) or not next_action_of(facts)
    named = ("failing: ", "failed: ", "next: fix: ")
    assert facts.failing is None or any(label in text for label in named)
    assert not facts.files or "changed: " in text
    capsule = resume_capsule(facts.before, facts)
    assert capsule.tokens <= QUICK_RESUME_TOKENS_MAX + RESUME_CLAUSE_TOKENS_MAX + 4


@given(steps_of(st.just("s")), st.integers(40, 120))
def test_a_smaller_budget_is_kept_too(steps: list[Any], tokens_max: int) -> None:
    assert estimate(quick_resume(facts_of(*steps), tokens_max=tokens_max)) <= tokens_max
