"""Which conversation each request belongs to, told in the order in which they came.

The loop and the writer's thread both ask. Whoever asks first for a request places all that came
before it as well, so that the answer does not depend on who asks. Only a very long request is
placed by the writer's thread alone, when its turn comes: nobody on the loop waits for its reading.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Final, TypeVar

from holdfast.kernel.limits import (
    CONVERSATIONS_MAX,
    PROXY_EPISODES_KEPT_MAX,
    PROXY_PLACED_MAX,
    PROXY_READ_BYTES_MAX,
    PROXY_REQUESTS_BYTES_MAX,
    PROXY_REQUESTS_KEPT_MAX,
    PROXY_SETTLED_BYTES_MAX,
)
from holdfast.proxy.values import Asked, Placed
from holdfast.wire.conversations import Conversations, Seen
from holdfast.wire.histories import Histories
from holdfast.wire.requests import Request, Unreadable, read_request

_FENCE: Final = "```"
_V = TypeVar("_V")


class Places:
    """Conversations, the episodes in them, and the notices that they are owed. For any thread."""

    def __init__(self) -> None:
        self.unread = 0
        """Requests that could not be read."""
        self._lock = threading.Lock()
        self._conversations = Conversations()
        self._histories = Histories()
        self._unplaced: OrderedDict[str, Asked] = OrderedDict()
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._long: OrderedDict[str, None] = OrderedDict()
        """Long requests that were not placed yet."""
        self._requests: OrderedDict[str, tuple[Request | None, int]] = OrderedDict()
        """With the bytes that they were read from."""
        self._requests_bytes = 0
        self._episodes: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        """By conversation: its newest episodes."""
        self._lengths: deque[int] = deque(maxlen=PROXY_EPISODES_KEPT_MAX)
        """Of the newest requests."""
        self._owed: OrderedDict[str, None] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()

    def arrive(self, asked: Asked) -> bool:
        """Note that a request came; tell whether that is news."""
        with self._lock:
            if any(asked.episode in known for known in (self._unplaced, self._seen, self._long)):
                return False
            if is_long(asked):
                put(self._long, asked.episode, None, PROXY_PLACED_MAX)
            else:
                self._unplaced[asked.episode] = asked
            self._lengths.append(len(asked.body))
            return True

    def pass_by(self, asked: Asked) -> None:
        """Do not place a request that nobody is going to settle, unless somebody asks for it."""
        with self._lock:
            self._unplaced.pop(asked.episode, None)
            self._long.pop(asked.episode, None)

    def let_go(self, episode: str) -> None:
        """Forget where a request was placed: it is settled, and nobody asks for it again."""
        with self._lock:
            self._seen.pop(episode, None)
            request = self._requests.pop(episode, None)
            self._requests_bytes -= 0 if request is None else request[1]

    def may_follow(self, asked: Asked) -> bool:
        """Tell whether a request may go on from one of the newest: it is longer, then."""
        with self._lock:
            return any(length < len(asked.body) for length in self._lengths)

    def newest_words(self, asked: Asked) -> str:
        """Return what the user said last in a request that was not placed yet, or raise
        `Unreadable`."""
        with self._lock:
            return self._histories.newest_words(asked.dialect, asked.body)

    def is_placed(self, asked: Asked) -> bool:
        """Tell whether a request was read and placed, and is kept as it was read."""
        return asked.episode in self._seen and asked.episode in self._requests

    def place(self, asked: Asked) -> Placed:
        """Read a request and place it."""
        if is_long(asked):
            return self._place_long(asked)
        with self._lock:
            if asked.episode not in self._seen:
                self._place_until(asked)
            if asked.episode not in self._requests:
                return Placed(self._read(asked), self._seen[asked.episode])
            return Placed(self._requests[asked.episode][0], self._seen[asked.episode])

    def _place_long(self, asked: Asked) -> Placed:
        """Read a request while others are placed; it is not kept."""
        request = _read_anew(asked)
        with self._lock:
            if asked.episode not in self._seen:
                self._long.pop(asked.episode, None)
                self._put(asked, request)
            return Placed(request, self._seen[asked.episode])

    def conversation(self, asked: Asked) -> str:
        """Return the conversation of a request; empty when it was not placed yet."""
        seen = self._seen.get(asked.episode)
        return "" if seen is None else seen.conversation

    def before(self, asked: Asked) -> list[str]:
        """Return the newest episodes of a request's conversation, but for its own."""
        with self._lock:
            known = self._episodes.get(self._seen[asked.episode].conversation, ())
            return [episode for episode in known if episode != asked.episode]

    def newest(self, conversation: str) -> str | None:
        """Return the newest episode of a conversation; a long one may be anybody's until it is
        placed."""
        with self._lock:
            if self._long:
                return next(reversed(self._long))
            if self._unplaced:
                self._place_until(next(reversed(self._unplaced.values())))
            episodes = self._episodes.get(conversation)
            return None if episodes is None else episodes[-1]

    # Notices

    @property
    def owes(self) -> bool:
        """Whether any notice waits, or may have to be said again."""
        return bool(self._owed or self._told)

    def owe_notice(self, conversation: str, owed: bool) -> None:
        """Let the next request of a conversation be told, or not."""
        with self._lock:
            if owed:
                put(self._owed, conversation, None, CONVERSATIONS_MAX)
            else:
                self._owed.pop(conversation, None)

    def has_notice(self, seen: Seen) -> bool:
        """Tell whether a request is to be told: it is the next one, or that one sent again."""
        with self._lock:
            if seen.change != "repeated":
                self._told.pop(seen.conversation, None)
            return seen.conversation in self._owed or seen.conversation in self._told

    def give_notice(self, conversation: str) -> None:
        """Note that a request was told."""
        with self._lock:
            self._owed.pop(conversation, None)
            put(self._told, conversation, None, CONVERSATIONS_MAX)

    # With the lock held

    def _place_until(self, asked: Asked) -> None:
        """Place a request, and before it those that came before it."""
        if asked.episode not in self._unplaced:
            self._place(asked)
            return
        while asked.episode in self._unplaced:
            self._place(self._unplaced.popitem(last=False)[1])

    def _read(self, asked: Asked) -> Request | None:
        try:
            return self._histories.read(asked.dialect, asked.body)
        except Unreadable:
            return None

    def _place(self, asked: Asked) -> None:
        request = self._read(asked)
        self._put(asked, request)
        self._keep(asked, request)

    def _keep(self, asked: Asked, request: Request | None) -> None:
        """Keep a request as it was read; the oldest make room."""
        self._requests[asked.episode] = (request, len(asked.body))
        self._requests_bytes += len(asked.body)
        while self._requests and (
            len(self._requests) > PROXY_REQUESTS_KEPT_MAX
            or self._requests_bytes > PROXY_REQUESTS_BYTES_MAX
        ):
            self._requests_bytes -= self._requests.popitem(last=False)[1][1]

    def _put(self, asked: Asked, request: Request | None) -> None:
        if request is None:
            self.unread += 1
            seen = Seen(asked.client or f"unread-{asked.episode}", "new", 0, 0)
        else:
            seen = self._conversations.see(request, asked.client)
        put(self._seen, asked.episode, seen, PROXY_PLACED_MAX)
        episodes = (*self._episodes.get(seen.conversation, ()), asked.episode)
        episodes = episodes[-PROXY_EPISODES_KEPT_MAX:]
        put(self._episodes, seen.conversation, episodes, CONVERSATIONS_MAX)


def is_long(asked: Asked) -> bool:
    """Tell whether the loop has no time to read a request."""
    return len(asked.body) > PROXY_READ_BYTES_MAX


def _read_anew(asked: Asked) -> Request | None:
    if len(asked.body) > PROXY_SETTLED_BYTES_MAX:
        return None
    try:
        return read_request(asked.dialect, asked.body)
    except Unreadable:
        return None


def is_fresh(request: Request, path: str) -> bool:
    """Tell whether code of a path may stand in what was said last: since the human turn before the
    newest, by anybody but a user who only speaks of it."""
    name = path.rpartition("/")[2]
    return any(
        name in part.text and (part.speaker != "user" or _FENCE in part.text)
        for turn in request.turns[_turn_before(request) :]
        for part in turn.parts
    )


def turns_behind(request: Request, kept: int) -> int:
    """Return how many turns stand behind the first so many that have a mark."""
    if kept <= 0:
        return len(request.turns)
    left = len(request.marks) - kept
    behind = 0
    for turn in reversed(request.turns):
        if turn.mark is not None:
            left -= 1
        if left < 0:
            break
        behind += 1
    return behind


def _turn_before(request: Request) -> int:
    """Return the place of the human turn before the newest; 0 when there is none."""
    newest = request.newest_turn() or 0
    for place in range(newest - 1, 0, -1):
        if any(part.speaker == "user" for part in request.turns[place].parts):
            return place
    return 0


def put(known: OrderedDict[str, _V], key: str, value: _V, most: int) -> None:
    """Remember something as the newest; the oldest goes when there are too many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)
