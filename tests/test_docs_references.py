"""The generated pages are what the code says now, and cover all of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import holdfast
from holdfast.cli.root import root
from holdfast.config.model import KNOWN
from tools import docs
from tools.reference import cli
from tools.reference import json as json_reference
from tools.reference.session import STEPS, WITHOUT

DOCS = Path(__file__).parent.parent / "docs"


def commands(group: click.Group, context: click.Context, path: str = "") -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, context, f"{path}{name} ")
        else:
            yield f"{path}{name}"


@pytest.mark.parametrize("name", ["cli.md", "reference/config.md", "reference/python.md"])
def test_a_reference_is_what_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text() == docs.PAGES[name](), "run `make docs`"


def test_the_json_of_every_command_has_the_keys_that_are_documented() -> None:
    written = json_reference.shape((DOCS / "reference/json.md").read_text())
    assert written == json_reference.shape(json_reference.page()), "run `make docs`"


def test_every_command_is_in_the_json_reference() -> None:
    shown = {step.name for step in STEPS} | set(WITHOUT)
    missing = set(commands(root, click.Context(root))) - shown
    assert missing == set()


def test_every_command_is_listed_with_what_it_is_for() -> None:
    listed = {name for names, _ in cli.WHAT_FOR for name in names.split()}
    assert listed == set(root.list_commands(click.Context(root)))


def test_no_machine_is_seen_in_the_examples() -> None:
    text = (DOCS / "reference/json.md").read_text()
    assert re.findall(r"/(?:home|root|tmp|usr|work|Users|private)/\S+", text) == []
    assert str(DOCS.parent) not in text


def test_every_setting_and_every_public_name_is_there() -> None:
    settings = (DOCS / "reference/config.md").read_text()
    names = (DOCS / "reference/python.md").read_text()
    assert [name for name in KNOWN if f"| `{name}` |" not in settings] == []
    assert [name for name in holdfast.__all__ if f"### holdfast.{name}\n" not in names] == []


def test_a_key_that_came_or_went_changes_the_shape() -> None:
    page = '## one\n\n```json\n{"a": [{"b": 1}], "<id 1>": 2}\n{"c": 3}\n… 4 more lines\n```\n'
    assert json_reference.shape(page)["one"] == {".a", ".a[].b", ".<>", ".c"}
