"""The demo's agent: works through a list, and would go on if nobody stopped it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from holdfast.wiring.state_manager import StateManager

ITEMS: Final = 20
DONE: Final = 10
TASK: Final = "convert the pages"


def main(root: str) -> None:
    """Do half of the items, say so in a checkpoint, then wait for what comes."""
    with StateManager(root) as sm:
        sm.start_session("agent")
        for item in range(1, DONE + 1):
            with sm.tool_call("convert", params={"item": item}, files=["pages"]) as call:
                page = Path(root) / "pages" / f"page{item}.html"
                page.write_text(f"<h1>Page {item}</h1>\n", encoding="utf-8")
                call.command(f"check pages/{page.name}", exit_code=0)
        sm.create_checkpoint(TASK, DONE, ITEMS, next_action=f"item {DONE + 1}")
        print("ready", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1])
