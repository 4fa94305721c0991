"""Taking back changes that the client did not carry out, from under those that it did.

Each change of a file was applied to what the one before it left. Without some of them, the file is
what the others make of the text that stood there before the first of those; where they cannot be
made on it, nobody knows what the file is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count, pairwise
from typing import Final, TypeAlias

import msgspec

from holdfast.code.edits import Applied, Edit, Refused, Whole, apply
from holdfast.code.values import Reading
from holdfast.proxy.memory import Made, Remembering, Step
from holdfast.proxy.shaping import digest_of, put_in
from holdfast.proxy.splicing import current, text_of
from holdfast.proxy.values import Judge, Map, Replaced, Ruling

Read: TypeAlias = Callable[[str, str], Reading | None]
"""Returns what a text defines, by the path of its file."""
Add: TypeAlias = Callable[[Ruling], None]
"""Puts what follows on top of what is known."""

_UNKNOWN: Final = "a change under it was not carried out, and what is left of it cannot be told"
_STRANGE: Final = (
    "the client did not carry out a call that changed it, and what it was is not known"
)
_ABANDONED: Final = "the conversation went on without the result of the call that changed it"


class Retracer:
    """Takes back what calls brought about, as a sighting of its own."""

    def __init__(self, judge: Judge, known: Map, remembering: Remembering, read: Read) -> None:
        self._judge = judge
        self._known = known
        self._remembering = remembering
        self._read = read

    def take_back(self, failed: Sequence[Made], episode: str, add: Add) -> None:
        """Take back what failed calls brought about; the newest call comes first."""
        rulings = [done for made in failed for done in reversed(made.rulings)]
        versions = {done.version for done in rulings if done.version is not None}
        numbers = count(1)
        for path in _paths(rulings):
            some = [one for done in rulings if (one := _within(done, path)) is not None]
            ways = _Way(self._known, path, self._remembering.steps(path), versions)
            if not ways.is_remembered and self._went_on(path, some):
                ways.is_tangled = True
            for ruling in self._without(path, some, ways, (episode, numbers)):
                add(ruling)
            if ways.left is not None:
                self._remembering.retrace(path, ways.left)
        for made in failed:
            for path, version in made.doubted:
                self._remembering.trust(path, version)

    def _went_on(self, path: str, rulings: Sequence[Ruling]) -> bool:
        """Tell whether a file is no longer what the newest of some rulings made of it."""
        for done in rulings:
            for draft in done.drafts:
                if draft.type == "file_settled":
                    return bool(draft.data["digest"] != self._known.file(path))
        return False

    def abandon(self, made: Iterable[Made], episode: str, add: Add) -> bool:
        """Doubt what calls brought about that nobody tells the results of."""
        found = False
        for number, done in enumerate([done for one in made for done in one.rulings], 1):
            for path in _paths([done]):
                names = [
                    one.symbol
                    for one in done.replaced
                    if one.path == path and _is_of(self._known, one, done.version)
                ]
                last = self._remembering.steps(path)[-1:]
                settled = any(step.version == done.version for step in last)
                if names or settled:
                    version = f"{episode}/abandoned-{number}"
                    add(self._doubt(path, names, _ABANDONED, (version, episode)))
                    found = True
        return found

    def doubt_made(self, edits: Iterable[tuple[str | None, Edit]], episode: str, add: Add) -> bool:
        """Doubt what failed changes brought about, if they seem to have been taken for made; what
        stood there before is not known."""
        found = False
        for number, (path, edit) in enumerate(edits, 1):
            text = None if path is None else _text(self._known, path)
            if path is None or text is None or not _seems_made(edit, text):
                continue
            names = [
                name
                for name in self._known.symbols(path)
                if isinstance(edit, Whole) or self._is_in(path, name, put_in(edit))
            ]
            version = f"{episode}/strange-{number}"
            add(self._doubt(path, names, _STRANGE, (version, episode)))
            found = True
        return found

    def _is_in(self, path: str, symbol: str, text: str) -> bool:
        mine = text_of(self._known, current(self._known, path, symbol))
        return mine is None or text.strip() in mine or mine in text

    def _without(
        self,
        path: str,
        rulings: Sequence[Ruling],
        ways: _Way,
        named: tuple[str, Iterator[int]],
    ) -> Iterator[Ruling]:
        episode, numbers = named
        rulings = [done for done in rulings if done.version not in ways.past]
        if not rulings:
            return
        text = ways.remade()
        reading = None if text is None else self._read(text, path)
        version = f"{episode}/undo-{path_mark(path)}-{next(numbers)}"
        if ways.is_tangled and text is not None and reading is not None and not reading.errors:
            made = (text, reading)
            yield self._judge.rebuild(self._known, path, made, version=version, episode=episode)
            return
        for done in rulings:
            version = f"{episode}/undo-{path_mark(path)}-{next(numbers)}"
            yield self._judge.undo(self._known, done, version=version, episode=episode)
        if ways.is_tangled:
            ways.left = ()
            names = [one.symbol for done in rulings for one in done.replaced]
            moved_on = [name for name in names if not self._is_back(path, name, f"{episode}/undo-")]
            yield self._doubt(path, moved_on, _UNKNOWN, (version, episode))

    def _is_back(self, path: str, symbol: str, prefix: str) -> bool:
        now = self._known.entity(f"{path}::{symbol}")
        return now is None or now.version is None or now.version.startswith(prefix)

    def _doubt(self, path: str, names: Iterable[str], reason: str, at: tuple[str, str]) -> Ruling:
        version, episode = at
        return self._judge.doubt(self._known, path, names, reason, version=version, episode=episode)


class _Way:
    """How a file became what it is, and what it would be without some of the changes."""

    def __init__(
        self, known: Map, path: str, steps: tuple[Step, ...], without: Collection[str]
    ) -> None:
        self._known = known
        self.left: tuple[Step, ...] | None = None
        """The steps that are left once those are taken back."""
        given = [
            i + 1 for i, step in enumerate(steps) if step.whole and step.version not in without
        ]
        start = given[-1] if given else 0
        self.past = frozenset(step.version for step in steps[:start])
        """Sightings of before somebody gave all of the file, whatever stood there."""
        places = [i for i in range(start, len(steps)) if steps[i].version in without]
        first = places[0] if places else len(steps)
        self._kept, behind = steps[:first], steps[first:]
        self.is_remembered = bool(behind) or not self.past.isdisjoint(without)
        self._first = behind[0] if behind else None
        self._others = tuple(step for step in behind if step.version not in without)
        self._is_told = (
            bool(behind)
            and behind[-1].after == known.file(path)
            and all(one.after == other.before for one, other in pairwise(behind))
        )
        self.is_tangled = bool(self._others) or (bool(behind) and not self._is_told)
        if not self.is_tangled and behind:
            self.left = self._kept

    def remade(self) -> str | None:
        """Return the text that the other changes make of what stood there; None if they do not."""
        if not self.is_tangled or not self._is_told or self._first is None:
            return None
        before = self._first.before
        text = None if before is None else self._known.text(before)
        left = list(self._kept)
        for step in self._others:
            if text is None or step.edit is None:
                return None
            done = apply(step.edit, text)
            if not isinstance(done, Applied) or done.text is None:
                return None
            digests = digest_of(text), digest_of(done.text)
            left.append(msgspec.structs.replace(step, before=digests[0], after=digests[1]))
            text = done.text
        self.left = tuple(left)
        return text


def note_steps(
    remembering: Remembering, known: Map, ruling: Ruling, how: Step | None = None
) -> None:
    """Note how files became what they are by a ruling that is applied; `how` tells the change."""
    settled = dict(ruling.settled)
    for path in _paths([ruling]):
        after = known.file(path)
        step = msgspec.structs.replace(
            how or Step("", None, None), before=settled.get(path, after), after=after
        )
        if not step.version:
            step = msgspec.structs.replace(step, version=ruling.version or "")
        remembering.step(path, step)


def _text(known: Map, path: str) -> str | None:
    digest = known.file(path)
    return None if digest is None else known.text(digest)


def _seems_made(edit: Edit, text: str) -> bool:
    """Tell whether a text looks as if a change was made in it already."""
    if isinstance(edit, Whole):
        return edit.content == text
    new = put_in(edit).strip()
    return bool(new) and new in text and isinstance(apply(edit, text), Refused)


def path_mark(path: str) -> str:
    """Return a short name for a file, so that sightings of several ones are told apart."""
    return digest_of(path)[:8]


def _paths(rulings: Iterable[Ruling]) -> list[str]:
    found = [
        path
        for done in rulings
        for path in (*(one.path for one in done.replaced), *(path for path, _ in done.settled))
    ]
    return list(dict.fromkeys(found))


def _within(done: Ruling, path: str) -> Ruling | None:
    """Return a ruling as far as it is about one file."""
    replaced = tuple(one for one in done.replaced if one.path == path)
    settled = tuple(one for one in done.settled if one[0] == path)
    if not replaced and not settled:
        return None
    drafts = tuple(draft for draft in done.drafts if draft.data.get("path") == path)
    return msgspec.structs.replace(done, drafts=drafts, replaced=replaced, settled=settled)


def _is_of(known: Map, one: Replaced, version: str | None) -> bool:
    now = known.entity(f"{one.path}::{one.symbol}")
    return now is not None and now.version == version and not now.stale
