"""One exchange: what of the answer is kept beside the stream."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from holdfast.kernel.limits import (
    PROXY_HEARD_BYTES_MAX,
    PROXY_TERMINAL_BYTES_MAX,
    WIRE_ANSWER_BYTES_MAX,
)
from holdfast.proxy.answering import Answering
from holdfast.proxy.decoding import Undecodable, decoded
from holdfast.proxy.ingest import may_bring
from holdfast.proxy.values import Answered, Asked, Ended, Prepared
from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect, End
from holdfast.wire.streams import answer_stream, read_answer

_GOOD: Final = 200
_STREAMS: Final = ("text/event-stream", "application/x-ndjson", "application/ndjson")
_HASHED_AT_ONCE_BYTES_MAX: Final = 256 * 1024
"""What is hashed in one go at the end; of longer answers each chunk is, so that nobody waits."""


class Exchange:
    """A request of a conversation on its way, and what came back for it so far."""

    def __init__(self, asked: Asked, upstream: str, key: dict[str, str]) -> None:
        self.prepared = Prepared(asked, asked.body, "")
        """As it goes up; as it came, until the desk has looked at it."""
        self._upstream = upstream
        self._key = key
        self._status = 0
        self._encoding = ""
        self._streamed = False
        self._kept: list[bytes] = []
        self._size = 0
        self._hash: Any = None

    def opened(self, up: Answering) -> None:
        """Take note of how the answer begins."""
        self._status = up.status
        self._encoding = up.headers.get("content-encoding", "")
        self._streamed = up.headers.get("content-type", "").lower().startswith(_STREAMS)

    def keep(self, chunk: bytes) -> None:
        """Keep a chunk, up to a bound; beyond it only the hash goes on."""
        self._size += len(chunk)
        if self._hash is not None:
            self._hash.update(chunk)
        elif self._size > _HASHED_AT_ONCE_BYTES_MAX:
            self._hash = sha256(b"".join((*self._kept, chunk)))
        if self._size <= WIRE_ANSWER_BYTES_MAX:
            self._kept.append(chunk)

    def answered(self, ended: Ended) -> Answered:
        """Return what came back, now that nothing more will."""
        content = b"".join(self._kept)
        heard = self._heard(content)
        return Answered(
            self.prepared,
            self._status,
            content,
            (self._hash or sha256(content)).hexdigest(),
            self._encoding,
            self._streamed,
            ended,
            self._upstream,
            self._key,
            heard,
            heard is not None and not may_bring(heard),
        )

    def _heard(self, content: bytes) -> Answer | None:
        """Read a short answer at once: whoever asks next need not wait for one without code."""
        if len(content) > PROXY_HEARD_BYTES_MAX or self._encoding or self._status != _GOOD:
            return None
        return read_answer(self.prepared.asked.dialect, content, streamed=self._streamed)

    def seems_whole(self) -> bool:
        """Tell whether the last event of the answer came, though the connection ended after it."""
        if self._size > WIRE_ANSWER_BYTES_MAX or not self._streamed:
            return False
        kept = b"".join(self._kept)
        try:
            content = decoded(kept, self._encoding, bytes_max=WIRE_ANSWER_BYTES_MAX)
        except Undecodable:
            return False
        return _is_whole(self.prepared.asked.dialect, content)


def _is_whole(dialect: Dialect, content: bytes) -> bool:
    tail = content[-PROXY_TERMINAL_BYTES_MAX:]
    if len(tail) < len(content):
        tail = tail[tail.find(b"\n\n") + 2 :]
    stream = answer_stream(dialect, streamed=True)
    return any(isinstance(event, End) for event in (*stream.feed(tail), *stream.finish()))
