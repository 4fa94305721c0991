"""Which conversation a request belongs to, and what became of its history since.

A client sends the whole history with each request. Normally it grows at its end. When it shrank or
changed, the desk was wiped: cleared, compacted or rewound; that can be told without any help of the
client's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.limits import CONVERSATIONS_MAX
from holdfast.wire.requests import Request, Turn

Change: TypeAlias = Literal["new", "grown", "repeated", "rewound", "compacted", "cleared"]

_SPEAKERS: Final = frozenset({"user", "model", "tool"})


class Seen(msgspec.Struct, frozen=True):
    """A request, placed in its conversation."""

    conversation: str
    change: Change
    kept: int
    """Turns of the history before that are still there, from the first on."""
    lost: int
    """Turns of the history before that are not."""


class Conversations:
    """Remembers the newest conversations by their histories; no texts, only hashes."""

    def __init__(self, *, conversations_max: int = CONVERSATIONS_MAX) -> None:
        self._max = conversations_max
        self._histories: OrderedDict[str, tuple[bytes, ...]] = OrderedDict()
        self._made = 0

    def see(self, request: Request, client: str | None = None) -> Seen:
        """Place a request. `client` is what its headers call the conversation, if they do."""
        now = marks(request.turns)
        name = client or request.conversation
        key = self._by_history(now) if name is None else name
        if key is None:
            self._made += 1
            key = f"conversation-{self._made}-{now[0].hex() if now else 'empty'}"
        before = self._histories.get(key)
        seen = Seen(key, "new", 0, 0) if before is None else compare(key, before, now)
        self._histories[key] = now
        self._histories.move_to_end(key)
        while len(self._histories) > self._max:
            self._histories.popitem(last=False)
        return seen

    def _by_history(self, now: tuple[bytes, ...]) -> str | None:
        """Find the conversation whose history this one goes on from, or goes back in."""
        best: tuple[int, str] | None = None
        for key, before in self._histories.items():
            kept = common(before, now)
            # the first turn alone may be the same in many: "hello" is no conversation
            if kept == len(before) or kept >= 2:
                best = max(best or (0, ""), (kept, key))
        return best[1] if best is not None and best[0] > 0 else None


def marks(turns: Sequence[Turn]) -> tuple[bytes, ...]:
    """Return a short hash of what each turn says.

    Clients change their own additions, the system's words and marks about caching from request to
    request, so these are left out; a turn of only these has no mark.
    """
    return tuple(mark for turn in turns if (mark := _mark(turn)) is not None)


def _mark(turn: Turn) -> bytes | None:
    said = [
        (part.speaker, part.tool or "", part.text)
        for part in turn.parts
        if part.speaker in _SPEAKERS
    ]
    if said:
        return sha256(msgspec.json.encode(said)).digest()[:8]
    return None if turn.parts else sha256(turn.raw).digest()[:8]


def common(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """Return how many turns two histories share from the first on."""
    for place, (one, other) in enumerate(zip(before, now, strict=False)):
        if one != other:
            return place
    return min(len(before), len(now))


def compare(key: str, before: Sequence[bytes], now: Sequence[bytes]) -> Seen:
    """Say what became of a history."""
    kept = common(before, now)
    lost = len(before) - kept
    if lost == 0:
        return Seen(key, "repeated" if len(now) == kept else "grown", kept, 0)
    if kept == 0:
        # an end of it that is still there was kept by a compaction; nothing at all by a clear
        tail = set(before) & set(now)
        return Seen(key, "compacted" if tail or len(now) > 1 else "cleared", 0, lost)
    # the newest turn may be sent again with other words: that is going back by one
    return Seen(key, "rewound" if len(now) <= len(before) else "compacted", kept, lost)
