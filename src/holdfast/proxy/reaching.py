"""Asking an upstream: connections that are kept, requests as bytes, answers as they come.

reaching = Reaching()                     # in the loop that it is used in
up = await reaching.ask(upstream, Asking("POST", "/v1/messages", headers, body))
...                                       # up.status, up.reason, up.headers
whole = await up.pour(sink)               # sink(data, last) for what came, and for what comes
up.close()                                # unless all of it came
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from holdfast.kernel.limits import PROXY_CONNECT_S, PROXY_KEPT_S, PROXY_SOCKET_BYTES
from holdfast.proxy.answering import Answering, Asking, Connection, NotReached

_PORTS: Final = {"http": 80, "https": 443}
_NEXT_ADDRESS_S: Final = 0.25
"""When a server has several addresses: how long before the next is tried as well."""


class Reaching:
    """Asks upstreams, and keeps connections to them; in the loop that it is used in."""

    def __init__(self) -> None:
        self.buffer = memoryview(bytearray(PROXY_SOCKET_BYTES))
        self._idle: defaultdict[str, deque[Connection]] = defaultdict(deque)
        self._open: set[Connection] = set()
        self._hosts: dict[str, bytes] = {}
        self._tls: Any = None
        self._sweeping: asyncio.TimerHandle | None = None

    async def ask(self, base: str, asking: Asking) -> Answering:
        """Send a request and wait for the head of its answer, or raise one of `UNREACHED`."""
        connection = self._kept(base) or await self._connect(base)
        return await connection.ask(asking, self._host(base))

    async def close(self) -> None:
        """Hang up."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in list(self._open):
            connection.close()
        await asyncio.sleep(0)

    async def _connect(self, base: str) -> Connection:
        parts = urlsplit(base)
        loop, host = asyncio.get_running_loop(), parts.hostname or ""
        named = ":" not in host and not host.replace(".", "").isdigit()
        try:
            async with asyncio.timeout(PROXY_CONNECT_S):
                tls = await self._verified() if parts.scheme == "https" else None
                _, connection = await loop.create_connection(
                    lambda: Connection(self, base),
                    host,
                    parts.port or _PORTS[parts.scheme],
                    ssl=tls,
                    happy_eyeballs_delay=_NEXT_ADDRESS_S if named else None,
                )
        except (OSError, UnicodeError) as problem:  # the latter: a name that no host can have
            raise NotReached(str(problem)) from problem
        self._open.add(connection)
        return connection

    async def _verified(self) -> Any:
        """Return what checks certificates; made once, in a thread, as it reads many files."""
        if self._tls is None:
            import ssl

            self._tls = await asyncio.to_thread(ssl.create_default_context)
        return self._tls

    def _host(self, base: str) -> bytes:
        if base not in self._hosts:
            parts = urlsplit(base)
            usual = parts.port == _PORTS[parts.scheme]
            host = parts.netloc.rpartition(":")[0] if usual else parts.netloc
            self._hosts[base] = host.encode()
        return self._hosts[base]

    def _kept(self, base: str) -> Connection | None:
        """Return the connection that was used last and can be used again."""
        idle = self._idle[base]
        while idle:
            connection = idle.pop()
            if connection.usable:
                return connection
        return None

    # For connections

    def keep(self, connection: Connection) -> None:
        """Keep a connection for the next request."""
        loop = asyncio.get_running_loop()
        connection.idle_since = loop.time()
        self._idle[connection.base].append(connection)
        if self._sweeping is None:
            self._sweeping = loop.call_later(PROXY_KEPT_S, self._sweep)

    def forget(self, connection: Connection) -> None:
        """Forget a connection that ended."""
        self._open.discard(connection)
        with suppress(ValueError):
            self._idle[connection.base].remove(connection)

    def _sweep(self) -> None:
        """Hang up where nobody asked for a while."""
        loop = asyncio.get_running_loop()
        self._sweeping = None
        waiting = [one for idle in self._idle.values() for one in idle]
        for connection in waiting:
            if loop.time() - connection.idle_since >= PROXY_KEPT_S:
                connection.close()
        if waiting:
            self._sweeping = loop.call_later(PROXY_KEPT_S, self._sweep)
