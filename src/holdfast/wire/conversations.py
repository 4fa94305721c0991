"""Which conversation a request belongs to, and what became of its history since.

A client sends the whole history with each request. Normally it grows at its end. When it shrank or
changed, the desk was wiped: cleared, compacted or rewound; that can be told without any help of the
client's.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from holdfast.kernel.limits import CONVERSATION_TURNS_MAX, CONVERSATIONS_MAX
from holdfast.wire.requests import Request
from holdfast.wire.speakers import is_summary

Change: TypeAlias = Literal["new", "grown", "repeated", "rewound", "compacted", "cleared"]

_PASSING: Final = re.compile(r"^x-anthropic-billing-header:.*$", re.MULTILINE)
"""Claude Code tells about the request in a line of the system's text."""

_K = TypeVar("_K", bytes, str)


class Seen(msgspec.Struct, frozen=True):
    """A request, placed in its conversation."""

    conversation: str
    change: Change
    kept: int
    """Turns of the history before that are still there, from the first on; of a cleared one, those
    of the history that took its place which were seen before."""
    lost: int
    """Turns of the history before that are not."""


class _Known(msgspec.Struct, frozen=True):
    """What is remembered of a conversation."""

    history: tuple[bytes, ...]
    name: str | None
    """What its client calls it; requests beside it may be called the same."""
    system: bytes
    """A hash of what stands before its turns."""
    instead: tuple[str, int] | None = None
    """The conversation that this one may have taken the place of, and how many turns that had; as
    long as neither was seen again."""


class Conversations:
    """Remembers the newest conversations by their histories; no texts, only hashes."""

    def __init__(
        self,
        *,
        conversations_max: int = CONVERSATIONS_MAX,
        turns_max: int = CONVERSATION_TURNS_MAX,
    ) -> None:
        self._max = conversations_max
        self._turns_max = turns_max
        self._turns = 0
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._by_first: dict[bytes, dict[str, None]] = {}
        """The conversations that begin with a turn."""
        self._by_name: dict[str, dict[str, None]] = {}
        """The conversations that are called the same, the one seen last at the end."""
        self._made = 0

    def see(self, request: Request, client: str | None = None) -> Seen:
        """Place a request. `client` is what its headers call the conversation, if they do."""
        now = request.marks
        name = client or request.conversation
        known = _Known(now, name, b"" if name is None else _system(request))
        key = self._by_history(now) if name is None else self._named(name, known)
        if key is None:
            self._made += 1
            key = f"conversation-{self._made}-{now[0].hex() if now else 'empty'}"
        before = self._known.get(key)
        seen = Seen(key, "new", 0, 0) if before is None else compare(key, before.history, now)
        if before is not None and seen.lost and _is_summed_up(request, before.history):
            seen = Seen(key, "compacted", seen.kept, seen.lost)
        if seen.change == "cleared":
            seen, known = self._beside(seen, known)
        elif before is not None and before.instead is not None:
            seen, known = _instead(seen, before.instead, known)
        self._remember(seen.conversation, self._known.get(seen.conversation), known)
        while len(self._known) > self._max or (
            self._turns > self._turns_max and len(self._known) > 1
        ):
            self._forget(*self._known.popitem(last=False))
        return seen

    def _beside(self, seen: Seen, now: _Known) -> tuple[Seen, _Known]:
        """Keep a history that begins anew under an old name apart: whether the old one was cleared
        or is only asked beside of shows in which of them goes on."""
        key = f"{now.name}/{b''.join(now.history[:1]).hex()}"
        before = self._known.get(key)
        if before is None:
            return Seen(key, "new", 0, 0), msgspec.structs.replace(
                now, instead=(seen.conversation, seen.lost)
            )
        return compare(key, before.history, now.history), now

    def _remember(self, key: str, before: _Known | None, known: _Known) -> None:
        if before is not None:
            self._forget(key, before)
        self._known[key] = known
        self._known.move_to_end(key)
        self._turns += len(known.history)
        for first in known.history[:1]:
            self._by_first.setdefault(first, {})[key] = None
        if known.name is not None:
            self._by_name.setdefault(known.name, {})[key] = None
            for other in self._by_name[known.name]:
                if (self._known[other].instead or ("",))[0] == key:  # it goes on
                    self._known[other] = msgspec.structs.replace(self._known[other], instead=None)

    def _forget(self, key: str, known: _Known) -> None:
        self._turns -= len(known.history)
        for first in known.history[:1]:
            _drop(self._by_first, first, key)
        if known.name is not None:
            _drop(self._by_name, known.name, key)

    def _by_history(self, now: tuple[bytes, ...]) -> str | None:
        """Find the conversation whose history this one goes on from, or goes back in."""
        best: tuple[int, str] | None = None
        for key in self._by_first.get(now[0], ()) if now else ():
            before = self._known[key].history
            kept = common(before, now)
            # the first turn alone may be the same in many: "hello" is no conversation
            if kept == len(before) or kept >= 2:
                best = max(best or (0, ""), (kept, key))
        return None if best is None else best[1]

    def _named(self, name: str, now: _Known) -> str:
        """Find which of the conversations of one name a request belongs to.

        Clients ask for titles and summaries beside a conversation, and let others work for it, all
        under its name. What begins otherwise and is told otherwise how to behave is one of these,
        and the conversation itself is still what it was.
        """
        keys = list(reversed(self._by_name.get(name, {})))
        if not keys:
            return name
        kept = {key: common(self._known[key].history, now.history) for key in keys}
        grown = [key for key in keys if 0 < kept[key] == len(self._known[key].history)]
        alike = [key for key in keys if self._known[key].system == now.system]
        gone_back = [key for key in keys if kept[key] >= 2]
        rests = set(now.history)
        compacted = [key for key in keys if not rests.isdisjoint(self._known[key].history[1:])]
        for found in (grown, alike, gone_back, compacted):
            if found:
                return max(found, key=lambda key: kept[key])
        return f"{name}/{b''.join(now.history[:1]).hex()}"


def _instead(seen: Seen, instead: tuple[str, int], now: _Known) -> tuple[Seen, _Known]:
    """Say of a history that goes on, and the one before it does not, that this was cleared."""
    if seen.change == "grown":
        return Seen(seen.conversation, "cleared", seen.kept, instead[1]), now
    return seen, msgspec.structs.replace(now, instead=instead)


def _drop(known: dict[_K, dict[str, None]], name: _K, key: str) -> None:
    del known[name][key]
    if not known[name]:
        del known[name]


def _is_summed_up(request: Request, before: Sequence[bytes]) -> bool:
    """Tell whether a summary stands in a history that did not stand there before."""
    return any(
        turn.mark not in before
        for turn in request.turns
        if any(part.speaker == "model" and is_summary(part.text) for part in turn.parts)
    )


def _system(request: Request) -> bytes:
    """Return a hash of how the model is told to behave, but for what is about one request."""
    words = request.system or "".join(
        part.text for turn in request.turns[:1] for part in turn.parts if part.speaker == "system"
    )
    return sha256(_PASSING.sub("", words).encode("utf-8", "surrogatepass")).digest()[:8]


def common(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """Return how many turns two histories share from the first on."""
    if now[: len(before)] == before:
        return len(before)
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
