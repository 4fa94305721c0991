"""The demo's end: the web page, on the ledger that was just written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal

TIMEOUT_S = 30.0


def look(project: Path) -> Step:
    """Start the page's server, look at it as the browser would, and end it."""
    [status] = Terminal(project).quietly("status")
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "web", "--port", "0", "--json"],
        cwd=project,
        env=Terminal.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        page, now = _ask(ready, "/"), json.loads(_ask(ready, "/api/now"))
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)
    lines = [
        "$ holdfast web",
        f"{ready['listening']}: {len(page):,} bytes, and it shows {now['entries']} entries,",
        f"as many as the ledger holds: {status['entries']}",
    ]
    return Step(
        "All of it on a page, live and read-only",
        "Sessions, decisions beside today's code, what was lost and brought back, proofs.",
        lines,
        b"<!doctype html" in page.lower() and now["entries"] == status["entries"],
        {"page_entries": now["entries"]},
    )


def _ask(ready: dict[str, Any], path: str) -> bytes:
    port = ready["listening"].rpartition(":")[2]
    cookie = {"Cookie": f"holdfast-{port}={ready['token']}"}
    with urlopen(Request(ready["listening"] + path, headers=cookie), timeout=TIMEOUT_S) as answer:
        found: bytes = answer.read()
    return found
