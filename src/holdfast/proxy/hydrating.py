"""What is put before a model: the named entities as they are, in full, and nothing else.

The same State Map, names and budget give the same text. What is not shown is named in a last line.
Never the ledger: only texts of the State Map's own entities get here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from holdfast.kernel import tokens
from holdfast.kernel.limits import (
    PROXY_LOOKED_MAX,
    PROXY_NAME_CHARS_MAX,
    PROXY_NAMED_MAX,
    PROXY_SIZES_KEPT_MAX,
    PROXY_TOKEN_CHARS_MAX,
)
from holdfast.proxy.names import SEPARATOR
from holdfast.proxy.values import Entity
from holdfast.wire.requests import Request

TEMPLATE: Final = """\
[CURRENT STATE: AUTHORITATIVE]
Entity: {entity}
Artifact: {artifact}
Source: Confirmed via AST

{text}
[END CURRENT STATE]"""

END_MARKER: Final = "[END CURRENT STATE]"

NOTICE: Final = """\
[STATE NOTICE]
The previous output could not be structurally linked to a known entity.
It has NOT modified the State Map.
[END NOTICE]"""

JOINT: Final = "\n\n"
_JOINT_TOKENS: Final = 3
_FRAME_TOKENS: Final = 75
"""What a block takes at least besides its text."""

Why: TypeAlias = Literal[
    "being settled just now",
    "for want of room",
    "holding a secret",
    "holding the end marker",
    "no longer as on disk",
    "of which no text is kept",
]


class Known(Protocol):
    """The State Map, as far as it is shown."""

    def entity(self, name: str) -> Entity | None:
        """Return what is known of an entity."""

    def text(self, digest: str) -> str | None:
        """Return a text of the vault; None where it is not kept."""


class Hydration(msgspec.Struct, frozen=True):
    """What is put behind a request."""

    text: str = ""
    entities: tuple[str, ...] = ()
    """What the text shows, be it as part of another."""
    left_out: tuple[tuple[str, Why], ...] = ()
    """What it does not show, though it was named."""
    behind: int = 0
    """Named entities behind these, which were not looked at because there were too many."""


class Held:
    """The texts that a client's own messages hold."""

    def __init__(self, request: Request) -> None:
        parts = [part for turn in request.turns for part in turn.parts]
        self._texts = [part.text for part in parts if part.tool is None]
        self._calls = [part.text for part in parts if part.tool is not None]

    def __call__(self, text: str) -> bool:
        """Tell whether the messages hold a text, as it is or spelled in a tool's arguments."""
        if any(text in held for held in self._texts):
            return True
        if not self._calls:
            return False
        spelled = msgspec.json.encode(text)[1:-1].decode()
        return any(spelled in held or text in held for held in self._calls)


class Hydrator:
    """Turns named entities into the text that shows them."""

    def __init__(self, known: Known, tokens_max: int) -> None:
        self._known = known
        self._tokens_max = tokens_max
        self._sizes: OrderedDict[tuple[str, str], int] = OrderedDict()

    def hydrate(
        self,
        named: Sequence[str],
        held: Callable[[str], bool],
        unsettled: Callable[[str], bool] | None = None,
    ) -> Hydration:
        """Show entities, given in the order of their names.

        What the client's messages hold already, and what is part of another that is shown, is not
        shown again. `unsettled` tells whether newer code of a path is still being looked at.
        """
        desk = _Desk(self._tokens_max)
        for place, name in enumerate(named):
            if len(desk.left_out) + desk.held >= PROXY_LOOKED_MAX:
                desk.behind = len(named) - place
                break
            entity = self._authoritative(name)
            if entity is None:
                continue
            why = _why_not(entity, "")
            if why is None and desk.has_no_place(entity):
                why = "for want of room"
            if why is not None:
                desk.left_out[entity.name] = why
                continue
            text = "" if entity.artifact is None else self._known.text(entity.artifact)
            why = _why_not(entity, text)
            if why is not None or text is None:
                desk.left_out[entity.name] = why or "of which no text is kept"
            elif desk.shows_within(entity.name, text):
                desk.within[entity.name] = text
            elif held(text):
                desk.held += 1
            elif unsettled is not None and unsettled(entity.path):
                desk.left_out[entity.name] = "being settled just now"
            else:
                desk.show(entity, text, self._size(entity, text, desk.room))
        return desk.cleared()

    def _authoritative(self, name: str) -> Entity | None:
        entity = self._known.entity(name)
        return entity if entity is not None and entity.state == "AUTHORITATIVE" else None

    def _size(self, entity: Entity, text: str, room: int) -> int:
        """Return the tokens of a block, which are counted once; of one that is far too long, any
        number that is too many."""
        if len(text) > room * PROXY_TOKEN_CHARS_MAX:
            return room + 1
        key = (entity.name, entity.artifact or "")
        size = self._sizes.get(key)
        if size is None:
            size = tokens.estimate(spelled(entity, text)) + _JOINT_TOKENS
            self._sizes[key] = size
            if len(self._sizes) > PROXY_SIZES_KEPT_MAX:
                self._sizes.popitem(last=False)
        return size


class _Desk:
    """What is laid out so far."""

    def __init__(self, tokens_max: int) -> None:
        self._tokens_max = tokens_max
        self.room = tokens_max
        self._shown: dict[str, tuple[str, str, int]] = {}
        """By entity: its text, its block, and the tokens of that."""
        self.held = 0
        """How many the client's messages hold."""
        self.behind = 0
        self.within: dict[str, str] = {}
        self.left_out: dict[str, Why] = {}

    def has_no_place(self, entity: Entity) -> bool:
        """Tell by its size alone that an entity cannot be shown, so that its text is not needed."""
        if entity.tokens + _FRAME_TOKENS <= self.room:
            return False
        return not any(whole in self._shown for whole in _around(entity.name))

    def show(self, entity: Entity, text: str, size: int) -> None:
        if size > self.room:
            self.left_out[entity.name] = "for want of room"
            return
        self.room -= size
        self._shown[entity.name] = (text, spelled(entity, text), size)

    def shows_within(self, name: str, text: str) -> bool:
        """Tell whether something that is shown holds an entity, as a class holds its methods.

        Some languages write methods apart from their type, so the text decides.
        """
        return any(text in self._shown[whole][0] for whole in _around(name) if whole in self._shown)

    def cleared(self) -> Hydration:
        """Say it. The last blocks make room for the line about what is left out, if they must."""
        while (spent := self._spent()) > self._tokens_max and self._shown:
            self._take_back()
        parts = [block for _, block, _ in self._shown.values()]
        if (self.left_out or self.behind) and spent <= self._tokens_max:
            parts.append(last_line(self.left_out, self.behind))
        shown = tuple(sorted([*self._shown, *self.within]))
        left_out = tuple(sorted(self.left_out.items()))
        return Hydration(JOINT.join(parts), shown, left_out, self.behind)

    def _spent(self) -> int:
        told = last_line(self.left_out, self.behind) if self.left_out or self.behind else ""
        line = tokens.estimate(told) if told else 0
        return line + sum(size for _, _, size in self._shown.values())

    def _take_back(self) -> None:
        name, _ = self._shown.popitem()
        self.left_out[name] = "for want of room"
        for inner in [inner for inner, text in self.within.items() if name in _around(inner)]:
            if not self.shows_within(inner, self.within[inner]):
                del self.within[inner]
                self.left_out[inner] = "for want of room"


def spelled(entity: Entity, text: str) -> str:
    """Return the block that shows an entity."""
    return TEMPLATE.format(entity=entity.name, artifact=entity.artifact, text=text)


def last_line(left_out: Mapping[str, Why], behind: int = 0) -> str:
    """Name what is left out, by why; of many, say how many more there are."""
    room = PROXY_NAMED_MAX
    groups = []
    for why, members in groupby(
        sorted(left_out, key=lambda name: (left_out[name], name)), key=lambda name: left_out[name]
    ):
        names = list(members)
        told = [name for name in names if _can_be_named(name)][:room]
        room -= len(told)
        more = [f"{len(names) - len(told)} more"] if len(told) < len(names) else []
        groups.append(f"{len(names)} {why} ({', '.join([*told, *more])})")
    groups += [f"{behind} more not looked at"] if behind else []
    return f"[NOT SHOWN: {'; '.join(groups)}]"


def _why_not(entity: Entity, text: str | None) -> Why | None:
    if entity.withheld:
        return "holding a secret"
    if entity.stale:
        return "no longer as on disk"
    if END_MARKER in (text or "") or not _can_be_said(entity.name):
        return "holding the end marker"
    return None


def _can_be_said(name: str) -> bool:
    """Tell whether a name stays what it is in a line of its own."""
    return name.isprintable() and END_MARKER not in name


def _can_be_named(name: str) -> bool:
    return _can_be_said(name) and len(name) <= PROXY_NAME_CHARS_MAX


def _around(name: str) -> list[str]:
    """Return the entities that may hold one: `a.py::C.D` and `a.py::C` for `a.py::C.D.m`."""
    path, _, symbol = name.partition(SEPARATOR)
    parts = symbol.split(".")
    return [f"{path}{SEPARATOR}{'.'.join(parts[:end])}" for end in range(len(parts) - 1, 0, -1)]
