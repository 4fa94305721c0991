"""The proxy and the web page, over one ledger, in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.proxy.lulls import IdleSelector
from holdfast.proxy.upstreams import discover, told
from holdfast.wiring import proxying, web_serving
from holdfast.wiring.clients import Client, Told, find_clients, lines_for, servers_of
from holdfast.wiring.proxying import Options, Say


class Up(msgspec.Struct, frozen=True):
    """What is told when both are ready."""

    proxy: proxying.Listening
    web: web_serving.Listening
    upstreams: list[str]
    clients: list[Told]


def serve_both(options: Options, *, web_port: int, ready: Callable[[Up], object], say: Say) -> int:
    """Run both until SIGINT or SIGTERM; return how much of what crossed stayed unrecorded."""
    return proxying.run(lambda idle: _serve(options, web_port, ready, say, idle))


async def _serve(
    options: Options,
    web_port: int,
    ready: Callable[[Up], object],
    say: Say,
    idle: IdleSelector,
) -> int:
    unrecorded: list[int] = []
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    clients = find_clients()
    options = msgspec.structs.replace(options, upstreams=await _upstreams(options, clients, say))
    async with (
        proxying.open_proxy(options, say, unrecorded.append, idle) as proxy,
        web_serving.open_web(options.place, options.settings, web_port, say) as web,
    ):
        upstreams = list(options.upstreams)
        ready(Up(proxy, web, upstreams, lines_for(clients, proxy.listening)))
        await stop.wait()
    return sum(unrecorded)


async def _upstreams(options: Options, clients: list[Client], say: Say) -> tuple[str, ...]:
    """Return what the user named; else the servers on this machine, then those of the clients."""
    named = options.upstreams or options.settings.proxy.upstreams
    if named:
        return tuple(named)
    found = await discover(but=options.port)
    if found:
        say(told(found))
    chosen = (*(f"{one.kind}+{one.base}" for _, one in found), *servers_of(clients))
    if not chosen:
        raise InvalidInput(
            f"No model server was named, and no client was found that has one. {told(found)}",
            meaning="Nothing was started.",
            remedy="Name one with `--upstream URL`; `holdfast web` shows the page alone.",
        )
    return chosen
