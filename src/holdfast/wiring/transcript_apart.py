"""Transcripts read by a process of their own, while this one records: two cores do more than one.

What comes is what `read_pieces` would yield here, with the bytes of each entry decided. The process
is never more than a few pieces ahead, and ends with this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from queue import Queue
from typing import BinaryIO, Final

from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.limits import TRANSCRIPT_APART_BYTES_MIN, TRANSCRIPT_PIECES_WAITING
from holdfast.ledger.redaction import Redactor
from holdfast.wiring import workers
from holdfast.wiring.transcript_frames import (
    HEADER_BYTES,
    Done,
    Failed,
    HandedPiece,
    Job,
    read_answer,
    take_over,
    write_job,
)
from holdfast.wiring.transcript_pieces import Piece, Work, read_pieces

_package_folder: Final = str(Path(__file__).parents[2])


def pieces_of(
    work: Work, redactor: Redactor, is_known: Callable[[Piece], bool]
) -> Generator[Piece, None, None]:
    """Yield what transcripts say, read here or, where that is faster, by another process.

    Of what is known already nothing has to be decided, so it is read here, until something comes
    that is not. To be closed by whoever does not read it to its end.
    """
    left = work.bytes
    for number in range(work.count):
        if left < TRANSCRIPT_APART_BYTES_MIN or workers._cores() < 2:
            yield from read_pieces(work.part(number), redactor)
            return
        pieces = read_pieces(work.part(number, number + 1), redactor)
        first = next(pieces, None)
        if first is not None and not is_known(first):
            pieces.close()
            yield from read_apart(work.part(number), redactor)
            return
        for piece in chain([] if first is None else [first], pieces):
            left -= piece.bytes
            yield piece


def read_apart(work: Work, redactor: Redactor) -> Generator[Piece, None, None]:
    """Yield what another process reads, where one can be started."""
    try:
        process = _started()
    except OSError:  # no other process may be started here
        yield from read_pieces(work, redactor)
        return
    yield from _handed(process, write_job(Job(work, redactor.terms)))


def _started() -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, (_package_folder, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        # -P: modules of the folder that we happen to stand in are none of ours.
        [sys.executable, "-P", "-m", "holdfast.wiring.transcript_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )


def _handed(process: subprocess.Popen[bytes], job: bytes) -> Generator[Piece, None, None]:
    assert process.stdin is not None
    assert process.stdout is not None
    waiting: Queue[bytes | None] = Queue(TRANSCRIPT_PIECES_WAITING)
    thread = threading.Thread(target=_receive, args=(process.stdout, waiting), daemon=True)
    thread.start()
    last: bytes | None = b""
    try:
        with suppress(BrokenPipeError):  # it ended; then nothing comes, which is told
            process.stdin.write(job)
            process.stdin.close()
        while (last := waiting.get()) is not None:
            match read_answer(last):
                case HandedPiece() as piece:
                    yield take_over(piece)
                case Failed() as failed:
                    raise failed.error
                case Done():
                    return
        raise _ended(process.wait())
    finally:
        process.kill()
        while last is not None:  # until the thread has seen the end
            last = waiting.get()
        thread.join()
        process.stdout.close()
        process.wait()


def _receive(pipe: BinaryIO, waiting: Queue[bytes | None]) -> None:
    """Take pieces from the pipe while the other thread records; it holds too little of them."""
    try:
        while len(header := pipe.read(HEADER_BYTES)) == HEADER_BYTES:
            size = int.from_bytes(header, "big")
            if len(body := pipe.read(size)) < size:
                break
            waiting.put(body)
    finally:
        waiting.put(None)


def _ended(code: int) -> StorageFailed:
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return StorageFailed(
        f"The process that read the transcripts ended {how}, before it was done.",
        meaning="What was taken in until then is recorded, the rest is not.",
        remedy="Start it again: what is recorded already is not recorded twice.",
    )
