"""What a summary kept of a session, and what it dropped: by words, each item by its entry."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger.ledger import Draft
from holdfast.testing.builders import open_memory_ledger
from holdfast.views.loss import Item, Judged, Kind, compare, items_of, said_of


def _items(*drafts: tuple[str, dict[str, Any]], root: str | None = None) -> list[Item]:
    with open_memory_ledger() as ledger:
        ledger.append_many([Draft(kind, data) for kind, data in drafts])
        return items_of(ledger.read(), root=root)


def _judged(kind: Kind, text: str, summary: str, **fields: Any) -> Judged:
    [one] = compare([Item(kind, text, 3, "id-3", **fields)], summary)
    return one


def _decision(choice: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    data = {"question": "How?", "choice": choice, "reasoning": "so", "alternatives": []}
    return "decision", data | fields


def _ran(command: str, code: int | None) -> tuple[str, dict[str, Any]]:
    return "command_ran", {"command": command, "exit_code": code}


# What a session has


def test_every_kind_of_item_is_read_off_the_entries_with_its_number_and_id() -> None:
    drafts = [
        ("prompt_given", {"text": "Never push to main. Look at src/queue.py and sort it."}),
        _decision("Use argon2id with 3 lanes"),
        _ran("pytest -q tests", 1),
        ("tool_called", {"tool": "Read", "params": {"file_path": "/srv/app/lib/a.py"}}),
        ("work_opened", {"work": "w1", "title": "Review of the lexer"}),
    ]
    with open_memory_ledger() as ledger:
        receipts = ledger.append_many([Draft(*one) for one in drafts])
        found = items_of(ledger.read(), root="/srv/app")

    assert [(item.kind, item.text, item.seq) for item in found] == [
        ("constraint", "Never push to main.", 0),
        ("decision", "Use argon2id with 3 lanes", 1),
        ("open_work", "Review of the lexer", 4),
        ("command", "pytest -q tests", 2),
        ("number", "3", 1),
        ("path", "src/queue.py", 0),
        ("path", "lib/a.py", 3),
        ("request", "Look at src/queue.py and sort it.", 0),
    ]
    assert {item.seq: item.id for item in found} == {one.seq: one.id for one in receipts}


@pytest.mark.lesson("N2")
def test_superseded_decisions_and_closed_work_are_no_loss() -> None:
    with open_memory_ledger() as ledger:
        old = ledger.append(*_decision("Use 2 threads"))
        ledger.append(*_decision("Use one process", supersedes=[old.id]))
        ledger.append("work_opened", {"work": "w1", "title": "Review of the lexer"})
        ledger.append("work_closed", {"work": "w1", "outcome": "fine"})
        found = items_of(ledger.read())

    assert [item.text for item in found] == ["Use one process"]


def test_a_command_counts_once_as_it_ended_the_last_time() -> None:
    [item] = _items(_ran("make  test", 2), _ran("make test", 0))

    assert (item.seq, item.exit_code) == (1, 0)


def test_pasted_code_and_empty_words_are_no_sentences() -> None:
    code = "```python\nnever = must(keep)\n```"
    text = f"ok, continue\n{code}\n/compact\n<reminder>never do it</reminder>"

    assert _items(("prompt_given", {"text": text})) == []


# What became of it


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("summary", "fate"),
    [
        ("- **Never push to `main`**", "kept"),
        ("Pushing to main is not allowed", "paraphrased"),
        ("The branch was rebased on main", "dropped"),
        ("", "dropped"),
    ],
)
def test_the_users_own_words(summary: str, fate: str) -> None:
    assert _judged("constraint", "Never push to main", summary).fate == fate


def test_a_paraphrase_names_the_words_that_are_missing_and_a_denial_that_is() -> None:
    text = "Never store session tokens in the browser cache"
    found = _judged("constraint", text, "Session tokens have to be stored in the cache")

    assert found.fate == "paraphrased"
    assert found.missing == ("never", "browser")
    assert found.instead == "Session tokens have to be stored in the cache"


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("summary", "fate", "missing"),
    [
        ("Ran `pytest -x tests/a.py` (exit 1).", "kept", ()),
        ("pytest -x tests/a.py failed", "kept", ()),
        ("Ran `pytest -x tests/a.py`.", "paraphrased", ("exit 1",)),
        ("pytest was run on tests/a.py and failed", "paraphrased", ("-x",)),
        ("Ran `pytest -x tests/a.py --pdb` (exit 1).", "paraphrased", ()),
        ("The tests failed.", "dropped", ()),
        ("tests/a.py was changed. Ran pytest.", "dropped", ()),
    ],
)
def test_commands_count_as_they_were_typed(
    summary: str, fate: str, missing: tuple[str, ...]
) -> None:
    found = _judged("command", "pytest -x tests/a.py", summary, exit_code=1)

    assert (found.fate, found.missing) == (fate, missing)


def test_a_command_of_one_word_is_not_found_in_prose() -> None:
    assert _judged("command", "make", "To make it work, make sure.").fate == "dropped"
    assert _judged("command", "make", "Then `make` was run.").fate == "kept"


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("summary", "fate"),
    [
        ("src/core/queue.py was changed", "kept"),
        ("see /home/me/app/src/core/queue.py", "kept"),
        ("see core/queue.py", "paraphrased"),
        ("`queue.py` was changed", "paraphrased"),
        ("see lib/queue.py", "dropped"),
        ("see src/core/queue.pyx", "dropped"),
        ("the queue in src/core", "dropped"),
    ],
)
def test_paths(summary: str, fate: str) -> None:
    assert _judged("path", "src/core/queue.py", summary).fate == fate


def test_a_name_that_two_paths_share_stands_for_neither() -> None:
    paths = [Item("path", "a/util.py", 1, "x"), Item("path", "b/util.py", 2, "y")]

    assert [one.fate for one in compare(paths, "util.py was changed")] == ["dropped", "dropped"]


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("summary", "fate"),
    [
        ("Requests time out after 30 s", "kept"),
        ("request timeout of 30 seconds", "paraphrased"),
        ("a request may take half a minute", "dropped"),
        ("Requests time out after 60 s", "dropped"),
        ("The build took 30 s", "dropped"),
    ],
)
def test_numbers_count_where_the_same_thing_is_spoken_of(summary: str, fate: str) -> None:
    about = "A request has to time out after 30 s"

    assert _judged("number", "30 s", summary, about=about).fate == fate


def test_without_a_summary_nobody_knows() -> None:
    [one] = compare([Item("decision", "Use argon2id", 3, "id-3")], None)

    assert one.fate == "unknown"


def test_what_an_agent_thought_aloud_before_its_summary_is_not_kept() -> None:
    summary = "<analysis>Never push to main.</analysis><summary>Work goes on.</summary>"

    assert _judged("constraint", "Never push to main", summary).fate == "dropped"


def test_it_is_counted_by_kind_in_the_order_of_weight() -> None:
    items = [Item("path", "a.py", 1, "x"), Item("path", "b.py", 1, "x")]
    items.append(Item("decision", "Use argon2id", 1, "x"))

    assert said_of(compare(items, "")) == "1 decision, 2 paths"


@given(
    texts=st.lists(st.text(max_size=60), max_size=8),
    summary=st.text(max_size=200),
    kind=st.sampled_from(["constraint", "decision", "open_work", "command", "path", "number"]),
)
def test_any_words_get_the_same_answer_each_time(
    texts: list[str], summary: str, kind: Kind
) -> None:
    items = [Item(kind, text or "x", 1, "id", about=text) for text in texts]

    first = compare(items, summary)

    assert [one.fate in ("kept", "paraphrased", "dropped") for one in first] == [True] * len(items)
    assert json.dumps([one.fate for one in first]) == json.dumps(
        [one.fate for one in compare(items, summary)]
    )
