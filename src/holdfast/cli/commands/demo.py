"""`holdfast demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.story import tell
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, visible


@make_command(example="holdfast demo\nholdfast demo --json")
@json_option
def command(as_json: bool) -> int:
    """Watch a ledger survive a killed process, keep a secret out, catch a forgery, resume work and
    rebuild what was lost.

    Everything happens in a temporary folder, which is gone afterwards.
    """
    facts: dict[str, Any] = {}
    ok = True
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
        for number, step in enumerate(tell(Path(folder)), start=1):
            ok = ok and step.ok
            facts |= step.facts
            if not as_json:
                _show(number, step)
    if as_json:
        print_json({"ok": ok, **facts})
    else:
        say(_ENDING if ok else "Something is not as promised: see the step marked above.")
    return DONE if ok else NO


_ENDING = "Next: `holdfast init` in a project of yours."


def _show(number: int, step: Step) -> None:
    mark = "" if step.ok else "  NOT AS PROMISED"
    say(f"{number}. {step.title}{mark}", "bold" if step.ok else "bold red")
    for line in step.lines:
        say(f"   {visible(line)}")
    say()
