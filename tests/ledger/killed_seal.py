"""A process that seals a ledger and kills itself at a chosen moment, for test_sealing_stopped."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Any

from holdfast.ledger import sealing
from tests.ledger.sealed import Box, WatchedFiles


def main(folder: str, moment: str, keep: str) -> None:
    """Seal in small archives; `moment` is a number of an operation, or a side of the drop."""
    vars(sealing)["ARCHIVE_ENTRIES_MAX"] = 20
    count = itertools.count()

    def tell(_operation: str, _path: str) -> None:
        if moment == str(next(count)):
            die()

    with Box(Path(folder)) as box:
        drop = box.ledger._drop

        def watched_drop(*args: Any) -> Any:
            if moment == "before-drop":
                die()
            receipt = drop(*args)
            if moment == "after-drop":
                die()
            return receipt

        vars(box.ledger)["_drop"] = watched_drop
        report = box.sealer(files=WatchedFiles(tell)).seal(keep=int(keep), wait_s=60)
    print(report.sealed, next(count))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
