"""The proxy between clients and a model server, beside a bare pass-through and other proxies.

A model server that answers at once with 60 events of chat completions, each its own chunk (or, at a
model's pace, 20 of them 5 ms apart); clients in a process of their own, each with a connection that
is kept, who ask with 46 kB of an agent's conversation that grows by a question and an answer each
time, and ask again when the answer has ended. One client asks at once; 8 and 16 after up to 0.1 s,
at a model's pace: if they asked at once, each side would be at its limit, and its added time no
more than its rate, seen from the other end (shown as well). The proxy is `holdfast proxy` as it
comes, with a ledger on disk and a State Map of 10,000 entities in four languages that were pasted
before. “Bare” is aiohttp's server and client in one process that passes bytes on and does nothing
else.

Added time is the time to the first chunk less that of asking the model server itself, at the same
share of the requests, measured in turns. With nothing to add the questions name no entity, which
the proxy has to find out for each; with something, each names one and gets it behind the request.
Rates: bare until the last answer has ended, the proxy until the last exchange is recorded and
synced as well, so that nothing that waits is left out; that every exchange is in the ledger is
counted at the end. Memory is the proportional set size of the proxy and its parser's process, of
one that was asked nothing else. When more than 1,000 entries are active, another process seals them
and ends; what it takes (about 50 MB, for a second or two) is not in it.

Prefix: 50 turns of an agent's conversation, made by `relays.conversations` and not recorded, each
naming an entity. What reaches the model server must be the client's bytes with one piece put in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    Spread,
    percentile,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from bench.relays import ours as proxies
from bench.relays.asking import Order
from bench.relays.conversations import NAMING, QUESTION, bodies
from bench.relays.ours import Ours
from bench.relays.peers import KEY, all_that_start
from bench.relays.processes import Clients, clients, listening
from holdfast.proxy.names import Names
from holdfast.testing.model_server import ModelServer

NAME = "proxy"
TITLE = "The proxy"

DIRECT: Final = "the model server itself"
BARE: Final = "bare aiohttp"
OURS: Final = "holdfast"
REQUESTS: Final = {1: 400, 8: 320, 16: 640}
"""In a round, by how many clients."""
THINK_S: Final = 0.1
SATURATED: Final = 2_000
TOTAL: Final = 5_000
PACED_CLIENTS: Final = 8
PEERS_PACED: Final = 16
SCANNED_CHARS: Final = 100_000
SCANNED_ENTITIES: Final = 100_000
PREFIX_TURNS: Final = 50


class _World(msgspec.Struct, frozen=True):
    """Who is asked, and by whom."""

    clients: Clients
    upstream: int
    bare: int
    ours: Ours
    sent: list[int]


def run(options: Options) -> Result:
    """Measure."""
    with scratch_folder() as folder, _world(folder, options) as world:
        nothing = {c: _nothing_to_add(world, c, options) for c in REQUESTS}
        hydrating = _hydrating(world, options)
        rates = _saturated(world, options)
        peers, missing = _peers(world, folder, options)
        recorded = world.ours.recorded()
        long_lived = world.ours.memory_mb()
        prefix = _prefix(folder)
    memory, all_memory, others = _memory(options.pick(TOTAL, 500))
    sent = sum(world.sent)
    figures = [
        *(figure for c, found in nothing.items() for figure in _added_figures(found, c)),
        Figure(
            f"added time at 99 of 100 while hydrating, {PACED_CLIENTS} clients at a model's pace",
            _added(hydrating[OURS], hydrating[DIRECT], "p99_ms"), unit=" ms", at_most=10,
        ),
        Figure(
            "requests/s at the limit, all recorded : bare",
            _ratio(rates[OURS], rates[BARE], "rate"), at_least=0.6,
        ),
        Figure("exchanges recorded", spread([100 * recorded / sent]), unit=" %", at_least=100),
        *_peer_figures(peers),
        Figure(
            f"memory after {TOTAL:,} requests, 10,000 entities, 4 grammars",
            spread([memory]), unit=" MB", at_most=64,
        ),
        Figure(
            "scan of 100 kB against 100,000 entities", _scan(options), unit=" ms", at_most=5
        ),
        Figure("client's bytes unchanged over 50 turns", spread([prefix]), unit=" %", at_least=100),
    ]  # fmt: skip
    rows = [
        *(row for c, found in nothing.items() for row in _rows(found, f"{c} clients")),
        *_rows(hydrating, f"{PACED_CLIENTS} paced, hydrating"),
        *(Row(name, "requests/s at the limit", "", spread_of(one, "rate"))
          for name, one in rates.items()),
        *_rows(rates, "at the limit"),
        *(row for c, found in peers.items() for row in _rows(found, c)),
        Row(OURS, f"memory then, with {4 + others} grammars and more", "MB", spread([all_memory])),
        Row(OURS, f"memory after {sent:,} requests", "MB", spread([long_lived])),
    ]  # fmt: skip
    return Result(
        NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows, notes=missing
    )


@contextmanager
def _world(folder: Path, options: Options) -> Iterator[_World]:
    with (
        listening("bench.relays.upstream") as upstream,
        listening("bench.relays.bare", f"http://127.0.0.1:{upstream}") as bare,
        clients() as asking,
        proxies.proxy(folder, upstream) as ours,
    ):
        files = options.pick(proxies.FILES, 10)
        entities = proxies.fill(ours, files)
        assert entities == files * proxies.DEFINITIONS, entities
        yield _World(asking, upstream, bare, ours, [files])


def _ask(world: _World, port: int, order: Order) -> Measured:
    """Have requests made of one of them; wait until what follows of them is done."""
    began = time.perf_counter()
    told = world.clients.ask(msgspec.structs.replace(order, port=port, key=KEY))
    if port == world.ours.port:
        world.ours.settle()
        world.sent.append(order.requests)
    elapsed_s = time.perf_counter() - began
    return {
        "p50_ms": percentile(told.first_s, 0.5) * 1e3,
        "p99_ms": percentile(told.first_s, 0.99) * 1e3,
        "rate": order.requests / elapsed_s,
    }


def _in_turns(
    world: _World, ports: dict[str, int], orders: Callable[[str], Order], rounds: int
) -> dict[str, list[Measured]]:
    subjects = {name: partial(_ask, world, port, orders(name)) for name, port in ports.items()}
    return side_by_side(subjects, rounds)


def _nothing_to_add(world: _World, c: int, options: Options) -> dict[str, list[Measured]]:
    order = _paced(c, options.pick(REQUESTS[c], 100))
    if c == 1:
        order = Order(0, c, order.requests)
    ports = {DIRECT: world.upstream, BARE: world.bare, OURS: world.ours.port}
    return _in_turns(world, ports, lambda _: order, options.rounds)


def _paced(c: int, requests: int, question: str = QUESTION) -> Order:
    return Order(0, c, requests, "paced", question, think_s=THINK_S)


def _hydrating(world: _World, options: Options) -> dict[str, list[Measured]]:
    naming = NAMING.format(proxies.NAMED)
    order = _paced(PACED_CLIENTS, options.pick(REQUESTS[PACED_CLIENTS], 40), naming)
    ports = {DIRECT: world.upstream, OURS: world.ours.port}
    return _in_turns(world, ports, lambda _: order, options.rounds)


def _saturated(world: _World, options: Options) -> dict[str, list[Measured]]:
    order = Order(0, 16, options.pick(SATURATED, 200))
    ports = {BARE: world.bare, OURS: world.ours.port}
    return _in_turns(world, ports, lambda _: order, min(options.rounds, 3))


def _peers(
    world: _World, folder: Path, options: Options
) -> tuple[dict[str, dict[str, list[Measured]]], list[str]]:
    """Ask the other proxies as well: one client, and many at a model's pace."""
    rounds = min(options.rounds, 3)
    with all_that_start(world.upstream, folder) as (started, missing):
        ports = {DIRECT: world.upstream, OURS: world.ours.port, **started}
        slow = {"LiteLLM"}
        one = _in_turns(world, ports, lambda name: Order(0, 1, 40 if name in slow else 200), rounds)
        paced = _in_turns(
            world, ports, lambda name: _paced(PEERS_PACED, 48 if name in slow else 320), rounds
        )
    return {"1 client": one, f"{PEERS_PACED} paced": paced}, missing


def _peer_figures(peers: dict[str, dict[str, list[Measured]]]) -> Iterator[Figure]:
    one, paced = peers.values()
    demands = (
        ("LiteLLM", one, "1 client", 12.0),
        ("LiteLLM", paced, f"{PEERS_PACED} clients at a model's pace", 100.0),
        ("mitmproxy", one, "1 client", 2.5),
        ("nginx", one, "1 client", None),
    )
    for name, found, what, least in demands:
        if name in found:
            yield Figure(
                f"added time of {name} : ours, {what}", _added_ratio(found, name, OURS, "p50_ms"),
                at_least=least,
            )  # fmt: skip


def _added_figures(found: dict[str, list[Measured]], c: int) -> Iterator[Figure]:
    for share, key in (("50", "p50_ms"), ("99", "p99_ms")):
        yield Figure(
            f"added time at {share} of 100, {c} clients : bare",
            _added_ratio(found, OURS, BARE, key), at_most=1.5,
        )  # fmt: skip


def _added_ratio(found: dict[str, list[Measured]], one: str, other: str, key: str) -> Spread:
    rounds = zip(found[one], found[other], found[DIRECT], strict=True)
    return spread([_over(a[key] - none[key], b[key] - none[key]) for a, b, none in rounds])


def _over(one: float, other: float) -> float:
    """Divide; what is lost in noise counts as a microsecond."""
    return max(one, 0.001) / max(other, 0.001)


def _added(found: Sequence[Measured], direct: Sequence[Measured], key: str) -> Spread:
    return spread([a[key] - none[key] for a, none in zip(found, direct, strict=True)])


def _ratio(one: Sequence[Measured], other: Sequence[Measured], key: str) -> Spread:
    return spread([a[key] / b[key] for a, b in zip(one, other, strict=True)])


def _rows(found: dict[str, list[Measured]], what: str) -> Iterator[Row]:
    for name, rounds in found.items():
        for share, key in (("median", "p50_ms"), ("99 of 100", "p99_ms")):
            yield Row(name, f"first chunk, {what}, {share}", "ms", spread_of(rounds, key))


def _memory(total: int) -> tuple[float, float, int]:
    """Return what a proxy takes after so many requests, and with other languages as well, and how
    many these are. No other one runs: it would share what
    it has loaded, and take half of that on itself."""
    with (
        scratch_folder() as folder,
        listening("bench.relays.upstream") as upstream,
        clients() as asking,
        proxies.proxy(folder, upstream) as ours,
    ):
        proxies.fill(ours)
        asking.ask(Order(ours.port, 8, total, key=KEY))
        ours.settle()
        memory = ours.memory_mb()
        others = proxies.paste_others(ours)
        return memory, ours.memory_mb(), others


def _scan(options: Options) -> Spread:
    """Return how long one look at a long prompt takes."""
    names = Names(
        f"src/part{n % 90}/module{n // 50}.py::handle_{n}" for n in range(SCANNED_ENTITIES)
    )
    text = next(bodies(0)).decode().replace("\\n", "\n")
    prompt = (text * 3)[:SCANNED_CHARS] + " src/part1/module0.py::handle_1"
    times: list[float] = []
    for _ in range(options.pick(60, 10)):
        began = time.perf_counter()
        found = names.find(prompt)
        times.append((time.perf_counter() - began) * 1e3)
    assert found, "the entity that is named was not found"
    return spread(times)


def _prefix(folder: Path) -> float:
    """Return how much of the client's bytes reached the model server as they were, in percent."""
    place = folder / "prefix"
    place.mkdir()
    same = total = 0
    with ModelServer() as server, proxies.proxy(place, server.port) as ours:
        proxies.fill(ours, 1)
        before = len(server.requests)
        naming = NAMING.format(proxies.NAMED) + " {}"
        for body in islice(bodies(0, naming), PREFIX_TURNS):
            ours.send(body)
            came = server.requests[-1].body
            assert len(came) > len(body), "nothing was put behind the request"
            same, total = same + _kept(body, came), total + len(body)
        assert len(server.requests) == before + PREFIX_TURNS
    return 100 * same / total


def _kept(sent: bytes, came: bytes) -> int:
    """Return how many bytes are the same from the front and from the back."""
    front = next((i for i, (a, b) in enumerate(zip(sent, came, strict=False)) if a != b), len(sent))
    back = 0
    while back < len(sent) - front and sent[-1 - back] == came[-1 - back]:
        back += 1
    return front + back
