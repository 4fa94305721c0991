"""What is remembered of conversations while the proxy runs: hashes, and names of calls.

It is needed to tell what is new in a request, and what the model has before it. Every part has a
bound; what is forgotten makes the proxy more careful, never less.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TypeAlias, TypeVar

import msgspec

from holdfast.code.edits import Edit
from holdfast.kernel.limits import (
    CONVERSATIONS_MAX,
    PROXY_CALLS_MAX,
    PROXY_DOUBTS_MAX,
    PROXY_REMEMBERED_MAX,
    PROXY_SEEN_MAX,
    PROXY_STEP_BYTES_MAX,
    PROXY_STEPPED_MAX,
    PROXY_STEPS_MAX,
)
from holdfast.proxy.values import Ruling

_Kept = TypeVar("_Kept")


class Made(msgspec.Struct, frozen=True):
    """What a call of the model's brought about, as far as the State Map goes."""

    rulings: tuple[Ruling, ...] = ()
    """As far as they are needed to take them back."""
    doubted: tuple[tuple[str, str], ...] = ()
    """Files that are in doubt because of it, and the sightings that made them so."""


class Step(msgspec.Struct, frozen=True):
    """How the whole text of a file became another one."""

    version: str
    """The sighting that it is about."""
    before: str | None
    after: str | None
    """SHA-256 of the text before and behind it; None for no text."""
    edit: Edit | None = None
    """The change, where it can be made again on another text."""
    whole: bool = False
    """The text was given as a whole, whatever stood there before."""


class Memory(msgspec.Struct):
    """One conversation."""

    root: str | None = None
    """The folder that it works in."""
    turns: int = 0
    """Turns of its history that were looked at."""
    words: str = ""
    """SHA-256 of what the user said last."""
    hydrated: dict[str, tuple[str, ...]] = {}
    """Entities that were put before the model in the previous request that was answered; with each
    the episodes since it stands there whose answers came as a whole."""
    saw: OrderedDict[str, None] = msgspec.field(default_factory=OrderedDict)
    """SHA-256 of texts that the model has before it."""
    pending: OrderedDict[str, Made] = msgspec.field(default_factory=OrderedDict)
    """Calls whose results did not come yet."""
    answered: OrderedDict[str, None] = msgspec.field(default_factory=OrderedDict)
    """Calls whose results came."""

    def copy(self) -> Memory:
        """Return one that can be changed without changing this one."""
        return Memory(
            self.root,
            self.turns,
            self.words,
            self.hydrated.copy(),
            self.saw.copy(),
            self.pending.copy(),
            self.answered.copy(),
        )

    def see(self, digest: str) -> None:
        """Note that the model has a text before it."""
        _put(self.saw, digest, None, PROXY_SEEN_MAX)

    def hydrate(self, entities: tuple[str, ...], episode: str, *, whole: bool) -> None:
        """Note what was put before the model in an episode; whole: all of its answer came."""
        said = (episode,) if whole else ()
        self.hydrated = {
            name: (*self.hydrated.get(name, ()), *said)[-PROXY_STEPS_MAX:] for name in entities
        }

    def await_result(self, call: str, made: Made) -> None:
        """Note what a call brought about, until its result comes; its name may be an old one."""
        self.answered.pop(call, None)
        _put(self.pending, call, made, PROXY_CALLS_MAX)

    def take_result(self, call: str) -> Made:
        """Note that a result came; return what its call brought about."""
        _put(self.answered, call, None, PROXY_CALLS_MAX)
        return self.pending.pop(call, Made())

    def weight(self) -> int:
        """Return how many hashes and names it holds."""
        return len(self.saw) + len(self.pending) + len(self.answered)

    def forget(self) -> None:
        """Note that the history is another one: what stood in it is before the model no longer.
        Calls whose results may still come are waited for all the same."""
        self.turns = 0
        self.saw.clear()


Doubts: TypeAlias = dict[str, frozenset[str]]
"""By sighting: the definitions of a file that may be other ones on the disk; none for all."""


class Changes(msgspec.Struct):
    """What would be remembered otherwise, if it is accepted."""

    memories: dict[str, Memory] = {}
    doubts: dict[str, Doubts] = {}
    """By file; empty where nothing is in doubt any longer."""
    steps: dict[str, tuple[Step, ...]] = {}


class Memories:
    """All conversations, the files that are in doubt, and how files became what they are."""

    def __init__(self) -> None:
        self._memories: OrderedDict[str, Memory] = OrderedDict()
        self._weight = 0
        self._doubts: OrderedDict[str, Doubts] = OrderedDict()
        self._steps: OrderedDict[str, tuple[Step, ...]] = OrderedDict()

    def begin(self) -> Remembering:
        """Begin to remember otherwise."""
        return Remembering(self._memories, self._doubts, self._steps)

    def accept(self, changes: Changes) -> None:
        """Remember otherwise from now on."""
        for conversation, memory in changes.memories.items():
            self._remember(conversation, memory)
        for path, doubts in changes.doubts.items():
            if doubts:
                _put(self._doubts, path, doubts, PROXY_DOUBTS_MAX)
            else:
                self._doubts.pop(path, None)
        for path, steps in changes.steps.items():
            _put(self._steps, path, steps, PROXY_STEPPED_MAX)

    def _remember(self, conversation: str, memory: Memory) -> None:
        """Remember a conversation as the newest; the oldest make room for what it holds."""
        before = self._memories.pop(conversation, None)
        self._weight += memory.weight() - (0 if before is None else before.weight())
        self._memories[conversation] = memory
        while len(self._memories) > CONVERSATIONS_MAX or (
            self._weight > PROXY_REMEMBERED_MAX and len(self._memories) > 1
        ):
            self._weight -= self._memories.popitem(last=False)[1].weight()


class Remembering(Mapping[str, frozenset[str]]):
    """Memories that may be changed without being remembered yet.

    Maps the paths in doubt to the definitions there that may be other ones; to none, for all.
    """

    def __init__(
        self,
        memories: Mapping[str, Memory],
        doubts: Mapping[str, Doubts],
        steps: Mapping[str, tuple[Step, ...]],
    ) -> None:
        self._memories = memories
        self._doubts = doubts
        self._steps = steps
        self.changes = Changes()

    def of(self, conversation: str) -> Memory:
        """Return what is remembered of a conversation."""
        changed = self.changes.memories
        if conversation not in changed:
            known = self._memories.get(conversation)
            changed[conversation] = Memory() if known is None else known.copy()
        return changed[conversation]

    def doubt(self, path: str, version: str, symbols: frozenset[str] = frozenset()) -> None:
        """Note that definitions of a file, or all of it, may be other ones on the disk."""
        kept = list(self._of(path).items())[1 - PROXY_STEPS_MAX :]
        dropped = len(kept) < len(self._of(path))
        # what is forgotten makes the rest of the file doubtful, too
        self.changes.doubts[path] = dict(kept) | {version: frozenset() if dropped else symbols}

    def trust(self, path: str, version: str | None = None) -> None:
        """Note that a file is in doubt no longer; with a sighting, not because of that one."""
        doubts = self._of(path)
        if version is None and doubts:
            self.changes.doubts[path] = {}
        elif version in doubts:
            self.changes.doubts[path] = {k: v for k, v in doubts.items() if k != version}

    def trust_symbols(self, path: str, symbols: frozenset[str]) -> None:
        """Note that some definitions of a file are in doubt no longer."""
        doubts = self._of(path)
        if doubts and symbols:
            left = {version: names - symbols for version, names in doubts.items()}
            self.changes.doubts[path] = {v: n for v, n in left.items() if n or not doubts[v]}

    def steps(self, path: str) -> tuple[Step, ...]:
        """Return how a file became what it is, as far as that is remembered."""
        return self.changes.steps.get(path, self._steps.get(path, ()))

    def step(self, path: str, step: Step) -> None:
        """Note how a file became another one."""
        if step.edit is not None and _size(step.edit) > PROXY_STEP_BYTES_MAX:
            step = msgspec.structs.replace(step, edit=None)
        self.changes.steps[path] = (*self.steps(path), step)[-PROXY_STEPS_MAX:]

    def retrace(self, path: str, steps: tuple[Step, ...]) -> None:
        """Note that a file became what it is in another way."""
        self.changes.steps[path] = steps[-PROXY_STEPS_MAX:]

    def _of(self, path: str) -> Doubts:
        return self.changes.doubts.get(path, self._doubts.get(path, {}))

    def __getitem__(self, path: str) -> frozenset[str]:
        doubts = self._of(path)
        if not doubts:
            raise KeyError(path)
        sets = doubts.values()
        return frozenset().union(*sets) if all(sets) else frozenset()

    def __iter__(self) -> Iterator[str]:
        return (path for path in {**self._doubts, **self.changes.doubts} if self._of(path))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _size(edit: Edit) -> int:
    return len(repr(edit))


def _put(kept: OrderedDict[str, _Kept], key: str, value: _Kept, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
