"""Decay: raw output becomes an identifier and one line."""

from typing import Any

import pytest

from holdfast.kernel.limits import DECAY_SUMMARY_CHARS, DECAY_TOKENS_MIN
from holdfast.kernel.tokens import estimate
from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.decay import RAW, Decay, Decayed, decayed, mean_reduction

OUTPUT = "\n".join(f"tests/test_queue.py::test_{n} FAILED assert {n} == {n + 1}" for n in range(40))


def decay(type_name: str, **data: Any) -> Decayed | None:
    ledger: Ledger = open_memory_ledger(session_id="s")
    ledger.append("metric", data_for("metric"))
    ledger.append(type_name, data_for(type_name) | data)
    *_, entry = ledger.read()
    return decayed(entry, ledger.data(entry))


@pytest.mark.req("L15")
def test_output_becomes_its_entry_and_one_line() -> None:
    found = decay("command_ran", command="pytest -q", exit_code=1, output=OUTPUT)
    assert found is not None
    assert (found.identifier, found.summary) == ("entry 1", "`pytest -q`, exit 1, 40 lines")
    assert found.tokens_full == estimate(OUTPUT)
    assert found.tokens_kept == estimate("entry 1")
    assert found.tokens_line == estimate("entry 1: `pytest -q`, exit 1, 40 lines")


@pytest.mark.req("L19")
@pytest.mark.parametrize("lines", [20, 100, 1_000])
def test_a_reference_saves_ninety_seven_of_a_hundred_tokens(lines: int) -> None:
    output = "\n".join(f"src/a.py:{n}: error: Name 'x{n}' is not defined" for n in range(lines))
    found = decay("command_ran", command="mypy src", exit_code=1, output=output)
    assert found is not None
    assert 1 - found.tokens_kept / found.tokens_full >= 0.97
    assert mean_reduction([found]) == pytest.approx(1 - found.tokens_kept / found.tokens_full)


def test_what_is_small_stays_as_it_is() -> None:
    assert decay("command_ran", command="true", exit_code=0, output="ok") is None
    assert decay("tool_called", tool="Read", params={"path": "a.py"}) is None


def test_the_smallest_that_decays_is_at_the_bound() -> None:
    word = "a "
    output = word
    while estimate(output + word) < DECAY_TOKENS_MIN:
        output += word
    assert decay("command_ran", command="x", exit_code=0, output=output) is None
    assert decay("command_ran", command="x", exit_code=0, output=output + 4 * word) is not None


def test_a_file_that_was_read_is_named_with_its_lines() -> None:
    params = {"file_path": "${PROJECT_ROOT}/src/queue.py", "offset": 45, "limit": 23}
    found = decay("tool_called", tool="Read", params=params, detail=OUTPUT)
    assert found is not None
    assert found.summary == "Read ${PROJECT_ROOT}/src/queue.py:45-67"


@pytest.mark.lesson("N15")
def test_a_long_summary_is_cut_and_says_how_much() -> None:
    found = decay("command_ran", command="echo " + "x" * 500, exit_code=0, output=OUTPUT)
    assert found is not None
    assert "… +" in found.summary
    assert len(found.summary) <= DECAY_SUMMARY_CHARS + 20


@pytest.mark.parametrize("type_name", ["prompt_given", "decision", "fact_recorded"])
def test_what_somebody_said_is_never_raw(type_name: str) -> None:
    assert type_name not in RAW
    if type_name == "prompt_given":
        assert decay("prompt_given", text=OUTPUT) is None


@pytest.mark.parametrize("type_name", sorted(RAW))
def test_every_raw_field_counts(type_name: str) -> None:
    for name in RAW[type_name]:
        found = decay(type_name, **{name: OUTPUT})
        assert found is not None, name
        assert found.tokens_full >= estimate(OUTPUT)
        assert "\n" not in found.summary


def test_what_was_erased_counts_by_its_size() -> None:
    ledger = open_memory_ledger()
    ledger.append("command_ran", {"command": "c", "exit_code": 0, "output": "x" * 40_000})
    [entry] = ledger.read()
    found = decayed(entry, entry.value())
    assert found is not None
    assert found.tokens_full == 10_000


def test_the_sums_are_of_all_items() -> None:
    one = Decayed(1, "entry 1", "a", 300, 5, 9)
    two = Decayed(2, "entry 2", "b", 700, 5, 11)
    found = Decay((one, two))
    assert (found.tokens_full, found.tokens_kept, found.tokens_lines) == (1000, 10, 20)
