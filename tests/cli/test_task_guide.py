"""The guide to tasks says what is: its commands run, and answer what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.harness import Holdfast

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "tasks.md"


@pytest.mark.req("L14")
def test_the_commands_of_the_guide_run_and_answer_what_it_shows(bare: Holdfast) -> None:
    sessions = re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    shown = 0
    for part in (part for one in sessions for part in re.split(r"^\$ ", one, flags=re.M)[1:]):
        typed, _, answer = part.partition("\n")
        done = bare(*shlex.split(typed)[1:])
        assert done.code == 0, done.err
        if answer:
            assert done.text == answer, typed
            shown += 1
    assert shown == 5
