"""One of the demo's writers: a process of its own that says which entries were acknowledged."""

from __future__ import annotations

import sys

from holdfast.kernel.entry import Actor
from holdfast.wiring.opening import open_ledger


def main(root: str, name: str, count: int) -> None:
    """Append decisions; print each id once it is durable, and not before."""
    actor = Actor("agent", name)
    with open_ledger(root, create=False, actor=actor, session_id=f"demo-{name}") as ledger:
        for step in range(count):
            receipt = ledger.append(
                "decision",
                {
                    "question": f"What does {name} do in step {step}?",
                    "choice": f"Take path {step} of {count}",
                    "reasoning": "Somebody will ask why, months from now.",
                    "alternatives": ["Wait", "Turn back"],
                },
            )
            print(receipt.id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
