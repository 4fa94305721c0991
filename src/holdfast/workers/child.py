"""The parse worker itself: `main(MEMORY_BYTES)`, in a Python that was started without `site`.

Reads jobs from its standard input until that ends, answers each on its standard output. The bounds
are the kernel's: address space for its life, processor time for each job. The second one ends the
child also when its owner is gone and cannot.
"""

from __future__ import annotations

import math
import resource
import sys
from typing import BinaryIO, Final

import msgspec

from holdfast.code import CouldNotLook, read_symbols
from holdfast.workers.frames import HEADER_BYTES, Job, Read, Ready, Refused, framed

_GRACE_S: Final = 1
"""Processor time beyond a job's, so that the owner's clock is the first to end it."""

_MEANING: Final = "The code was not looked at; what it defines is not known."


def main(memory_bytes: int) -> None:
    """Work until the input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _bound(resource.RLIMIT_AS, memory_bytes)
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    _send(outgoing, Ready())
    while (header := incoming.read(HEADER_BYTES)) and len(header) == HEADER_BYTES:
        job = msgspec.msgpack.decode(incoming.read(int.from_bytes(header, "big")), type=Job)
        _bound_time(job.timeout_s)
        _send(outgoing, _answer(job))


def _answer(job: Job) -> Read | Refused:
    try:
        return Read(read_symbols(job.text, job.language, known=job.known))
    except CouldNotLook as error:
        return Refused(error.what, error.meaning, error.remedy)
    except MemoryError:
        return Refused(
            "The text took more memory to read than a parse worker may have.",
            _MEANING,
            "Look at a part of it.",
        )
    except RecursionError:
        return Refused("The text is nested too deeply.", _MEANING, "Look at a part of it.")


def _send(outgoing: BinaryIO, message: msgspec.Struct) -> None:
    outgoing.write(framed(message))
    outgoing.flush()


def _bound(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(which, (most, hard))


def _bound_time(timeout_s: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _bound(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + timeout_s) + _GRACE_S)
