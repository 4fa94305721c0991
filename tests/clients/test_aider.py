"""The real aider edits a file and commits it, through the proxy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Said
from tests.clients.agents import CALC, SWAPPED, Workplace, workplace
from tests.proxy.running import fenced

pytestmark = pytest.mark.clients

OPTIONS = (
    "--openai-api-key x --analytics-disable --no-check-update --no-show-model-warnings "
    "--no-show-release-notes --no-gitignore --yes-always --map-tokens 0"
)
ANSWERS = {
    "diff": "Swapped.\n\ncalc.py\n```python\n<<<<<<< SEARCH\n    return a + b\n=======\n"
    "    return b + a\n>>>>>>> REPLACE\n```\n",
    "whole": "Swapped.\n\n" + fenced("calc.py", SWAPPED).replace("`calc.py`", "calc.py"),
    "diff-fenced": "```python\ncalc.py\n<<<<<<< SEARCH\n    return a + b\n=======\n"
    "    return b + a\n>>>>>>> REPLACE\n```\n",
    "patch": "*** Begin Patch\n*** Update File: calc.py\n@@ def add(a, b):\n"
    "-    return a + b\n+    return b + a\n*** End Patch\n",
    "udiff": "```diff\n--- calc.py\n+++ calc.py\n@@ ... @@\n def add(a, b):\n"
    "-    return a + b\n+    return b + a\n```\n",
}


def _is_for_commit(body: Any) -> bool:
    return "commit message" in body["messages"][0]["content"]


def ask(place: Workplace, aider: Path, form: str, message: str) -> str:
    """Let aider do one thing."""
    where = ("--model", "openai/scripted", "--openai-api-base", f"{place.url}/v1")
    what = ("--edit-format", form, "--message", message, "calc.py")
    env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return place.run(aider, *where, *OPTIONS.split(), *what, env=env)


@pytest.mark.parametrize("form", sorted(ANSWERS))
def test_it_edits_a_file_and_commits_and_just_that_is_true(
    programs: Path, tmp_path: Path, form: str
) -> None:
    def script(body: Any) -> Said:
        return Said("fix: swap operands" if _is_for_commit(body) else ANSWERS[form])

    with workplace(tmp_path, script) as place:
        ask(place, programs / "aider", form, "swap the operands of add")
        assert place.read("calc.py") == SWAPPED
        assert place.git("log", "-1", "--format=%s") == "fix: swap operands\n"
        # Its examples are in every request, and are nowhere in the State Map.
        assert place.state() == {
            "calc.py::add": "AUTHORITATIVE",
            "calc.py::sub": "AUTHORITATIVE",
        }
        assert place.is_on_disk("calc.py")
        assert place.changes() == []
        prompts = [one["prompt"].strip() for one in place.episodes()]
        assert prompts == ["swap the operands of add", ""]


def test_what_it_shows_of_the_disk_is_what_an_edit_is_made_on(
    programs: Path, tmp_path: Path
) -> None:
    by_hand = CALC.replace("a - b", "a + -b")

    def script(body: Any) -> Said:
        if _is_for_commit(body):
            return Said("fix: swap operands")
        return Said(ANSWERS["diff"] if "swap" in body["messages"][-1]["content"] else "It adds.")

    with workplace(tmp_path, script) as place:
        ask(place, programs / "aider", "diff", "what does add do?")
        assert place.proxy.true_text("calc.py::sub") == CALC.split("\n\n\n")[1].rstrip("\n")
        place.write("calc.py", by_hand)
        ask(place, programs / "aider", "diff", "swap the operands of add")
        assert place.read("calc.py") == by_hand.replace("a + b", "b + a")
        assert place.is_on_disk("calc.py")


def test_what_it_says_of_an_edit_that_failed_is_not_the_users(
    programs: Path, tmp_path: Path
) -> None:
    def script(body: Any) -> Said:
        if _is_for_commit(body):
            return Said("fix: swap operands")
        failed = "failed to match" in body["messages"][-1]["content"]
        return Said(ANSWERS["diff"] if failed else ANSWERS["diff"].replace("a + b", "a * b"))

    with workplace(tmp_path, script) as place:
        ask(place, programs / "aider", "diff", "swap the operands of add")
        assert place.read("calc.py") == SWAPPED
        assert place.is_on_disk("calc.py")
        prompts = [one["prompt"] for one in place.episodes()]
        assert prompts == ["swap the operands of add"] * 2 + [""]
        speakers = {entry.value()["speaker"] for entry in place.proxy.entries("artifact_seen")}
        assert speakers == {"tool", "model"}
