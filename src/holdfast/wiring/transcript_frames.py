"""What a process that reads transcripts and the one that records them say to each other.

The work goes there as JSON, which has a spelling for every name of a file. What comes back is
length, then MessagePack: pieces with the bytes of their entries decided, and at last that it is
done, or why not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError, StorageFailed
from holdfast.ledger.admission import Admitted
from holdfast.ledger.importing.admitting import QUARANTINED, Found, admit_found
from holdfast.ledger.importing.lines import Line, Unread
from holdfast.ledger.ledger import Draft
from holdfast.ledger.redaction import Redactor
from holdfast.wiring.transcript_pieces import Piece, Work

HEADER_BYTES: Final = 4


class Job(msgspec.Struct, frozen=True):
    """What is to be read, and what its secrets are."""

    work: Work
    terms: tuple[bytes, tuple[str, ...], bool]


class Handed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An entry: its bytes, and what the one who records it asks of it."""

    id: str | None
    type: str
    version: int
    session_id: str | None
    actor: Actor | None
    data: bytes
    at: str | None
    size: int
    number: int = 0
    source: bytes = b""
    reason: bytes = b""
    """Of a quarantined line: where it stands and why, in UTF-8 that may hold any code point."""
    artifacts: dict[str, bytes] = {}
    redactions: int = 0


class HandedPiece(msgspec.Struct, frozen=True, array_like=True, tag="piece"):
    """A piece, with the bytes of its entries decided."""

    found: list[Handed]
    ends: list[Handed]
    unread: list[tuple[bytes, bytes]]
    size: int
    copied: int


class Failed(msgspec.Struct, frozen=True, array_like=True, tag="failed"):
    """Why there will be no more."""

    kind: str
    what: str
    meaning: str
    remedy: str

    @property
    def error(self) -> HoldfastError:
        """The error that it was."""
        kinds = {one.__name__: one for one in HoldfastError.__subclasses__()}
        return kinds.get(self.kind, StorageFailed)(
            self.what, meaning=self.meaning, remedy=self.remedy
        )


class Done(msgspec.Struct, frozen=True, array_like=True, tag="done"):
    """There is no more."""


Answer: TypeAlias = HandedPiece | Failed | Done

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Answer)


def write_job(job: Job) -> bytes:
    """Spell a job."""
    return json.dumps(msgspec.to_builtins(job, enc_hook=str)).encode("ascii")


def read_job(text: bytes) -> Job:
    """Read a job."""
    return msgspec.convert(json.loads(text), Job, dec_hook=_path)


def framed(answer: Answer) -> bytes:
    """Return an answer as it goes over a pipe."""
    body = _encoder.encode(answer)
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def read_answer(body: bytes) -> Answer:
    """Read an answer without its length."""
    answer: Answer = _decoder.decode(body)
    return answer


def hand_over(piece: Piece, redactor: Redactor, actor: Actor) -> HandedPiece:
    """Decide the bytes of what was found."""
    return HandedPiece(
        _handed(piece.found, redactor, actor),
        _handed(piece.ends, redactor, actor),
        [(_spelled(one.source), _spelled(one.reason)) for one in piece.unread],
        piece.bytes,
        piece.copied,
    )


def take_over(handed: HandedPiece) -> Piece:
    """Return the piece that was handed over."""
    return Piece(
        [_taken(one) for one in handed.found],
        handed.size,
        [Unread(_text(source), _text(reason)) for source, reason in handed.unread],
        [_taken(one) for one in handed.ends],
        handed.copied,
    )


def _handed(found: list[Found], redactor: Redactor, actor: Actor) -> list[Handed]:
    ready = admit_found(found, redactor, actor)
    # The time is the line's, whatever became of it: a pause hides it by that.
    return [
        _entry(one, given.draft.data.get("at")) for given, one in zip(found, ready, strict=True)
    ]


def _entry(found: Found, at: Any) -> Handed:
    draft, line, ready = found.draft, found.line, found.admitted
    assert ready is not None
    is_odd = draft.type == QUARANTINED
    return Handed(
        draft.id,
        draft.type,
        ready.version,
        draft.session_id,
        draft.actor,
        ready.data,
        at if isinstance(at, str) else None,
        len(line.content),
        line.number,
        _spelled(line.source) if is_odd else b"",
        _spelled(draft.data["reason"]) if is_odd else b"",
        dict(ready.artifacts),
        ready.redactions,
    )


def _taken(one: Handed) -> Found:
    data = {"at": one.at} if one.type != QUARANTINED else {"reason": _text(one.reason)}
    return Found(
        Line(_text(one.source), one.number, b""),
        Draft(one.type, data, one.session_id, one.actor, one.id),
        Admitted(one.data, one.version, one.artifacts, one.redactions),
        one.size,
    )


def _path(kind: type, value: Any) -> Any:
    return Path(value) if kind is Path else value


def _spelled(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(spelled: bytes) -> str:
    return spelled.decode("utf-8", "surrogatepass")
