"""A project's `.holdfast/symbols.json`: patterns of the user's for `outline` and `show`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.harness import Holdfast

RECIPES = "recipe soup {\n  water\n}\n\nrecipe bread {\n  flour\n}\n"
RECIPE = {
    "block": "braces",
    "endings": ["cook"],
    "patterns": [{"kind": "recipe", "pattern": r"^recipe\s+(?P<name>\w+)"}],
}


@pytest.fixture
def kitchen(holdfast: Holdfast) -> Holdfast:
    """A project in a language that nobody else knows."""
    (holdfast.folder / "dinner.cook").write_text(RECIPES)
    return holdfast


def learn(project: Holdfast, **languages: Any) -> None:
    text = json.dumps({"version": 1, "languages": languages})
    (project.folder / ".holdfast" / "symbols.json").write_text(text)


def test_a_language_that_is_not_known_is_not_guessed(kitchen: Holdfast) -> None:
    done = kitchen("outline", "dinner.cook")
    assert done.code == 2
    assert "What language dinner.cook is written in is not known" in done.err


@pytest.mark.req("L6")
def test_a_users_language_is_outlined_and_shown(kitchen: Holdfast) -> None:
    learn(kitchen, recipes=RECIPE)
    outlined = kitchen.process("outline", "dinner.cook", "--json").json()
    assert (outlined["language"], outlined["by"]) == ("recipes", "patterns")
    assert outlined["text"].splitlines() == ["1-3 recipe soup", "5-7 recipe bread"]
    shown = kitchen("show", "dinner.cook::bread", "--json").json()
    assert shown["text"] == "recipe bread {\n  flour\n}"
    assert shown["language"] == "recipes"
    assert kitchen("show", "dinner.cook:2", "--json").json()["symbol"]["name"] == "soup"


def test_patterns_of_the_users_come_before_the_built_in_ones(holdfast: Holdfast) -> None:
    (holdfast.folder / "a.pl").write_text("sub f {\n  1\n}\n")
    subs = {"kind": "routine", "pattern": r"^sub\s+(?P<name>\w+)"}
    learn(holdfast, perl={"block": "braces", "patterns": [subs]})
    assert holdfast("outline", "a.pl").text == "1-3 routine f\n"


def test_a_language_with_a_grammar_keeps_it(holdfast: Holdfast) -> None:
    (holdfast.folder / "a.py").write_text("def f():\n    pass\n")
    learn(holdfast, python={"block": "indent", "patterns": [RECIPE["patterns"][0]]})
    assert holdfast("outline", "a.py", "--json").json()["by"] == "tree-sitter"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "symbols.json cannot be used"),
        (
            '{"version": 1, "languages": {"x": {"block": "braces", "patterns": ['
            '{"kind": "k", "pattern": "(?P<name>a)"}]}}}',
            "does not begin with ^",
        ),
        ('{"version": 1, "languages": {}, "more": 1}', "unknown field"),
        (" " * 300_000, "more than"),
    ],
)
def test_a_faulty_map_is_told_and_not_skipped(holdfast: Holdfast, text: str, said: str) -> None:
    (holdfast.folder / "a.py").write_text("def f():\n    pass\n")
    (holdfast.folder / ".holdfast" / "symbols.json").write_text(text)
    done = holdfast("outline", "a.py")
    assert done.code == 2
    assert said in done.err
    assert holdfast("show", "a.py:1-2").code == 0  # plain lines need no map
