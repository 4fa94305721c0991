"""The demo's old decision: superseded, sealed away, and found by its words; and a secret, not."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.wiring.places import place_of

QUESTION: Final = "Which algorithm for the layout?"
WHY: Final = "it needs no gradient, and the parameters are continuous"


def find_an_old_decision(project: Path) -> Step:
    """Decide, decide otherwise, seal it all into an archive, and ask what was decided."""
    terminal = Terminal(project)
    old, new = _decide_twice(terminal)
    terminal("seal", "--keep", "0")
    terminal("search", "algorithm layout", "--type", "decision")
    shown = terminal("show", str(old))
    hits = [hit for hit in terminal.quietly("search", "algorithm layout") if "seq" in hit]
    superseded = {hit["seq"]: hit["superseded"] for hit in hits if hit["seq"] in (old, new)}
    return Step(
        "An old decision, sealed into an archive: found by its words, whole",
        "What no longer holds is marked as such, and why it once held is still there.",
        terminal.lines,
        terminal.ok and WHY in shown and superseded == {old: True, new: False},
        {"found": superseded},
    )


def _decide_twice(terminal: Terminal) -> tuple[int, int]:
    first: Any = terminal.quietly("decide", "swarms", "--question", QUESTION, "--because", WHY)[0]
    old = str(first["seq"])
    because = "swarms were slower than a plain grid"
    second: Any = terminal.quietly(
        *("decide", "a grid", "--question", QUESTION, "--because", because, "--supersedes", old)
    )[0]
    return first["seq"], second["seq"]


def keep_a_secret_out(project: Path) -> Step:
    """Record a made-up secret, and look for it in every file."""
    terminal = Terminal(project)
    secret = "ghp_" + secrets.token_hex(18)
    data: dict[str, Any] = {"error_type": "PushRefused", "message": f"remote said no to {secret}"}
    data |= dict.fromkeys(("context", "resolution", "prevention"))
    [receipt] = terminal.quietly("record", "error", "--data", msgspec.json.encode(data).decode())
    [entry] = terminal.quietly("show", str(receipt["seq"]))
    files = [path for path in place_of(project).folder.rglob("*") if path.is_file()]
    found = [file.name for file in files if secret.encode() in file.read_bytes()]
    lines = [
        f"given   {data['message']}",
        f"stored  {entry['data']['message']}",
        f"files in which the secret is found: {len(found)} of {len(files)}",
    ]
    return Step(
        "A secret does not get in",
        "Keys, tokens and passwords are replaced before anything is written.",
        lines,
        terminal.ok and not found and receipt["redactions"] == 1,
        {"secret_found_in": found},
    )
