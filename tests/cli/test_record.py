"""`holdfast record`: what may be recorded as a plain entry, and what only commands write."""

from __future__ import annotations

import json

import pytest

from holdfast import StateManager
from holdfast.cli.root import COMMANDS as CLI
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.testing.builders import data_for
from holdfast.wiring.own_types import COMMANDS, FRAMEWORKS, OWN
from tests.cli.harness import Holdfast


@pytest.mark.lesson("L1")
@pytest.mark.parametrize("type_name", sorted(COMMANDS))
def test_what_says_that_holdfast_looked_is_refused_with_the_command_that_looks(
    holdfast: Holdfast, type_name: str
) -> None:
    found = holdfast("record", type_name, "--data", json.dumps(data_for(type_name)))
    assert found.code == 2
    assert f"Run `{COMMANDS[type_name]}`" in found.err
    assert holdfast.entries() == []


def test_each_of_them_is_a_type_and_each_remedy_a_command() -> None:
    assert set(TYPES) >= OWN
    assert {command.split()[1] for command in COMMANDS.values()} <= set(CLI)


@pytest.mark.lesson("L1")
@pytest.mark.parametrize("type_name", sorted(FRAMEWORKS))
def test_the_state_of_a_framework_is_refused(holdfast: Holdfast, type_name: str) -> None:
    found = holdfast("record", type_name, "--data", json.dumps(data_for(type_name)))
    assert (found.code, "`holdfast.adapters`" in found.err) == (2, True)
    assert holdfast.entries() == []


@pytest.mark.lesson("L1")
def test_an_id_of_a_fork_is_refused(holdfast: Holdfast) -> None:
    data = json.dumps(data_for("decision"))
    found = holdfast("record", "decision", "--data", data, "--id", "fork-0123456789ab")
    assert (found.code, "is of a fork" in found.err) == (2, True)
    assert holdfast.entries() == []
    assert holdfast("record", "decision", "--data", data, "--id", "a-fork-1").code == 0


@pytest.mark.lesson("L1")
def test_a_state_manager_refuses_the_same(holdfast: Holdfast) -> None:
    with StateManager(holdfast.folder) as manager:
        before = manager.ledger.head().size
        with pytest.raises(InvalidInput, match="handoff_made"):
            manager.append_entry("handoff_made", data_for("handoff_made"))
        with pytest.raises(InvalidInput, match="of a fork"):
            manager.append_entry("decision", data_for("decision"), id="fork-1")
        assert manager.ledger.head().size == before
