"""Clients: `python -m bench.relays.asking`; takes orders as lines of JSON, answers each with one.

Each client has a connection that is kept, asks, reads its answer to the end, and asks again: at
once, or after a while that is not always the same, so that they do not all ask at one moment.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Iterator
from typing import Final

import msgspec

from bench.relays.conversations import QUESTION, bodies

_END: Final = b"\r\n0\r\n\r\n"


class Order(msgspec.Struct, frozen=True):
    """Who is asked, by how many, how often altogether."""

    port: int
    clients: int
    requests: int
    model: str = "now"
    question: str = QUESTION
    key: str = "sk-none"
    think_s: float = 0.0
    """How long a client waits at most before it asks."""


class Told(msgspec.Struct, frozen=True):
    """How long each first chunk took, and all of it; what was no good answer is counted."""

    first_s: list[float]
    elapsed_s: float
    failed: int


class Client(asyncio.Protocol):
    """One connection of one client."""

    _transport: asyncio.Transport

    def __init__(self, order: Order, requests: Iterator[bytes]) -> None:
        self._head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{order.port}\r\n"
            f"Authorization: Bearer {order.key}\r\nContent-Type: application/json\r\n"
            "Accept: */*\r\nUser-Agent: bench\r\nContent-Length: "
        ).encode()
        self._requests = requests
        self.ended: asyncio.Future[bool] | None = None
        self._held = self._tail = b""
        self.first_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def ask(self) -> asyncio.Future[bool]:
        """Send the next request."""
        body = next(self._requests)
        message = b"%b%d\r\n\r\n%b" % (self._head, len(body), body)
        self.ended = asyncio.get_running_loop().create_future()
        self._held = self._tail = b""
        self.first_s = 0.0
        self._began = time.perf_counter()
        self._transport.write(message)
        return self.ended

    def data_received(self, data: bytes) -> None:
        """Note when the first chunk came, and the end."""
        if not self.first_s:
            self._held += data
            _, _, rest = self._held.partition(b"\r\n\r\n")
            if not rest:
                return
            self.first_s = time.perf_counter() - self._began
            data = self._held
        self._tail = (self._tail + data)[-len(_END) :]
        if self._tail == _END:
            self._end(b" 200 " in self._held[:16])

    def connection_lost(self, _: Exception | None) -> None:
        """Give up."""
        self._end(False)

    def close(self) -> None:
        """Hang up."""
        self._transport.close()

    def _end(self, good: bool) -> None:
        if self.ended is not None and not self.ended.done():
            self.ended.set_result(good)


class Clients:
    """Clients of several relays; their conversations go on from order to order."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[int, str, str, int], Iterator[bytes]] = {}
        self._made = 0

    async def carry_out(self, order: Order) -> Told:
        """Ask as often as ordered."""
        left = [order.requests]
        times: list[float] = []
        failed = [0]
        loop = asyncio.get_running_loop()

        async def work(number: int) -> None:
            requests, chance = self._of(order, number), random.Random(number)
            _, client = await loop.create_connection(
                lambda: Client(order, requests), "127.0.0.1", order.port
            )
            while left[0] > 0:
                left[0] -= 1
                if order.think_s:
                    await asyncio.sleep(chance.uniform(0, order.think_s))
                if not await client.ask():
                    failed[0] += 1
                    break
                times.append(client.first_s)
            client.close()

        began = time.perf_counter()
        await asyncio.gather(*(work(number) for number in range(order.clients)))
        return Told(times, time.perf_counter() - began, failed[0])

    def _of(self, order: Order, number: int) -> Iterator[bytes]:
        key = (order.port, order.model, order.question, number)
        if key not in self._bodies:
            self._made += 1
            self._bodies[key] = bodies(self._made, order.question, order.model)
        return self._bodies[key]


def main() -> None:
    """Carry out orders until there are no more."""
    clients = Clients()
    loop = asyncio.new_event_loop()
    for line in sys.stdin:
        order = msgspec.json.decode(line, type=Order)
        told = loop.run_until_complete(clients.carry_out(order))
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
