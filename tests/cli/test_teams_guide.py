"""The guide to teams says what is: its commands run, and answer what it shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.harness import Holdfast

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "teams.md"


@pytest.mark.req("L20")
def test_the_commands_of_the_guide_run_and_answer_what_it_shows(
    bare: Holdfast, tmp_path: Path
) -> None:
    (tmp_path / "shop").mkdir()
    shop = Holdfast(tmp_path / "shop", bare.home)
    assert shop("init").code == 0
    peer, shown = "", 0
    sessions = re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    for part in (part for one in sessions for part in re.split(r"^\$ ", one, flags=re.M)[1:]):
        typed, _, answer = part.partition("\n")
        there = shop if " -C ../shop " in typed else bare
        done = there(*shlex.split(typed.replace("-C ../shop", "").replace("PEER", peer))[1:])
        assert done.code == 0, done.err
        if typed == "holdfast sync --json":
            peer = json.loads(done.out)["ledger"][:8]
        if answer:
            assert re.sub(r"\b[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b", "#", done.text) == answer, typed
            shown += 1
    assert shown == 4
