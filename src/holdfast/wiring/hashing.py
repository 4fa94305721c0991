"""Hashing a long log in a second process, while the first one folds it.

The worker is this module run by itself. It reads where to begin and to stop from its standard
input, one JSON line, opens the ledger to look at it, and answers with one JSON line.

The two read the same lines each by itself. That the fold saw what was hashed needs no trust: its
digests are compared with those of the save.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.event_log import blocks
from holdfast.ledger.log_proof import Beginning, Hasher, Hashing, HashingFrom, Proof
from holdfast.wiring.looking import open_reader

_package_folder: Final = str(Path(__file__).parents[2])


def hashing_beside(database: Path) -> HashingFrom:
    """Return what hashes the entries of a ledger in a process of its own."""

    @contextmanager
    def hashing(beginning: Beginning) -> Iterator[Hashing]:
        path = os.pathsep.join(filter(None, (_package_folder, os.environ.get("PYTHONPATH"))))
        worker = subprocess.Popen(
            # -P: modules of the folder that we happen to stand in are none of ours.
            [sys.executable, "-P", "-m", "holdfast.wiring.hashing", str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            yield _Beside(worker, beginning)
        finally:
            worker.kill()  # it answered, or nobody needs its answer any more
            worker.communicate()

    return hashing


class _Beside:
    """The first process's end of the pipes."""

    def __init__(self, worker: subprocess.Popen[bytes], beginning: Beginning) -> None:
        self._worker = worker
        self._asked = msgspec.json.encode(beginning) + b"\n"
        assert worker.stdin is not None
        try:
            worker.stdin.write(self._asked)
            worker.stdin.flush()
        except BrokenPipeError as error:
            raise _no_answer() from error

    def take(self, _bodies: Sequence[bytes]) -> None:
        """Leave the lines to the other process, which reads them itself."""

    def finish(self) -> Proof:
        """Wait for the answer."""
        assert self._worker.stdout is not None
        answer = self._worker.stdout.readline()
        if not answer:
            raise _no_answer()
        return msgspec.json.decode(answer, type=Proof)


def _no_answer() -> StorageFailed:
    return StorageFailed(
        "A process that was hashing the log ended without an answer.",
        meaning="Nothing was changed, and nothing is proved.",
        remedy="Try again.",
    )


def main(database: str) -> None:
    """Hash the lines that were asked for."""
    beginning = msgspec.json.decode(sys.stdin.buffer.readline(), type=Beginning)
    hasher = Hasher(beginning)
    reader = open_reader(database, inspect=True)
    for bodies in blocks(reader, beginning.first, beginning.stop):
        hasher.take(bodies)
    reader.close()
    sys.stdout.buffer.write(msgspec.json.encode(hasher.finish()) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
