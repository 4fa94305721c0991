"""A model server that answers at once: `python -m bench.relays.upstream`; prints its port.

Each event of an answer is a chunk of HTTP and is written by itself. A request for the model `paced`
is answered at a model's pace.
"""

from __future__ import annotations

import asyncio
from typing import Final

from bench.relays.conversations import CHUNKS, answer_chunks

PACED_CHUNKS: Final = 20
PACE_S: Final = 0.005

_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
_END: Final = b"0\r\n\r\n"


def _framed(chunks: list[bytes]) -> list[bytes]:
    return [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks]


_AT_ONCE: Final = _framed(answer_chunks(CHUNKS))
_PACED: Final = _framed(answer_chunks(PACED_CHUNKS))


class Upstream(asyncio.Protocol):
    """One connection."""

    _transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._held = bytearray()
        self._missing = -1

    def data_received(self, data: bytes) -> None:
        """Answer when a request is whole."""
        self._held += data
        if self._missing < 0:
            end = self._held.find(b"\r\n\r\n")
            if end < 0:
                return
            self._missing = end + 4 + _length(bytes(self._held[:end]))
        if len(self._held) >= self._missing:
            paced = b'"paced"' in self._held
            self._held.clear()
            self._missing = -1
            if paced:
                self._pace(0)
            else:
                self._answer()

    def _answer(self) -> None:
        self._transport.write(_HEAD)
        for chunk in _AT_ONCE:
            self._transport.write(chunk)
        self._transport.write(_END)

    def _pace(self, place: int) -> None:
        if place == 0:
            self._transport.write(_HEAD)
        self._transport.write(_PACED[place])
        if place + 1 < len(_PACED):
            asyncio.get_running_loop().call_later(PACE_S, self._pace, place + 1)
        else:
            self._transport.write(_END)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def main() -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
