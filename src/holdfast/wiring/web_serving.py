"""The web page's server in this process, until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import msgspec

from holdfast.config import Settings
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import WEB_TOKEN_BYTES
from holdfast.storage.files import replace
from holdfast.web.app import SLOWLY, Server
from holdfast.web.guard import Guard
from holdfast.wiring.places import Place
from holdfast.wiring.webbing import Site

HOST = "127.0.0.1"
"""Nobody else's machine is answered."""

Say: TypeAlias = Callable[[str], object]


class Listening(msgspec.Struct, frozen=True):
    """What a script is told when the page can be opened."""

    listening: str
    url: str
    token: str


def serve(
    place: Place,
    settings: Settings,
    *,
    port: int,
    ready: Callable[[Listening], object],
    say: Say,
) -> None:
    """Show a ledger until SIGINT or SIGTERM."""
    asyncio.run(_serve(place, settings, port, ready, say))
    leave()


def leave() -> None:
    """End the process at once if a page is still being made: nobody is there to be shown it, and
    making it changes nothing."""
    if any(thread.name.startswith(SLOWLY) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


async def _serve(
    place: Place,
    settings: Settings,
    port: int,
    ready: Callable[[Listening], object],
    say: Say,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with open_web(place, settings, port, say) as listening:
        ready(listening)
        await stop.wait()


@asynccontextmanager
async def open_web(
    place: Place, settings: Settings, port: int, say: Say = print
) -> AsyncIterator[Listening]:
    """Listen while it is open."""
    token = token_of(place)
    site = await asyncio.to_thread(Site, place, settings)
    server = Server(site, Guard(token), say=say)
    try:
        try:
            found = await server.start(port, HOST)
        except OSError as error:
            raise InvalidInput(
                f"Port {port} cannot be listened on: {error.strerror}.",
                meaning="The page was not started.",
                remedy="Name another with `--port N`; 0 takes a free one.",
            ) from error
        where = f"http://{HOST}:{found}"
        yield Listening(where, f"{where}/?token={token}", token)
    finally:
        site.hush()  # else a page that is made beside would be waited for
        if await server.stop():
            await asyncio.to_thread(site.close)


def token_of(place: Place) -> str:
    """Return the page's token: the same as last time, so that an open page finds back after a
    restart. Only the user can read its file."""
    file = place.database.with_name(f"{place.database.stem}.web-token")
    with suppress(OSError, UnicodeDecodeError):
        kept = file.read_text("ascii").strip()
        if len(kept) >= WEB_TOKEN_BYTES and _is_private(file):
            return kept
    token = secrets.token_urlsafe(WEB_TOKEN_BYTES)
    with suppress(OSError):  # where nothing can be written, it is for this time only
        replace(str(file), token.encode())
    return token


def _is_private(file: Path) -> bool:
    return file.stat().st_mode & 0o077 == 0
