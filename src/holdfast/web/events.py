"""News as they come: server-sent events. One look for all who listen, and none when nobody does."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

import msgspec
from aiohttp import web

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import WEB_LISTENERS_MAX, WEB_LOOK_S, WEB_PING_S
from holdfast.web.guard import HEADERS, Refused, told
from holdfast.web.values import Site, Told


class Events:
    """Tells listeners when something was recorded."""

    def __init__(self, site: Site, threads: Executor) -> None:
        self._site = site
        self._threads = threads
        self._listeners: set[asyncio.Queue[Told]] = set()
        self._newest: Told | None = None
        self._looking: asyncio.Task[None] | None = None
        self._verifying = asyncio.Lock()

    def start(self) -> None:
        """Begin to look."""
        self._looking = asyncio.create_task(self._look())

    async def stop(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking
            self._looking = None

    async def tell(self, request: web.BaseRequest) -> web.StreamResponse:
        """Send where the chain ends, now and whenever that changes, until the listener leaves."""
        if len(self._listeners) >= WEB_LISTENERS_MAX:
            raise Refused(503, "Too many pages listen already.", remedy="Close some of them.")
        news: asyncio.Queue[Told] = asyncio.Queue(maxsize=1)
        self._listeners.add(news)
        response = await _stream(request)
        try:
            if self._newest is not None:
                await response.write(_event("head", self._newest))
            while True:
                try:
                    async with asyncio.timeout(WEB_PING_S):
                        await response.write(_event("head", await news.get()))
                except TimeoutError:
                    await response.write(b": still here\n\n")
        except ConnectionError:
            return response
        finally:
            self._listeners.discard(news)

    async def verify(self, request: web.BaseRequest) -> web.StreamResponse:
        """Prove every entry anew, and tell how far it is; one at a time."""
        if self._verifying.locked():
            raise Refused(409, "The ledger is being verified already.", remedy="Wait for it.")
        async with self._verifying:
            response = await _stream(request)
            loop = asyncio.get_running_loop()
            told_so_far: asyncio.Queue[tuple[int, int]] = asyncio.Queue(maxsize=1)

            def advance(done: int, total: int) -> None:
                loop.call_soon_threadsafe(_put, told_so_far, (done, total))

            work = loop.run_in_executor(self._threads, _guarded, self._site, advance)
            while not work.done():
                with suppress(TimeoutError):
                    async with asyncio.timeout(WEB_LOOK_S):
                        done, total = await told_so_far.get()
                        await response.write(_event("progress", {"done": done, "total": total}))
            await response.write(_event("report", await work))
            return response

    async def _look(self) -> None:
        """Look again and again, as long as somebody listens."""
        loop = asyncio.get_running_loop()
        while True:
            if self._listeners or self._newest is None:
                with suppress(HoldfastError, OSError):  # the next look may find it again
                    now = await loop.run_in_executor(self._threads, self._site.look)
                    if now != self._newest:
                        self._newest = now
                        for news in self._listeners:
                            _put(news, now)
            await asyncio.sleep(WEB_LOOK_S)


def _guarded(site: Site, advance: Any) -> Any:
    try:
        return site.verify(advance)
    except HoldfastError as problem:
        return told(problem)


def _put(queue: asyncio.Queue[Any], item: Any) -> None:
    """Leave the newest only: who is slow is told less, not later."""
    while queue.full():
        queue.get_nowait()
    queue.put_nowait(item)


async def _stream(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response


def _event(name: str, data: Any) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(data))
