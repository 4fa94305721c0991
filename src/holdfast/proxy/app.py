"""The proxy as a server: one port, and behind it the guard, the diagnostics and the relay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol
from urllib.parse import parse_qsl

from holdfast.kernel.limits import PROXY_STOP_S
from holdfast.proxy.down import Down, Request
from holdfast.proxy.guard import DIAGNOSTICS, DIALECTS, HEALTH, Guard
from holdfast.proxy.listening import Listener
from holdfast.proxy.refusals import Kind, Refused
from holdfast.proxy.relay import Desk, Queue, Relay
from holdfast.proxy.upstreams import Upstreams, kind_asked
from holdfast.proxy.values import Prepared

_OURS: Final = (
    (b"Server", b"holdfast"),
    (b"Cache-Control", b"no-store"),
    (b"Content-Type", b"application/json"),
)


class Page(Protocol):
    """A page of the diagnostics."""

    @property
    def status(self) -> int:
        """Return the status of HTTP."""

    @property
    def body(self) -> bytes:
        """Return the JSON."""


class Diagnostics(Protocol):
    """Answers for the five paths; see `diagnostics`."""

    def saw(self, prepared: Prepared) -> None:
        """Take note of what goes up."""

    async def answer(self, path: str, query: Mapping[str, str]) -> Page:
        """Answer one of the five."""


class Proxy:
    """Listens while it is started.

    proxy = Proxy(desk, writer, upstreams, diagnostics, guard, episodes=..., say=...)
    port = await proxy.start("127.0.0.1", 0)
    await proxy.stop()
    """

    def __init__(
        self,
        desk: Desk,
        queue: Queue,
        upstreams: Upstreams,
        diagnostics: Diagnostics,
        guard: Guard,
        *,
        episodes: Callable[[], str],
        say: Callable[[str], object],
    ) -> None:
        """`episodes` makes a new name for each exchange; `say` tells the user of troubles."""
        self._relay = Relay(desk, queue, upstreams, episodes=episodes, saw=diagnostics.saw, say=say)
        self._diagnostics = diagnostics
        self._guard = guard
        self._say = say
        self._listener = Listener(self._admit, self._handle)

    @property
    def port(self) -> int:
        """Return where it listens; 0 while it does not."""
        return self._listener.port

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Listen; return the port."""
        await self._relay.open()
        try:
            self._guard.port = await self._listener.start(host, port)
        except BaseException:
            await self._relay.close()
            raise
        return self.port

    async def stop(self, grace_s: float = PROXY_STOP_S) -> None:
        """Stop listening, let answers on their way end for a while, and hang up."""
        await self._listener.stop(grace_s)
        await self._relay.close()

    def _admit(self, request: Request) -> None:
        """Look at the head of a request; one that is not let in raises `Refused`."""
        self._guard.look(request.method, request.target, request.headers)

    async def _handle(self, request: Request, down: Down) -> None:
        """Answer a request; nothing that it holds can end the proxy."""
        try:
            if request.refused is not None:
                raise request.refused
            if request.path in DIAGNOSTICS:
                await self._look(request, down)
            else:
                await self._relay.relay(request, down)
        except Refused as refused:
            _refuse(down, refused, _kind(request))
        except Exception as problem:
            self._say(f"A request failed inside the proxy: {type(problem).__name__}")
            if not down.begun:
                trouble = Refused(500, "The proxy failed.", remedy="`/doctor` may tell why.")
                _refuse(down, trouble, _kind(request))

    async def _look(self, request: Request, down: Down) -> None:
        path, _, query = request.target.partition("?")
        if path != HEALTH:
            await self._relay.landed()
        page = await self._diagnostics.answer(path, _query(query))
        down.whole(page.status, _OURS, page.body)


def _query(spelled: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(spelled, keep_blank_values=True, max_num_fields=16))
    except ValueError as problem:
        raise Refused(400, "The query cannot be read.") from problem


def _kind(request: Request) -> Kind:
    path = request.path
    return kind_asked(path, DIALECTS.get(path), request.headers)


def _refuse(down: Down, refused: Refused, kind: Kind) -> None:
    theirs = ((name.encode(), value.encode()) for name, value in refused.headers)
    down.whole(refused.status, (*_OURS, *theirs), refused.body(kind))
