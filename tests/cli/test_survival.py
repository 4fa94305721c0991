"""What must come back word for word after the context is gone: through commands alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.harness import Holdfast

COMMAND = "pytest tests/billing/test_rounding.py -k half_even --maxfail=3"
PATH = "src/billing/rounding_modes.py"
WORDS = "please leave the ROUND_UP of the old invoices alone — the auditor signed those"
NUMBER = 739.741


def tell(holdfast: Holdfast, kind: str, data: dict[str, Any]) -> None:
    done = holdfast("record", kind, "--session", "s1", "--data", json.dumps(data))
    assert done.code == 0, done.err


@pytest.fixture
def after(holdfast: Holdfast) -> Holdfast:
    """A project whose session was sealed away, in a folder that has another name since."""
    holdfast("session", "start", "--session", "s1")
    tell(holdfast, "prompt_given", {"text": WORDS})
    tell(holdfast, "command_ran", {"command": COMMAND, "exit_code": 2, "output": "2 failed"})
    change = {
        "path": PATH,
        "action": "modify",
        "size_before": 10,
        "size_after": 50,
        "lines_changed": 3,
        "diff_summary": "guard against half a cent",
        "hash_after": "ab" * 32,
    }
    tell(holdfast, "file_change", change)
    metric = {"name": "p95 latency of billing", "value": NUMBER, "threshold": 1000}
    tell(holdfast, "metric", {**metric, "passed": True, "components": {}})
    for number in range(20):
        tell(holdfast, "agent_said", {"text": f"thinking about part {number}"})
    assert holdfast("session", "end", "--session", "s1").code == 0
    assert holdfast("seal", "--keep", "0", "--json").json()["kept"] == 0
    moved = holdfast.folder.rename(holdfast.folder.with_name("renamed"))
    return Holdfast(moved, holdfast.home)


@pytest.mark.lesson("N1")
def test_what_was_said_run_changed_and_measured_is_kept_word_for_word(after: Holdfast) -> None:
    kept = [json.loads(line)["data"] for line in after("restore", "s1", "--json").out.splitlines()]
    assert WORDS in [data.get("text") for data in kept]
    assert (COMMAND, 2) in [(data.get("command"), data.get("exit_code")) for data in kept]
    assert PATH in [data.get("path") for data in kept]
    assert NUMBER in [data.get("value") for data in kept]


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did the user want about old invoices?", WORDS),
        ("which billing tests failed?", COMMAND),
        ("where is the guard against half a cent?", PATH),
        ("how slow was billing, p95?", str(NUMBER)),
    ],
)
def test_a_question_that_does_not_quote_it_finds_it(
    after: Holdfast, question: str, answer: str
) -> None:
    found = after("search", question, "--full", "--json")
    assert found.code == 0
    hits = [json.loads(line) for line in found.out.splitlines()[:-1]]
    assert any(answer in json.dumps(hit["entry"]["data"], ensure_ascii=False) for hit in hits)


@pytest.mark.lesson("N1")
def test_a_question_about_something_else_does_not(after: Holdfast) -> None:
    assert after("search", "kubernetes helm", "--json").code == 1


@pytest.mark.lesson("N3")
def test_work_in_flight_is_in_the_resume_until_it_is_closed(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    tell(holdfast, "work_opened", {"work": "w1", "title": "the nightly import", "kind": "subagent"})
    tell(holdfast, "agent_said", {"text": "Waiting for it."})
    assert holdfast("checkpoint", "--task", "the import", "--session", "s1").code == 0
    assert "the nightly import" in holdfast("resume").text
    tell(holdfast, "work_closed", {"work": "w1", "outcome": "done"})
    assert holdfast("checkpoint", "--task", "the import", "--session", "s1").code == 0
    assert "the nightly import" not in holdfast("resume").text
