"""A process that is killed while it answers a zone: run as `killed_attention.py POINT ARGUMENTS…`.

POINT is the number of the moment: when the count is taken and nothing else is done, when the notes
are about to be written, when they are written and nothing says so, and when the checks are about to
run.
"""

import os
import signal
import sys
from typing import Any

from holdfast.cli.root import root
from holdfast.wiring import attention

MOMENTS = ("_respond", "written_refs", "derived_id", "_check")
"""Right before each of these, for the first time."""


def main() -> None:
    point, arguments = int(sys.argv[1]), sys.argv[2:]

    def killed(*_args: Any, **_kwargs: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(attention, MOMENTS[point], killed)
    root.main(arguments)


if __name__ == "__main__":
    main()
