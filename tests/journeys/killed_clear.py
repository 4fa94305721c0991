"""A process that is killed in the middle of a clear: run as `killed_clear.py POINT ARGUMENTS…`.

POINT is the number of the moment, from 0 on: before each step, before the handoff, before each part
of what comes after it, and right before anything is printed.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from holdfast.cli.root import root
from holdfast.wiring import clearing
from holdfast.wiring.handoffs import report_of

MOMENTS = len(clearing.STEPS) + 1 + len(clearing.AFTER) + 1
"""How many moments there are."""


def main() -> None:
    point, arguments = int(sys.argv[1]), sys.argv[2:]
    moment = iter(range(MOMENTS))

    def before(act: Callable[..., Any]) -> Callable[..., Any]:
        number = next(moment)

        def acted(*args: Any, **kwargs: Any) -> Any:
            if number == point:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*args, **kwargs)

        return acted

    clearing.STEPS = tuple((*step[:2], before(step[2])) for step in clearing.STEPS)  # type: ignore[misc]
    clearing._hand_over = before(clearing._hand_over)
    clearing.AFTER = tuple((told, before(act)) for told, act in clearing.AFTER)  # type: ignore[misc]
    setattr(clearing, "report_of", before(report_of))  # noqa: B010  # it is imported there
    root.main(arguments)


if __name__ == "__main__":
    main()
