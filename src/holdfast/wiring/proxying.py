"""The proxy, put together: which ledger, which upstreams, which checks; and its life as a process.

    async with open_proxy(options, say) as listening:
        ...

Order matters at the end: first nobody is answered any more, then what waits is recorded, then the
parser's process is ended and the ledger closed.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import itertools
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeAlias

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import (
    PROXY_GARBAGE_MAX,
    PROXY_LOCK_WAIT_S,
    PROXY_LOOK_S,
    PROXY_LOOKS_BETWEEN_TRIMS,
    PROXY_MAPPED_FROM_BYTES,
    PROXY_PAGES_BYTES_MAX,
    PROXY_SWITCH_S,
    PROXY_TOKEN_BYTES,
)
from holdfast.ledger.ledger import Ledger
from holdfast.proxy.app import Proxy
from holdfast.proxy.asking import Asking
from holdfast.proxy.audit import Audit
from holdfast.proxy.desk import Desk
from holdfast.proxy.diagnostics import Diagnostics, Target
from holdfast.proxy.guard import Guard
from holdfast.proxy.judging import Judging
from holdfast.proxy.lulls import IdleSelector, Lulls
from holdfast.proxy.names import Names
from holdfast.proxy.recent import Recent
from holdfast.proxy.recording import Recorder
from holdfast.proxy.settling import Settler
from holdfast.proxy.state import LiveMap
from holdfast.proxy.upstreams import Upstreams, discover, read_upstream, told
from holdfast.proxy.writing import Writer
from holdfast.storage.files import make_folder
from holdfast.storage.port import Reader
from holdfast.storage.sqlite.connection import bound_memory
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.proxy_checks import ProxyChecks
from holdfast.wiring.proxy_options import Listening as Listening
from holdfast.wiring.proxy_options import Options as Options
from holdfast.wiring.sealing_apart import SealApart
from holdfast.workers.parsing import ParseWorker

ACTOR: Final = Actor("proxy", "proxy")
HOST: Final = "127.0.0.1"
"""Nobody else's machine is answered."""

_TRIMMED_FROM: Final = -1
_MAPPED_FROM: Final = -3
_ARENAS_MAX: Final = -8
"""What `mallopt` of the GNU C library calls them."""

Say: TypeAlias = Callable[[str], object]


def serve(options: Options, *, ready: Callable[[Listening], object], say: Say) -> int:
    """Run the proxy in this process until it is told to stop by SIGINT or SIGTERM; return how many
    requests and answers stayed unrecorded."""
    _return_memory()
    bound_memory(PROXY_PAGES_BYTES_MAX)
    return run(lambda idle: _serve(options, ready, say, idle))


def run(serving: Callable[[IdleSelector], Coroutine[Any, Any, int]]) -> int:
    """Run what has a proxy in it until it ends, on a loop that knows when it waits."""
    # The thread that settles must not hold up the stream for longer than this.
    sys.setswitchinterval(PROXY_SWITCH_S)
    idle = IdleSelector(getattr(os, "sched_yield", _nothing))
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(idle)) as runner:
        return runner.run(serving(idle))


def _return_memory() -> None:
    """Have large blocks returned when they are let go, where the C library can be told so."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_ARENAS_MAX, 2)
        mallopt(_MAPPED_FROM, PROXY_MAPPED_FROM_BYTES)
        mallopt(_TRIMMED_FROM, PROXY_MAPPED_FROM_BYTES)


def _nothing() -> None:
    """Do nothing: the loop only has to wake up."""


def _trim() -> None:
    """Return what was let go of in between what is kept, where the C library can be told so."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


async def _serve(
    options: Options, ready: Callable[[Listening], object], say: Say, idle: IdleSelector
) -> int:
    unrecorded: list[int] = []
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with open_proxy(options, say, unrecorded.append, idle) as listening:
        gc.collect()
        gc.freeze()  # what is here now stays; looking through it again and again costs time
        gc.set_threshold(PROXY_GARBAGE_MAX)
        ready(listening)
        await stop.wait()
    return sum(unrecorded)


@asynccontextmanager
async def open_proxy(
    options: Options,
    say: Say,
    unrecorded: Callable[[int], object] = lambda _: None,
    idle: IdleSelector | None = None,
) -> AsyncIterator[Listening]:
    """Listen while it is open. In the end, `unrecorded` is told how much stayed unrecorded. `idle`
    is what the loop waits with."""
    upstreams = await _upstreams(options, say)
    if idle is not None:
        loop = asyncio.get_running_loop()
        idle.begin(lambda: loop.call_soon_threadsafe(_nothing))
    parts = _Parts(options, upstreams, say, idle)
    try:
        port = await _start(parts.proxy, options.port)
        try:
            parts.writer.start()
            parts.audit.start()
            looking = asyncio.create_task(parts.look_again())
            warming = asyncio.create_task(asyncio.to_thread(parts.warm))
            where, ledger = f"http://{HOST}:{port}", str(options.place.database)
            try:
                yield Listening(where, ledger, parts.token)
            finally:
                looking.cancel()
                await warming
        finally:
            await parts.proxy.stop()
            await parts.audit.stop()
            await parts.asking.close()
    finally:
        unrecorded(await asyncio.to_thread(parts.close))


class _Parts:
    """Everything that makes up one proxy."""

    def __init__(
        self, options: Options, upstreams: Upstreams, say: Say, idle: IdleSelector | None
    ) -> None:
        settings = options.settings
        self.token = options.token or secrets.token_urlsafe(PROXY_TOKEN_BYTES)
        self._ledger = _open(options)
        self._reader: Reader = open_reader(options.place.database)
        self._sealing = SealApart(options.place.database, settings.seal, self._reader, actor=ACTOR)
        self._parser = ParseWorker()
        project = options.place.project
        root = None if project is None else project.as_posix()
        recent, names = Recent(), Names(project=root)
        live = LiveMap(self._reader.artifact, listeners=[recent])
        live.catch_up(self._reader)
        live.watch(names)
        self.writer = Writer(lambda jobs: recorder(jobs), say)
        desk = Desk(live, names, self.writer, tokens_max=settings.proxy.hydrate_tokens)
        lulls = Lulls(idle, self.writer.pressed)
        settler = Settler(
            judge=Judging(settings.proxy.parity_share),
            parser=self._parser,
            find=names.find,
            place=desk.place,
            project=root,
            lulls=lulls,
        )
        self.asking = Asking(upstreams)
        self.audit = Audit(
            self.asking,
            self.writer.submit,
            desk.newest,
            mode=options.audit,
            is_local=self.asking.is_local,
        )
        self._recorder = recorder = Recorder(
            self._ledger,
            live,
            settler,
            notice=desk.owe_notice,
            unsure=self.audit.offer,
            let_go=desk.let_go,
            lulls=lulls,
        )
        diagnostics = Diagnostics(
            live,
            recent,
            self.writer,
            look=ProxyChecks(options.place, self.writer.state, desk.state),
            targets=lambda: [Target(one.name, one.host, one.port) for one in upstreams.all],
            debug=options.debug,
            redact=self._ledger.redact,
        )
        self.proxy = Proxy(
            desk,
            self.writer,
            upstreams,
            diagnostics,
            Guard(self.token),
            episodes=self._ledger.new_id,
            say=say,
        )

    async def look_again(self) -> None:
        """Look now and then whether others appended, such as a hook that sees the disk."""
        for place in itertools.count(1):
            await asyncio.sleep(PROXY_LOOK_S)
            if place % PROXY_LOOKS_BETWEEN_TRIMS == 0:
                await asyncio.to_thread(_trim)
            with suppress(HoldfastError):  # whoever settles meets it too, and says so
                await asyncio.to_thread(self._recorder.look)
                await asyncio.to_thread(self._sealing.look)

    def warm(self) -> None:
        """Start the parser's process, so that the first code is settled in time to be shown."""
        with suppress(HoldfastError):  # whoever needs it meets it too, and says so
            self._parser.read_symbols("", "python")

    def close(self) -> int:
        """Record what waits, then let go of everything; return how much stayed unrecorded."""
        try:
            left = self.writer.close()
            if left == 0:
                self._recorder.stop()
            return left + self.writer.state().lost
        finally:
            self._parser.close()
            self._sealing.close()
            self._reader.close()
            self._ledger.close()


def _open(options: Options) -> Ledger:
    place, settings = options.place, options.settings
    if place.project is None:
        make_folder(str(place.folder))
    return open_ledger(
        place.database,
        actor=ACTOR,
        session_id=options.session,
        secret_names=settings.redaction.secret_names,
        entropy=settings.redaction.entropy,
        wait_s=min(settings.lock.wait_s, PROXY_LOCK_WAIT_S),
        seal=Seal(auto=False),  # a process of its own seals
    )


async def _upstreams(options: Options, say: Say) -> Upstreams:
    """Return the upstreams that the user named, else those that are on this machine."""
    if options.named:
        return Upstreams(read_upstream(one) for one in options.named)
    found = await discover(but=options.port)
    if not found:
        raise InvalidInput(
            f"No model server was named. {told(found)}",
            meaning="The proxy was not started.",
            remedy="Name one with `--upstream URL`, or in your settings as `proxy.upstreams`.",
        )
    say(told(found))
    return Upstreams(upstream for _, upstream in found)


async def _start(proxy: Proxy, port: int) -> int:
    try:
        return await proxy.start(HOST, port)
    except OSError as error:
        raise InvalidInput(
            f"Port {port} cannot be listened on: {error.strerror}.",
            meaning="The proxy was not started.",
            remedy="Name another with `--port N`; 0 takes a free one.",
        ) from error
