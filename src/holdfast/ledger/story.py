"""The story as callers move it: scenes begin and end, and what waits for somebody is settled.

What is pending is held to: it is settled by resolving it and by nothing else, and a chain of steps
only when all of them were taken in the session that resolves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.types.story import PENDING_CONSENT, PENDING_HANDOUT, PENDING_ROLL
from holdfast.ledger.ledger import Draft
from holdfast.ledger.now import items_now
from holdfast.stores import story as store
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

KINDS: Final = {"roll": PENDING_ROLL, "consent": PENDING_CONSENT, "handout": PENDING_HANDOUT}
"""Short words for the kinds that have a name of their own; any other word is a kind, too."""

NAMED_MAX: Final = 5
_NAME_CHARS: Final = 40


class Place(msgspec.Struct, frozen=True):
    """Where the story takes place."""

    campaign: str | None
    world: str | None
    scene: str | None
    title: str | None
    mode: str | None
    since: int | None
    """The entry that began the scene."""


class SceneBegun(msgspec.Struct, frozen=True):
    """A scene that is going on now."""

    receipt: Receipt
    over: str | None
    """The scene that was going on before, and is over with that."""


class Waiting(msgspec.Struct, frozen=True):
    """Something that waits for somebody."""

    pending: str
    kind: str
    prompt: str
    steps: list[str]
    missing: list[str]
    """Steps that still have to be taken in this session."""
    details: Any
    seq: int
    session: str | None


class Story:
    """Scenes and what is pending, of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def place(self) -> Place:
        """Return where the story takes place."""
        now: Any = store.place(self._items())
        names = ("campaign", "world", "scene", "title", "mode", "seq")
        return Place(*(now[name] for name in names))

    def start_scene(
        self,
        scene: str,
        *,
        title: str | None = None,
        mode: str | None = None,
        world: str | None = None,
        campaign: str | None = None,
    ) -> SceneBegun:
        """Begin a scene; another one that is going on is over with that."""
        before = self.place().scene
        if before == scene:
            raise InvalidInput(
                f"Scene {scene} is going on already.",
                meaning="Nothing was recorded.",
                remedy="`holdfast scene end` ends it.",
            )
        drafts = [Draft("scene_started", _given(scene=scene, title=title, mode=mode))]
        if world is not None or campaign is not None:
            drafts.insert(0, Draft("story_set", _given(campaign=campaign, world=world)))
        return SceneBegun(self._ledger.append_many(drafts)[-1], before)

    def end_scene(self, *, outcome: str | None = None) -> tuple[Receipt, str]:
        """End the scene that is going on."""
        scene = self.place().scene
        if scene is None:
            raise NotFound(
                "No scene is going on.",
                meaning="Nothing was recorded.",
                remedy="`holdfast scene start` begins one.",
            )
        return self._ledger.append("scene_ended", _given(scene=scene, outcome=outcome)), scene

    def pending(self) -> list[Waiting]:
        """Return what waits for somebody, the oldest first."""
        found = store.pending(self._items())
        return [self._waiting(name, item) for name, item in found.items()]

    def open(
        self,
        kind: str,
        prompt: str,
        *,
        pending: str | None = None,
        steps: tuple[str, ...] = (),
        details: Any = None,
    ) -> tuple[Receipt, str]:
        """Note that something waits for somebody. The same name cannot wait twice."""
        name = pending or f"{kind.strip().lower()[:_NAME_CHARS]}-{self._ledger.new_id()[-8:]}"
        if name in store.pending(self._items()):
            raise InvalidInput(
                f"{name} is pending already.",
                meaning="Nothing was recorded; it waits as it did.",
                remedy="`holdfast pending resolve` settles it, or use another --id.",
            )
        data = _given(
            pending=name,
            kind=KINDS.get(kind, kind),
            prompt=prompt,
            steps=list(dict.fromkeys(steps)) or None,
            details=details,
        )
        return self._ledger.append("pending_opened", data), name

    def take_step(self, key: str, step: str) -> tuple[Receipt | None, Waiting]:
        """Take a step of what is pending; None when it was taken in this session before."""
        waiting = self.find(key)
        if step not in waiting.steps:
            known = ", ".join(waiting.steps) or "it has none"
            raise NotFound(
                f"{waiting.pending} has no step {step[:80]!r}.",
                meaning="Nothing was recorded.",
                remedy=f"Its steps: {known}.",
            )
        if self._ledger.session_id is None:
            raise InvalidInput(
                "No session is open, and steps count only within one.",
                meaning="Nothing was recorded.",
                remedy="`holdfast session start` opens one.",
            )
        if step not in waiting.missing:
            return None, waiting
        receipt = self._ledger.append(
            "pending_step_taken", {"pending": waiting.pending, "step": step}
        )
        return receipt, self.find(waiting.pending)

    def resolve(self, key: str, outcome: str) -> tuple[Receipt, Waiting]:
        """Settle what is pending. Refused while a step was not taken in this session."""
        waiting = self.find(key)
        if waiting.missing:
            raise InvalidInput(
                f"{waiting.pending} still needs: {', '.join(waiting.missing)}.",
                meaning="Nothing was recorded; it is still pending.",
                remedy="`holdfast pending step` takes each of them, all in this session.",
            )
        data = {"pending": waiting.pending, "outcome": outcome}
        return self._ledger.append("pending_resolved", data), waiting

    def find(self, key: str) -> Waiting:
        """Return what is pending under a name, or under the beginning of one."""
        found = store.pending(self._items())
        names = [key] if key in found else [name for name in found if key and name.startswith(key)]
        if len(names) == 1:
            return self._waiting(names[0], found[names[0]])
        if not names:
            raise NotFound(
                f"Nothing is pending under {key[:80]!r}.",
                meaning="Nothing was recorded.",
                remedy="`holdfast pending list` shows what is.",
            )
        more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
        raise InvalidInput(
            f"{len(names)} names begin with {key!r}: {', '.join(names[:NAMED_MAX])}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the name.",
        )

    def _items(self) -> Items:
        return items_now(self._ledger.reader, self._views, "story")

    def _waiting(self, name: str, item: dict[str, Any]) -> Waiting:
        details = item["details"]
        return Waiting(
            name,
            item["kind"],
            item["prompt"],
            item["steps"],
            store.missing_steps(item, self._ledger.session_id),
            None if details is None else msgspec.json.decode(details),
            item["seq"],
            item["session"],
        )


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
