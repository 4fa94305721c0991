"""Settings that stand in the environment are read in one place, and on the short ways."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from holdfast import config
from holdfast.config.model import KNOWN

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
VARIABLES = {known.about.variable for known in KNOWN.values()} - {None} | {config.DEBUG_VARIABLE}
QUICK = {"cli/quick.py", "agents/finding.py"}
"""Answer before the settings are loaded; where a variable is set, they leave the answer to them."""
TRUSTING = {"agents/trusting.py", "wiring/trusting.py"}
"""Ask whether the user named a ledger, whichever it is: hooks do, before anything is loaded."""


def test_a_variable_is_named_by_the_settings_and_the_short_ways_alone() -> None:
    naming = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "testing" not in path.parts and names(path.read_text(encoding="utf-8"))
    }
    assert naming == {"config/loading.py", "config/model.py"} | QUICK | TRUSTING


@pytest.mark.parametrize("text", ['x("HOLDFAST_LEDGER")', 'y = {"HOLDFAST_DEBUG": 1}'])
def test_a_variable_is_noticed(text: str) -> None:
    assert names(text)


def names(text: str) -> set[str]:
    """Return the variables that a module spells."""
    constants = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return {str(node.value) for node in constants if node.value in VARIABLES}
