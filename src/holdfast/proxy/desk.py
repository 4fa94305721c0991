"""What goes up for a request: the client's bytes, and behind them what the model needs to see.

The desk owns the conversations. Requests are placed in them in the order they came, by whoever
first needs to know: the loop, when there may be something to add, else the writer's thread. As long
as nothing is known and no notice waits, the loop reads nothing of a request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Protocol

import msgspec
from msgspec.structs import replace

from holdfast.kernel.limits import (
    CONVERSATIONS_MAX,
    PROXY_HYDRATION_TOKENS,
    PROXY_SETTLE_S,
    PROXY_WORDS_CHARS_MAX,
)
from holdfast.proxy.hydrating import JOINT, NOTICE, Held, Hydration, Hydrator, Known
from holdfast.proxy.ingest import first_may_bring, request_may_bring
from holdfast.proxy.names import SEPARATOR, Names
from holdfast.proxy.paths import root_of
from holdfast.proxy.placing import Places, is_fresh, is_long, put, turns_behind
from holdfast.proxy.values import Answered, Asked, Job, Placed, Prepared
from holdfast.wire.requests import Request, Unreadable
from holdfast.wire.splicing import splice


class Shown(Known, Protocol):
    """The State Map, which tells how many entities there are."""

    def __len__(self) -> int:
        """Return how many entities are authoritative."""


class Queue(Protocol):
    """Where jobs wait to be settled; `Writer` is one."""

    def submit(self, job: Job) -> bool:
        """Let a job be settled after those before it; tell whether there was room for it."""

    def ticket(self, episode: str) -> int | None:
        """Return the number of an episode's last job; None when none of it waits."""

    def idle(self) -> bool:
        """Tell whether nothing waits."""

    def calm(self) -> bool:
        """Tell whether nothing waits that anybody may have to wait for."""

    async def reached(self, ticket: int, timeout_s: float) -> bool:
        """Wait until a job is settled; tell whether it is."""

    async def give_way(self) -> None:
        """Wait a little while too much waits to be settled."""


class DeskState(msgspec.Struct, frozen=True):
    """What the desk could not do."""

    no_place: int
    """Requests that something belonged behind, and that had no place for it."""
    unsettled: int
    """Requests that did not wait any longer for what was said before."""
    unread: int
    """Requests that could not be read."""
    long: int = 0
    """Requests that were too long to be looked at before they went up."""
    words_cut: int = 0
    """Requests whose newest words were too long to be searched in their middle."""


class _Readied(msgspec.Struct, frozen=True):
    """What was found out about a request before it was waited for."""

    settled: bool
    """What it builds on is settled."""
    notice: bool
    """It is owed the notice."""
    named: Sequence[str]
    changes: int
    """Of the names, before they were looked for."""


class Desk:
    """Prepares requests, on the loop: `ready`, then `prepare`. The others are for any thread."""

    def __init__(
        self,
        live: Shown,
        names: Names,
        queue: Queue,
        *,
        tokens_max: int = PROXY_HYDRATION_TOKENS,
        settle_s: float = PROXY_SETTLE_S,
    ) -> None:
        self._live = live
        self._names = names
        self._queue = queue
        self._hydrator = Hydrator(live, tokens_max)
        self._settle_s = settle_s
        self._places = Places()
        self._readied: OrderedDict[str, _Readied] = OrderedDict()
        self._no_place = 0
        self._unsettled = 0
        self._long = 0
        self._words_cut = 0

    async def glance(self, asked: Asked) -> bool:
        """Tell whether it is certain that nothing is to be put behind a request. Then it goes up
        before it is placed: `note` does that when it is on its way."""
        await self._queue.give_way()
        if is_long(asked) or self._places.owes or not self._queue.calm() or not len(self._live):
            return False
        try:
            words = self._places.newest_words(asked)
        except Unreadable:
            return False
        return len(words) <= PROXY_WORDS_CHARS_MAX and not self._names.may_find(words)

    def note(self, asked: Asked) -> None:
        """Place a request that nothing was put behind, and let it be settled, once."""
        if not self._places.arrive(asked):
            return
        try:
            placed = self._places.place(asked)
            plain = _is_plain(placed, first=self._is_first(asked, placed))
        except BaseException:
            self._submit(asked, True)  # it is said all the same
            raise
        self._submit(_light(replace(asked, plain=True), placed) if plain else asked, True)

    async def ready(self, asked: Asked) -> bool:
        """Let a request be settled, and wait a little for what it builds on; tell whether that is
        settled. Once for each request, before `prepare`."""
        await self._queue.give_way()
        quiet = self._queue.idle()
        news = self._places.arrive(asked)
        if is_long(asked):
            self._long += news
            self._submit(asked, news)
            return True
        if self._is_nothing_known() and (quiet or not self._places.may_follow(asked)):
            self._submit(asked, news)
            return True
        try:
            placed = self._places.place(asked)
            settled = await self._reached(self._before(asked, placed))
            # What the request itself brings is not what came before it.
            notice = self._places.has_notice(placed.seen)
            changes, named = self._names.changes, self._named(placed)
            plain = not named and _is_plain(placed, first=self._is_first(asked, placed))
        except BaseException:
            self._submit(asked, news)  # it is said all the same
            raise
        self._submit(_light(replace(asked, plain=True), placed) if plain else asked, news)
        if settled and self._brings_code(placed, named):
            settled = await self._reached([asked.episode])
        self._unsettled += not settled
        readied = _Readied(settled, notice, named, changes)
        put(self._readied, asked.episode, readied, CONVERSATIONS_MAX)
        return settled

    def prepare(self, asked: Asked) -> Prepared:
        """Return the request as it goes up."""
        self._submit(asked, self._places.arrive(asked))
        readied = self._readied.pop(asked.episode, None)
        if is_long(asked) or (readied is None and self._is_nothing_known()):
            return Prepared(asked, asked.body, self._places.conversation(asked))
        placed = self._places.place(asked)
        if placed.request is None:
            return Prepared(asked, asked.body, placed.seen.conversation)
        if readied is None:
            notice = self._places.has_notice(placed.seen)
            readied = _Readied(True, notice, self._find(placed.request), 0)
        elif readied.changes != self._names.changes:
            readied = replace(readied, named=self._find(placed.request))
        hydration = self._hydrated(placed.request, readied.named, readied.settled)
        return self._with(asked, placed, hydration, readied.notice)

    def _with(self, asked: Asked, placed: Placed, hydration: Hydration, notice: bool) -> Prepared:
        """Put what there is to say behind a request."""
        conversation = placed.seen.conversation
        added = JOINT.join(filter(None, (hydration.text, NOTICE if notice else "")))
        body = splice(asked.body, asked.dialect, added) if added else asked.body
        if body is None:
            self._no_place += 1
            return Prepared(asked, asked.body, conversation)
        if notice:
            self._places.give_notice(conversation)
        return Prepared(asked, body, conversation, hydration.entities, notice, added)

    def place(self, asked: Asked) -> Placed:
        """Read a request and place it in its conversation, after those that came before it. The
        same request is placed the same again."""
        return asked.placed or self._places.place(asked)

    def lighten(self, answered: Answered) -> Answered:
        """Return an exchange without the bytes that nobody needs to settle it: what they say is
        known."""
        prepared = answered.prepared
        if not answered.plain or not self._places.is_placed(prepared.asked):
            return answered
        asked = _light(prepared.asked, self._places.place(prepared.asked))
        return replace(answered, prepared=replace(prepared, asked=asked, body=b""), content=b"")

    def let_go(self, episode: str) -> None:
        """Forget a request whose answer is settled."""
        self._places.let_go(episode)

    def newest(self, conversation: str) -> str | None:
        """Return the newest episode of a conversation."""
        return self._places.newest(conversation)

    def owe_notice(self, conversation: str, owed: bool = True) -> None:
        """Let the next request of a conversation say that what came before changed nothing."""
        self._places.owe_notice(conversation, owed)

    def state(self) -> DeskState:
        """Say what could not be done."""
        return DeskState(
            self._no_place, self._unsettled, self._places.unread, self._long, self._words_cut
        )

    def _submit(self, asked: Asked, news: bool) -> None:
        """Hand a request on to be settled, once."""
        if news and not self._queue.submit(asked):
            self._places.pass_by(asked)

    def _is_nothing_known(self) -> bool:
        return not len(self._live) and not self._places.owes

    def _before(self, asked: Asked, placed: Placed) -> list[str]:
        """Return the episodes that a request goes on from."""
        if placed.request is None or placed.seen.change == "repeated":
            return []  # the same again: what came of it the first time is not in it
        return self._places.before(asked)

    def _is_first(self, asked: Asked, placed: Placed) -> bool:
        """Tell whether none of a request's conversation came before it; a long one that was not
        placed yet may be of the same."""
        return not self._before(asked, placed) and (
            self.newest(placed.seen.conversation) == asked.episode
        )

    async def _reached(self, episodes: Iterable[str]) -> bool:
        tickets = [
            ticket for episode in episodes if (ticket := self._queue.ticket(episode)) is not None
        ]
        return not tickets or await self._queue.reached(max(tickets), self._settle_s)

    def _named(self, placed: Placed) -> list[str]:
        return [] if placed.request is None else self._find(placed.request)

    def _find(self, request: Request) -> list[str]:
        """Return what the newest words name; of very long ones, both ends are searched."""
        words = request.newest_words()
        if len(words) > PROXY_WORDS_CHARS_MAX:
            half = PROXY_WORDS_CHARS_MAX // 2
            words = f"{words[:half]}\n{words[-half:]}"
        return self._names.find(words, root_of(request))

    def _brings_code(self, placed: Placed, named: Sequence[str]) -> bool:
        """Tell whether a request may hold new code of what is going to be shown with it."""
        request = placed.request
        if request is None or placed.seen.change == "repeated":
            return False
        paths = {name.partition(SEPARATOR)[0] for name in named}
        return any(is_fresh(request, path) for path in paths)

    def _hydrated(self, request: Request, named: Sequence[str], settled: bool) -> Hydration:
        self._words_cut += len(request.newest_words()) > PROXY_WORDS_CHARS_MAX
        if not named:
            return Hydration()
        unsettled = None if settled else partial(is_fresh, request)
        return self._hydrator.hydrate(named, Held(request), unsettled)


def _light(asked: Asked, placed: Placed) -> Asked:
    """Return a request without its bytes: it may wait for a while, with many others."""
    return replace(asked, body=b"", placed=placed)


def _is_plain(placed: Placed, *, first: bool) -> bool:
    """Tell whether nothing that a request brings changes what is true: no code and no results.
    `first`: none of its conversation came before it."""
    request, seen = placed.request, placed.seen
    if request is None or seen.change not in ("new", "grown"):
        return False
    if first and seen.change == "new":
        return not first_may_bring(request)
    return not request_may_bring(request, turns_behind(request, seen.kept))
