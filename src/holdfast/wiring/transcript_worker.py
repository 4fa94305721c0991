"""The process that reads transcripts for another one: this module, run by itself.

It reads its job from its standard input, and hands piece after piece to its standard output. It
opens no ledger. When nobody takes its pieces any more it ends.
"""

from __future__ import annotations

import signal
import sys

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError
from holdfast.ledger.redaction import Redactor
from holdfast.wiring.transcript_frames import Answer, Done, Failed, framed, hand_over, read_job
from holdfast.wiring.transcript_pieces import read_pieces


def main() -> None:
    """Do one job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the owner's to stop
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the owner is gone, and so are we
    job = read_job(sys.stdin.buffer.read())
    key, secret_names, entropy = job.terms
    redactor = Redactor(key, secret_names=secret_names, entropy=entropy)
    actor = Actor("tool", job.work.agent)
    try:
        for piece in read_pieces(job.work, redactor):
            _send(hand_over(piece, redactor, actor))
    except HoldfastError as error:
        _send(Failed(type(error).__name__, error.what, error.meaning, error.remedy))
    else:
        _send(Done())


def _send(answer: Answer) -> None:
    sys.stdout.buffer.write(framed(answer))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
