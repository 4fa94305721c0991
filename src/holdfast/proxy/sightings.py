"""Small questions about what was seen: what of it is remembered, and what it is about."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from holdfast.code.edits import Block
from holdfast.proxy import paths
from holdfast.proxy.ingest import Came, Found
from holdfast.proxy.memory import Memory, Step
from holdfast.proxy.shaping import digest_of
from holdfast.proxy.values import Draft, Map, Piece, Ruling


def how(piece: Piece, found: Found | None) -> Step:
    """Return what is to be remembered of a change, so that it can be made again."""
    if piece.symbol is not None:
        return Step(piece.version, None, None)
    if not piece.delta or found is None:
        return Step(piece.version, None, None, whole=piece.whole)
    edit = None if getattr(found.edit, "renamed_to", None) is not None else found.edit
    return Step(piece.version, None, None, edit)


def see_settled(memory: Memory, ruling: Ruling) -> None:
    """Who saw a file, and then a new text of one definition in it, knows the file as it is now."""
    before = dict(ruling.settled)
    for draft in ruling.drafts:
        digest = draft.data.get("digest") if draft.type == "file_settled" else None
        if digest is not None and before.get(draft.data["path"]) in memory.saw:
            memory.see(digest)


def numbered(piece: Piece, version: str) -> Piece:
    """Return a piece of a sighting that has a name."""
    return msgspec.structs.replace(piece, version=version)


def without_texts(ruling: Ruling) -> Ruling:
    """Return a ruling as far as it is needed to take it back: texts are in the vault."""
    settled = (
        Draft(draft.type, {name: draft.data[name] for name in ("path", "digest")})
        for draft in ruling.drafts
        if draft.type == "file_settled"
    )
    return msgspec.structs.replace(ruling, drafts=tuple(settled))


def without_users(came: Came) -> Came:
    """Leave out what the user said: it was taken in before, or no user said it."""
    found = tuple(one for one in came.found if one.speaker != "user")
    return Came(found, came.results, "")


def is_code_for(entity: str, piece: Piece) -> bool:
    """Tell whether the user gave a text for an entity in the same turn."""
    if piece.speaker != "user":
        return False
    path, _, symbol = entity.partition(paths.SEPARATOR)
    if piece.path is not None and piece.path != path:
        return False
    if piece.near == entity or (piece.path == path and (piece.whole or piece.symbol == symbol)):
        return True
    symbols = () if piece.reading is None else piece.reading.symbols
    return any(symbol in (one.qualified, one.name) for one in symbols)


def is_taken(known: Map, found: Found, piece: Piece, ruling: Ruling) -> bool:
    """Tell whether the State Map has what the client has now, if it did what it was told."""
    path = piece.path or ""
    if isinstance(found.edit, Block) and found.edit.quoted:
        return True  # it shows lines, and changes none
    if piece.deletes:
        return not known.symbols(path)
    if piece.symbol is not None:
        return bool(ruling.promoted)
    return piece.text is not None and known.file(path) == digest_of(piece.text)


def touched(known: Map, piece: Piece, ruling: Ruling) -> frozenset[str]:
    """Return the definitions that a change would have changed; none when it cannot be told."""
    if piece.path is None or piece.reading is None or piece.deletes:
        return frozenset()
    names = {name.partition(paths.SEPARATOR)[2] for name in ruling.proposed}
    if piece.whole:
        defined = {symbol.qualified for symbol in piece.reading.symbols}
        names |= {name for name in known.symbols(piece.path) if name not in defined}
    return frozenset(names)


def waiting(known: Map, names: Iterable[str], episode: str) -> tuple[str, ...]:
    """Return the entities that have a sound proposal of an episode."""
    waiting = []
    for name in dict.fromkeys(names):
        entity = known.entity(name)
        if entity is not None and any(
            one.sound and one.version.startswith(f"{episode}/") for one in entity.proposals
        ):
            waiting.append(name)
    return tuple(waiting)
