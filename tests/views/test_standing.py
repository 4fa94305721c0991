"""Task, progress and next action: as given, else carried on, else worked out from facts."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.views.resume import Facts, checkpoint_data, gather, next_action_of
from tests.views.material import chained, of


def facts_of(*steps: Any, **options: Any) -> Facts:
    return gather(chained(steps), **options)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([of("command_ran", command="make", exit_code=2)], "fix: make (exit 2)"),
        ([of("command_ran", command="make", exit_code=None)], ""),
        ([of("work_opened", work="w", title="Scan the logs")], "finish: Scan the logs"),
        ([of("prompt_given", text="Tidy up\nthe docs")], "Tidy up the docs"),
        ([of("agent_said", text="I now run it. Then more.")], "I now run it."),
        ([of("decision", choice="Use zstd")], "go on from: Use zstd"),
        ([of("file_change", path="a.py")], "go on with a.py"),
        ([of("tool_called", tool="Grep", detail="tabs")], "go on after: Grep tabs"),
        ([of("checkpoint", next_action="Item 6")], "Item 6"),
        ([of("checkpoint", next_action="Item 6"), of("prompt_given", text="Stop it")], "Stop it"),
        ([of("checkpoint", next_action="todo"), of("file_change", path="a.py")], "go on with a.py"),
        ([of("metric")], ""),
    ],
)
def test_the_next_action_is_worked_out_from_facts(steps: list[Any], expected: str) -> None:
    assert next_action_of(facts_of(*steps)) == expected


def test_a_next_action_that_was_worked_out_does_not_outlive_its_reason() -> None:
    first = checkpoint_data(facts_of(of("work_opened", work="w", title="Scan the logs")))
    assert first["next_action"] == "finish: Scan the logs"
    later = facts_of(of("file_change", path="a.py"), before=first, open_work=[])
    assert next_action_of(later) == "go on with a.py"


def test_a_next_action_that_somebody_gave_outlives_checkpoints_made_by_themselves() -> None:
    first = checkpoint_data(facts_of(), task="Port it", next_action="Item 6", total=9)
    for _ in range(3):
        first = checkpoint_data(facts_of(of("file_change", path="a.py"), before=first))
    assert (first["task"], first["next_action"], first["total"]) == ("Port it", "Item 6", 9)
    assert first["derived"] == ["completed", "quick_resume"]
    asked = facts_of(of("prompt_given", text="Something else first"), before=first)
    assert checkpoint_data(asked)["task"] == "Port it"
    assert checkpoint_data(asked)["next_action"] == "Something else first"
