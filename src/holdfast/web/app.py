"""The server: one port on loopback, static files, pages of JSON, and news as they come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from typing import Any, Final

import msgspec
from aiohttp import web

from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.limits import WEB_QUERY_CHARS_MAX, WEB_STOP_S, WEB_THREADS
from holdfast.web.events import Events
from holdfast.web.guard import HEADERS, Guard, Refused, told
from holdfast.web.values import Asked, Page, Site

API: Final = "/api/"
VERIFY: Final = "/api/verify"
EVENTS: Final = "/events"
KEYED: Final = frozenset({"entry", "decision", "loss", "at"})
"""Pages that are asked for one of many: `/api/entry/12`."""
SLOW: Final = frozenset({"at", "diff", "decision", "loss", "anchors"})
"""Pages that look at code or fold much: they must not keep the others waiting."""
SLOWLY: Final = "web-slow"
"""How the thread is called that makes them."""

_KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


class Server:
    """Listens while it is started.

    server = Server(site, Guard(token))
    port = await server.start(0)
    await server.stop()
    """

    def __init__(self, site: Site, guard: Guard, *, say: Callable[[str], object] = print) -> None:
        self._site = site
        self._guard = guard
        self._say = say
        self._threads = ThreadPoolExecutor(WEB_THREADS, thread_name_prefix="web")
        self._slowly = ThreadPoolExecutor(1, thread_name_prefix=SLOWLY)
        self._asked: dict[tuple[str, str], asyncio.Future[bytes]] = {}
        self._events = Events(site, self._threads)
        self._static = _static()
        self._runner: web.ServerRunner | None = None

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> int:
        """Listen; return the port."""
        server = web.Server(self._handle, access_log=None, logger=_silent())
        self._runner = web.ServerRunner(server)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port, shutdown_timeout=WEB_STOP_S).start()
        except OSError:
            await self.stop()
            raise
        self._guard.port = self._runner.addresses[0][1]
        self._events.start()
        return self._guard.port

    async def stop(self) -> bool:
        """Stop listening, and end what is on its way; tell whether all of it has ended.

        A page that looks at much code cannot be broken off; nothing waits for it.
        """
        await self._events.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        idle = not self._asked
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._slowly.shutdown(wait=idle, cancel_futures=True)
        return idle

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request; nothing that it holds can end the server."""
        try:
            self._guard.look(request.method, request.headers)
            if (entered := self._enter(request)) is not None:
                return entered
            self._guard.check(request.cookies.get(self._guard.cookie))
            return await self._show(request)
        except Refused as refused:
            return _json(told(refused), refused.status)
        except NotFound as problem:
            return _json(told(problem), 404)
        except HoldfastError as problem:
            return _json(told(problem), 409)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as problem:
            self._say(f"A page failed: {type(problem).__name__}: {problem}")
            return _json(told(Refused(500, "The page failed.", remedy="`holdfast doctor`")), 500)

    def _enter(self, request: web.BaseRequest) -> web.Response | None:
        """Make a cookie of the token in the link, and take it out of the address."""
        token = request.query.get("token")
        if token is None or request.path != "/":
            return None
        self._guard.check(token)
        response = web.Response(status=303, headers={**HEADERS, "Location": "/"})
        response.set_cookie(self._guard.cookie, token, httponly=True, samesite="Strict", path="/")
        return response

    async def _show(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path == EVENTS:
            return await self._events.tell(request)
        if path == VERIFY:
            return await self._events.verify(request)
        if path.startswith(API):
            return await self._page(request)
        content = self._static.get("/index.html" if path == "/" else path)
        if content is None:
            raise Refused(404, "There is no such page.")
        kind, body = content
        return web.Response(body=body, content_type=kind, charset="utf-8", headers=HEADERS)

    async def _page(self, request: web.BaseRequest) -> web.Response:
        name, _, key = request.path.removeprefix(API).partition("/")
        page = self._site.pages.get(name)
        if page is None or (key and name not in KEYED):
            raise Refused(404, "There is no such page.")
        if len(request.raw_path) > WEB_QUERY_CHARS_MAX:
            raise Refused(414, "The question is too long.")
        asked = Asked(key, dict(request.query))
        answer = await self._answer(name, request.raw_path, partial(_spelled, page, asked))
        return web.Response(body=answer, content_type="application/json", headers=HEADERS)

    async def _answer(self, name: str, target: str, make: Callable[[], bytes]) -> bytes:
        """Make an answer in a thread; of slow ones one at a time, and the same for all who wait."""
        loop = asyncio.get_running_loop()
        if name not in SLOW:
            return await loop.run_in_executor(self._threads, make)
        work = self._asked.get((name, target))
        if work is None:
            work = self._asked[name, target] = loop.run_in_executor(self._slowly, make)
            work.add_done_callback(lambda _: self._asked.pop((name, target), None))
        return await asyncio.shield(work)


def _spelled(page: Page, asked: Asked) -> bytes:
    """Make an answer and spell it, all in one thread; what it holds may be large."""
    return msgspec.json.encode(page(asked))


def _json(answer: Any, status: int) -> web.Response:
    body = msgspec.json.encode(answer)
    return web.Response(status=status, body=body, content_type="application/json", headers=HEADERS)


def _static() -> dict[str, tuple[str, bytes]]:
    """Read the files of the page: they are few, and none comes from a path that somebody asks."""
    found = {}
    for file in files("holdfast.web").joinpath("static").iterdir():
        ending = "." + file.name.rpartition(".")[2]
        if ending in _KINDS:
            found[f"/{file.name}"] = _KINDS[ending], file.read_bytes()
    return found


def _silent() -> logging.Logger:
    logger = logging.Logger("holdfast.web", logging.CRITICAL + 1)
    logger.addHandler(logging.NullHandler())
    return logger
