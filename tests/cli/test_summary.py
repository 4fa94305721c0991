"""Every type of entry has a form in which `log` shows it on one line."""

import pytest

from holdfast.cli.summary import SUMMARY_CHARS_MAX, summarise
from holdfast.kernel import chain, entry
from holdfast.kernel.types import TYPES
from holdfast.testing.builders import LEDGER, data_for, prepared


def line_of(name: str, **fields: object) -> str:
    made = prepared(name, 1, data=data_for(name, 1) | fields)
    return summarise(entry.read(chain.seal(chain.Head(LEDGER), made).body))


@pytest.mark.parametrize("name", list(TYPES))
def test_every_type_is_shown_as_something(name: str) -> None:
    line = line_of(name)
    assert line != ""
    assert "{" not in line


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("prompt_given", "Please see to part 1."),
        ("agent_said", "Part 1 is seen to."),
        ("tool_called", "Read part 1"),
        ("command_ran", "make part-1 (exit 1)"),
        ("work_opened", "Look into part 1"),
        ("work_closed", "work-1: part 1 is sound"),
        ("line_quarantined", "STATE_LOG.jsonl:1: no JSON"),
    ],
)
def test_work_is_shown_by_what_matters_about_it(name: str, line: str) -> None:
    assert line_of(name) == line


def test_what_is_not_known_is_a_dash_and_what_is_cut_is_counted() -> None:
    assert line_of("command_ran", exit_code=None) == "make part-1 (exit -)"
    long = line_of("prompt_given", text="x" * (SUMMARY_CHARS_MAX + 7))
    assert long.endswith("… (+7 characters)")
