"""Looking at the proxy from outside: health, doctor, recent, state, and the last prompt.

Read-only. Nothing here appends, hydrates, asks a model, or changes a byte of the next prompt; the
same state gives the same bytes. Who may look is decided before (`guard`). What needs files, such
as the doctor's checks of the database, is handed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.limits import (
    PROXY_CONNECT_CHECK_S,
    PROXY_RECENT_DEFAULT,
    PROXY_RECENT_MAX,
    PROXY_SETTLED_WAIT_S,
)
from holdfast.proxy.recent import Recent
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Prepared

HEALTH: Final = "/health"
DOCTOR: Final = "/doctor"
RECENT: Final = "/recent"
STATE: Final = "/state"
LAST_PROMPT: Final = "/debug/last-prompt"
ROUTES: Final = (HEALTH, DOCTOR, RECENT, STATE, LAST_PROMPT)
"""Every path that is answered here; with `GET` only."""

OK: Final = 200
BAD_REQUEST: Final = 400
NOT_FOUND: Final = 404


class Page(msgspec.Struct, frozen=True):
    """An answer: a status of HTTP and JSON."""

    status: int
    body: bytes


class Finding(msgspec.Struct, frozen=True):
    """What a check of the doctor found."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


Look: TypeAlias = Callable[[], Sequence[Finding]]
"""Looks at something that takes time or files; called in a thread."""


class Settled(Protocol):
    """Tells when what was said is settled; the writer does."""

    def drained(self, timeout_s: float) -> bool:
        """Wait until all that came before is settled; tell whether it is."""


class Target(msgspec.Struct, frozen=True):
    """An upstream, to be connected to."""

    name: str
    host: str
    port: int


class Diagnostics:
    """The five pages."""

    def __init__(
        self,
        live: LiveMap,
        recent: Recent,
        settled: Settled,
        *,
        look: Look,
        targets: Callable[[], Sequence[Target]] = tuple,
        debug: bool = False,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._live = live
        self._recent = recent
        self._settled = settled
        self._look = look
        self._targets = targets
        self._debug = debug
        self._redact = redact
        self._last: Prepared | None = None

    def saw(self, prepared: Prepared) -> None:
        """Remember the last request that went up, where `/debug/last-prompt` is wanted."""
        if self._debug:
            self._last = prepared

    async def answer(self, path: str, query: Mapping[str, str]) -> Page:
        """Answer one of `ROUTES`."""
        if path == HEALTH:
            return _page({"status": "ok"})
        if path == DOCTOR:
            return await self._doctor()
        if path == RECENT:
            return await self._recent_page(query.get("n"))
        if path == STATE:
            return await self._state()
        if path == LAST_PROMPT and self._debug:
            return self._last_prompt()
        return _page({"error": "not found"}, NOT_FOUND)

    async def _doctor(self) -> Page:
        found = list(await asyncio.to_thread(self._look))
        found += await asyncio.gather(*(_connects(target) for target in self._targets()))
        return _page(
            {"checks": msgspec.to_builtins(found), "ok": all(finding.ok for finding in found)}
        )

    async def _recent_page(self, asked: str | None) -> Page:
        count = PROXY_RECENT_DEFAULT if asked is None else _count(asked)
        if count is None:
            return _page({"error": f"n is a number from 1 to {PROXY_RECENT_MAX}"}, BAD_REQUEST)
        waiting = await self._wait()
        episodes = [
            {
                "artifact_states": dict(episode.states),
                "entities": sorted(episode.states),
                "episode_id": name,
                **({"entities_left_out": episode.left_out} if episode.left_out else {}),
            }
            for name, episode in self._recent.newest(count)
        ]
        return _page({"episodes": episodes, **waiting})

    async def _state(self) -> Page:
        waiting = await self._wait()
        return await asyncio.to_thread(self._state_page, waiting)

    def _state_page(self, waiting: dict[str, bool]) -> Page:
        as_of_seq, digest, listed = self._live.standing()
        # Piece by piece: there may be very many.
        lines = b",".join(canonical.encode(msgspec.structs.asdict(one)) for one in listed)
        head = b'{"as_of_seq":%d,"digest":"%b","entities":[' % (as_of_seq, digest.encode())
        return Page(OK, head + lines + (b'],"unsettled":true}\n' if waiting else b"]}\n"))

    def _last_prompt(self) -> Page:
        last = self._last
        if last is None:
            return _page({"prompt": None})
        return _page(
            {
                "added": self._redact(last.added),
                "dialect": last.asked.dialect,
                "episode_id": last.asked.episode,
                "hydrated": list(last.hydrated),
                "notice": last.notice,
                "prompt": self._redact(last.body.decode(errors="backslashreplace")),
            }
        )

    async def _wait(self) -> dict[str, bool]:
        """Wait for what ended before this was asked; say when some of it is not settled yet."""
        settled = await asyncio.to_thread(self._settled.drained, PROXY_SETTLED_WAIT_S)
        return {} if settled else {"unsettled": True}


async def _connects(target: Target) -> Finding:
    """Connect to an upstream and hang up; nothing is sent."""
    name = f"upstream {target.name}"
    try:
        async with asyncio.timeout(PROXY_CONNECT_CHECK_S):
            _, writer = await asyncio.open_connection(target.host, target.port)
    except (OSError, TimeoutError):
        where = f"{target.host}:{target.port}"
        return Finding(name, False, f"nobody answers at {where}", "Start it, or name another.")
    writer.close()
    return Finding(name, True, f"{target.host}:{target.port} takes connections")


def _count(asked: str) -> int | None:
    if not (asked.isascii() and asked.isdigit() and len(asked) <= len(str(PROXY_RECENT_MAX))):
        return None
    count = int(asked)
    return count if 1 <= count <= PROXY_RECENT_MAX else None


def _page(value: dict[str, Any], status: int = OK) -> Page:
    return Page(status, canonical.encode(value) + b"\n")
