"""The demo's agent: works through a list, and goes on wherever the ledger says that it stood.

    python -m holdfast.cli.demo.agent fill PROJECT SESSION    # half of the items, then it stops
    python -m holdfast.cli.demo.agent go-on PROJECT SESSION   # the rest, until somebody kills it

It tells on stdout what it begins and what was acknowledged, in time to be killed between the two;
the second way begins an item for each line on stdin.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from holdfast.wiring.state_manager import StateManager

ITEMS: Final = 20
HALF: Final = 10
TASK: Final = "convert the pages"
CONTEXT: Final = "context.txt"
"""Everything that the agent read and was answered: what lies on its desk."""

_LINES_OF_A_CHECK: Final = 70


def fill(root: Path, session_id: str) -> None:
    """Do half of the items; every answer of a tool stays in the context."""
    seen: list[str] = []
    with StateManager(root) as sm:
        sm.start_session(session_id)
        for item in range(1, HALF + 1):
            with sm.tool_call("convert", params={"item": item}, files=["pages"]) as call:
                page = root / "pages" / f"page{item}.html"
                page.write_text(f"<h1>Page {item}</h1>\n", encoding="utf-8")
                output = _check(item)
                call.command(f"check pages/{page.name}", 0, output)
            seen += [f"convert({item})", page.read_text(encoding="utf-8"), output]
        sm.create_checkpoint(TASK, HALF, ITEMS, next_action=f"item {HALF + 1}")
    (root / CONTEXT).write_text("\n".join(seen), encoding="utf-8")


def _check(item: int) -> str:
    return "\n".join(
        f"pages/page{item}.html:{line}: link to page {line} is there, title is set, no tag is open"
        for line in range(1, _LINES_OF_A_CHECK + 1)
    )


def go_on(root: Path, session_id: str) -> None:
    """Do what is left, one entry an item. The same item again would record nothing."""
    with StateManager(root) as sm:
        sm.start_session(session_id)
        for item in range(sm.get_last_checkpoint().completed + 1, ITEMS + 1):
            if not sys.stdin.readline():
                return
            print(f"begin {item}", flush=True)
            receipt = sm.append_entry("command_ran", _ran(item), id=f"demo-item-{item}")
            print(f"acknowledged {receipt.id}", flush=True)
            sm.create_checkpoint(TASK, item, ITEMS, next_action=f"item {item + 1}")


def _ran(item: int) -> dict[str, object]:
    return {"command": f"check pages/page{item}.html", "exit_code": 0}


if __name__ == "__main__":
    {"fill": fill, "go-on": go_on}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
