"""The model of `holdfast demo`, in a process of its own: says what is here, tells what it got.

It first prints where it listens, then for each request the newest message that it was sent.
"""

from __future__ import annotations

import json
import sys
from typing import Final

from holdfast.testing.model_server import ModelServer, Received, Said

FIRST: Final = "`ship.py`\n```python\ndef ship(order):\n    return 5\n```\n"
THEN: Final = (
    "`ship.py`\n```python\ndef ship(order):\n    return 0 if order.total > 50 else 5\n```\n"
)


def main() -> None:
    """Answer until stdin or the process is closed."""
    answers = iter((FIRST, THEN))

    def answer(asked: Received) -> Said:
        _tell({"got": asked.json()["messages"][-1]["content"]})
        return Said(next(answers, "Orders over 50 ship free, others for 5."))

    server = ModelServer()
    server.otherwise = answer
    with server:
        _tell({"url": server.url})
        sys.stdin.read()


def _tell(value: dict[str, str]) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
