"""Which entities a code is about, and how sure that is: the gatekeeper of the State Map.

In this order: a path and a parser → CONFIRMED; a path and line patterns, when they see every
definition once and to its end → CONFIRMED, else INFERRED; much in common with exactly one entity
that is known → INFERRED; else UNRESOLVED. Without a path nothing is ever CONFIRMED.

A change is applied to the text that the State Map holds; whether the model had seen that text is
told with it.
"""

from __future__ import annotations

import textwrap
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from holdfast.code.edits import Applied, Block, Delete, Refused, Unreadable, Whole, apply
from holdfast.code.languages import language_of
from holdfast.code.values import Reading
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import PROXY_READINGS_MAX, PROXY_TEXT_BYTES_MAX
from holdfast.kernel.types import Level
from holdfast.proxy import similarity
from holdfast.proxy.ingest import Found
from holdfast.proxy.paths import Spelled, name_file
from holdfast.proxy.shaping import (
    digest_of,
    language_for,
    named,
    no_file,
    put_in,
    slices,
    touched,
)
from holdfast.proxy.values import By, Map, Piece

Find: TypeAlias = Callable[[str, str | None], Sequence[str]]
"""Returns the entities that a text names, said by somebody who works in a folder: `Names.find`."""

_NOT_SEEN: Final = "the model had not seen the text that it changes"
_DOUBTED: Final = "an earlier change to the file was not taken, so its text is not certain"
_ONLY_SHOWN: Final = "a change among the user's words is shown; nobody says that it was made"
_UNKNOWN_BASE: Final = "the text that it changes is not known"


class Parser(Protocol):
    """Reads code: a `ParseWorker`."""

    def read_symbols(self, text: str, language: str) -> Reading:
        """Return the definitions of a text, or raise `CouldNotLook`."""


class Sighting(msgspec.Struct, frozen=True):
    """Where and when a code is seen."""

    episode: str
    root: str | None = None
    """The folder that the conversation works in."""
    saw: Collection[str] = ()
    """SHA-256 of the texts, whole files and definitions, that the model has before it."""
    doubted: Mapping[str, Collection[str]] = {}
    """Files whose text on the disk may be another one than the State Map's, and the definitions in
    them that this is about; none for all."""


class _Told(msgspec.Struct, frozen=True):
    """How sure it is what a text is, and why."""

    level: Level
    by: By
    reason: str
    near: str | None = None


class Resolver:
    """Turns code that crossed into pieces, which have no version yet."""

    def __init__(self, parser: Parser, find: Find, project: str | None = None) -> None:
        self._parser = parser
        self._find = find
        self._project = project
        self._readings: OrderedDict[tuple[str, str], Reading] = OrderedDict()

    def resolve(self, found: Found, known: Map, at: Sighting) -> tuple[Piece, ...]:
        """Return what a code is: one piece, or two when a file is renamed."""
        if found.speaker == "user" and not isinstance(found.edit, Whole | Block):
            found = msgspec.structs.replace(found, doubt=_ONLY_SHOWN)
        edit, spelled = found.edit, name_file(found.spelled, at.root, self._project)
        if not isinstance(edit, Block) and spelled.symbol is not None:
            spelled = Spelled(None, None, "a definition is named, not a file")
        match edit:
            case Unreadable():
                return (_lost(found, at, spelled.path, edit.reason),)
            case Delete():
                return (_deleted(found, known, at, spelled),)
            case Whole() | Block():
                return (self._given(found, edit, known, (at, spelled)),)
            case _:
                return tuple(self._changed(found, known, at, spelled))

    def path_of(self, found: Found, root: str | None) -> str | None:
        """Return the file that a code is about, as the State Map names it."""
        return name_file(found.spelled, root, self._project).path

    # Texts that are given as they are

    def _given(
        self, found: Found, edit: Whole | Block, known: Map, where: tuple[Sighting, Spelled]
    ) -> Piece:
        at, spelled = where
        path, symbol = spelled.path, spelled.symbol
        base = None if path is None else _base(known, path)[1]
        done = apply(msgspec.structs.replace(edit, path=path), base)
        text = done.text if isinstance(done, Applied) and done.text is not None else edit.content
        problem = done.reason if isinstance(done, Refused) and path is not None else found.doubt
        language = language_for(path, edit, text)
        reading = self._read(text, language)
        if symbol is not None and isinstance(reading, Reading):
            text, reading = self._snippet(text, symbol, reading)
        if found.speaker == "tool" and path is not None:
            problem = problem or no_file(text, reading, (known.symbols(path), base))
        told = self._tell(spelled, text, reading, known)
        return _piece(
            found,
            at,
            told,
            path=path,
            language=language,
            text=text,
            reading=reading if isinstance(reading, Reading) else None,
            reason=problem or told.reason,
            whole=path is not None and symbol is None,
            before=self._before(known, path, text, language) if symbol is None else None,
            complete=edit.complete and not problem,
            symbol=symbol,
        )

    def _snippet(self, text: str, symbol: str, reading: Reading) -> tuple[str, Reading | str]:
        """Return a snippet so that its definition has the name that is spelled before it."""
        # As a definition stands in a file: its first line without indentation, the rest with it.
        for shaped in (text, text.lstrip(" \t\n"), textwrap.dedent(text).lstrip("\n")):
            again = self._read(shaped, reading.language)
            if isinstance(again, Reading) and not again.errors:
                found = named(again, symbol)
                if found is not None:
                    return shaped, found
        return text, named(reading, symbol) or f"it does not define {symbol}, or something else too"

    # Changes

    def _changed(self, found: Found, known: Map, at: Sighting, spelled: Spelled) -> Iterator[Piece]:
        path = spelled.path
        if path is None:
            yield _lost(found, at, None, spelled.problem)
            return
        done = apply(found.edit, _base(known, path)[1])
        if isinstance(done, Refused):
            yield self._refused(found, known, at, (path, done.reason))
            return
        to: str | None = path
        if done.renamed_to is not None:
            to = name_file(done.renamed_to, at.root, self._project).path
        if to is None:
            yield _lost(found, at, path, f"the new path {done.renamed_to!r} climbs or deceives")
        elif done.text is None:
            yield _deleted(found, known, at, spelled)
        else:
            yield self._applied(found, known, at, (path, to, done.text))
            if to != path:
                yield _deleted(found, known, at, spelled)

    def _applied(
        self, found: Found, known: Map, at: Sighting, result: tuple[str, str, str]
    ) -> Piece:
        path, to, text = result
        language = language_for(to, found.edit, text)
        reading = self._read(text, language)
        told = self._tell(Spelled(to), text, reading, known)
        before = self._before(known, path, text, language)
        unseen = "" if found.speaker != "model" else _unseen(known, path, at, (before, text))
        return _piece(
            found,
            at,
            told,
            path=to,
            language=language,
            text=text,
            reading=reading if isinstance(reading, Reading) else None,
            reason=found.doubt or unseen or told.reason,
            whole=True,
            delta=True,
            base=_base(known, path)[0],
            before=before,
            saw_base=not unseen,
        )

    def _refused(self, found: Found, known: Map, at: Sighting, refused: tuple[str, str]) -> Piece:
        """Return a change that cannot be applied; what it puts in is proposed if it can be told."""
        path, reason = refused
        fragment = put_in(found.edit)
        if known.file(path) is not None or not fragment or fragment[0].isspace():
            return _lost(found, at, path, reason)
        language = language_for(path, found.edit, fragment)
        reading = self._read(fragment, language)
        if not isinstance(reading, Reading) or not reading.symbols:
            return _lost(found, at, path, _UNKNOWN_BASE)
        return _piece(
            found,
            at,
            self._tell(Spelled(path), fragment, reading, known),
            path=path,
            language=language,
            text=fragment,
            reading=reading,
            reason=_UNKNOWN_BASE,
            delta=True,
            complete=False,
            saw_base=False,
        )

    # How sure it is

    def _tell(self, spelled: Spelled, text: str, reading: Reading | str, known: Map) -> _Told:
        if spelled.path is not None and isinstance(reading, Reading):
            if reading.by == "tree-sitter":
                return _Told("CONFIRMED", "tree-sitter", "a parser read it, and the path is given")
            if reading.symbols:
                return _by_patterns(reading)
        near = self._near(text, reading, known)
        if near is not None:
            return _Told("INFERRED", "similarity", f"it resembles {near}", near)
        problem = reading if isinstance(reading, str) else "nothing is defined in it"
        return _Told("UNRESOLVED", "none", spelled.problem or problem)

    def _near(self, text: str, reading: Reading | str, known: Map) -> str | None:
        """Return the one entity that a text, or a definition in it, resembles."""
        if len(text) > PROXY_TEXT_BYTES_MAX:
            return None
        texts = [text, *(slices(text, reading.symbols) if isinstance(reading, Reading) else ())]
        return similarity.nearest(texts, self._find(text, None), known)

    def _before(
        self, known: Map, path: str | None, text: str, language: str | None
    ) -> tuple[Reading, str] | None:
        """Return the file as the State Map has it, and what it defines."""
        base = None if path is None else _base(known, path)[1]
        if base is None or base == text:
            return None
        reading = self._read(base, language)
        return (reading, base) if isinstance(reading, Reading) else None

    def read(self, text: str, path: str) -> Reading | None:
        """Return what the text of a file defines; None when nobody can tell."""
        reading = self._read(text, language_of(path, text))
        return reading if isinstance(reading, Reading) else None

    def _read(self, text: str, language: str | None) -> Reading | str:
        """Return what a text defines, or why nobody can tell."""
        if language is None:
            return "nobody can tell which language it is written in"
        if len(text) > PROXY_TEXT_BYTES_MAX:
            return f"it is larger than the {PROXY_TEXT_BYTES_MAX} bytes that are looked at"
        key = (digest_of(text), language)
        if key not in self._readings:
            try:
                self._readings[key] = self._parser.read_symbols(text, language)
            except CouldNotLook as problem:
                return problem.what
        self._readings.move_to_end(key)
        while len(self._readings) > PROXY_READINGS_MAX:
            self._readings.popitem(last=False)
        return self._readings[key]


def _piece(found: Found, at: Sighting, told: _Told, **fields: Any) -> Piece:
    """Return a piece; what is not given follows from where and how it was found."""
    edit = found.edit
    given = {
        "version": "",
        "episode": at.episode,
        "speaker": found.speaker,
        "form": edit.form,
        "level": told.level,
        "by": told.by,
        "near": told.near,
        "reason": told.reason,
        "complete": edit.complete and not found.doubt,
    }
    return Piece(**(given | fields))


def _lost(found: Found, at: Sighting, path: str | None, reason: str) -> Piece:
    """Return what cannot be told to be anything."""
    return _piece(
        found,
        at,
        _Told("UNRESOLVED", "none", reason),
        path=path,
        language=None if path is None else language_of(path),
        text=put_in(found.edit) or None,
        reading=None,
        delta=not isinstance(found.edit, Whole | Block),
        saw_base=False,
    )


def _deleted(found: Found, known: Map, at: Sighting, spelled: Spelled) -> Piece:
    """Return a file that goes away because the form says so."""
    if spelled.path is None:
        return _lost(found, at, None, spelled.problem)
    return _piece(
        found,
        at,
        _Told("CONFIRMED", "none", found.doubt or "the form says that the file goes away"),
        path=spelled.path,
        language=language_of(spelled.path),
        text=None,
        reading=None,
        delta=True,
        base=_base(known, spelled.path)[0],
        deletes=True,
    )


def _base(known: Map, path: str) -> tuple[str | None, str | None]:
    digest = known.file(path)
    text = None if digest is None else known.text(digest)
    return (None, None) if text is None else (digest, text)


def _unseen(
    known: Map, path: str, at: Sighting, texts: tuple[tuple[Reading, str] | None, str]
) -> str:
    """Return why the model may not know the text that it changes; empty when it does."""
    before, after = texts
    if path in at.doubted and _touches(at.doubted[path], before, after):
        return _DOUBTED
    digest = known.file(path)
    if digest is None or digest in at.saw:
        return ""
    if before is None:
        return _NOT_SEEN
    start, end = touched(before[1].encode(), after.encode("utf-8", "surrogatepass"))
    seen = any(
        symbol.digest in at.saw and symbol.start_byte <= start and end <= symbol.end_byte
        for symbol in before[0].symbols
    )
    return "" if seen else _NOT_SEEN


def _touches(names: Collection[str], before: tuple[Reading, str] | None, after: str) -> bool:
    """Tell whether a change may change one of some definitions, or any if there are none."""
    if not names or before is None:
        return True
    old, new = before[1].encode("utf-8", "surrogatepass"), after.encode("utf-8", "surrogatepass")
    start, end = touched(old, new)
    places = {symbol.qualified: symbol for symbol in before[0].symbols}
    put = new[start : len(new) - (len(old) - end)]
    for name in names:
        symbol = places.get(name)
        if symbol is None:
            if name.rpartition(".")[2].partition("#")[0].encode() in put:
                return True  # where it stands on the disk is not known
        elif start <= symbol.end_byte and symbol.start_byte <= end:
            return True
    return False


def _by_patterns(reading: Reading) -> _Told:
    repeated = any("#" in symbol.qualified for symbol in reading.symbols)
    if reading.errors or repeated:
        reason = "patterns do not see each definition once and to its end"
        return _Told("INFERRED", "patterns", reason)
    return _Told("CONFIRMED", "patterns", "patterns see each definition once and to its end")
