"""Taking a ruling back: the client said that it did not carry the edit out.

What was true before comes back as a sighting of its own, for no artifact goes back to a state it
left. Where somebody moved on since, that stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from holdfast.code.values import Reading
from holdfast.kernel.tokens import estimate
from holdfast.proxy.moving import Definition, Moves
from holdfast.proxy.splicing import current, digest_of
from holdfast.proxy.values import Draft, Map, Replaced, Ruling

REASON: Final = "the client did not carry it out"


def undone(known: Map, done: Ruling, *, version: str, episode: str) -> Ruling:
    """Return what brings back the truth from before a ruling."""
    moved: list[Moves] = []
    back: list[str] = []
    paths = [*(one.path for one in done.replaced), *(path for path, _ in done.settled)]
    for path in dict.fromkeys(paths):
        moves = Moves(known, path, version, episode)
        some = [one for one in done.replaced if one.path == path]
        returning = [one for one in some if _returns(known, one, done.version)]
        new = [one.symbol for one in some if _is_new(known, one, done.version)]
        definitions = [_definition(known, one) for one in returning]
        moves.propose(definitions, REASON, sound=True)
        moves.promote(definitions, REASON, None)
        moves.bury(new, REASON)
        _settle(known, moves, done, path)
        moved.append(moves)
        back += [f"{path}::{one.symbol}" for one in returning]
    return Ruling(
        tuple(draft for moves in moved for draft in moves.drafts()),
        promoted=tuple(back),
        version=version,
        replaced=tuple(one for moves in moved for one in moves.replaced),
        settled=tuple(one for moves in moved for one in moves.settled),
    )


def rebuilt(
    known: Map, path: str, made: tuple[str, Reading], *, version: str, episode: str
) -> Ruling:
    """Return what makes a text, which all of a file is once a change in it is taken back, true."""
    text, reading = made
    source = text.encode("utf-8", "surrogatepass")
    moves = Moves(known, path, version, episode)
    news = []
    for symbol in reading.symbols:
        now = current(known, path, symbol.qualified)
        if now is None or now.artifact != symbol.digest or now.stale:
            code = source[symbol.start_byte : symbol.end_byte].decode("utf-8", "replace")
            news.append(
                Definition(symbol.qualified, symbol.digest, symbol.nodes, estimate(code), code)
            )
    defined = {symbol.qualified for symbol in reading.symbols}
    moves.propose(news, REASON, sound=True)
    moves.promote(news, REASON, None)
    moves.bury([name for name in known.symbols(path) if name not in defined], REASON)
    moves.settle(digest_of(text), text, REASON)
    return Ruling(
        moves.drafts(),
        promoted=tuple(f"{path}::{one.symbol}" for one in news),
        version=version,
        replaced=tuple(moves.replaced),
        settled=tuple(moves.settled),
    )


def doubted(
    known: Map, path: str, symbols: Iterable[str], reason: str, *, version: str, episode: str
) -> Ruling:
    """Return what says that nobody knows any longer how a file is, nor some definitions in it."""
    moves = Moves(known, path, version, episode)
    moves.settle(None, None, reason)
    stale = [
        Draft("disk_truth", {"path": path, "symbol": name, "reason": reason})
        for name in dict.fromkeys(symbols)
        if (now := current(known, path, name)) is not None and not now.stale
    ]
    return Ruling((*moves.drafts(), *stale), version=version, settled=tuple(moves.settled))


def _returns(known: Map, one: Replaced, version: str | None) -> bool:
    """Tell whether an entity had a text before, and has the ruling's now, or none since."""
    if one.artifact is None:
        return False
    now = current(known, one.path, one.symbol)
    if now is not None:
        return now.version == version
    buried = known.entity(f"{one.path}::{one.symbol}")
    return buried is None or buried.state is None or buried.artifact == one.artifact


def _is_new(known: Map, one: Replaced, version: str | None) -> bool:
    now = current(known, one.path, one.symbol)
    return one.artifact is None and now is not None and now.version == version


def _definition(known: Map, one: Replaced) -> Definition:
    artifact = one.artifact or ""
    return Definition(one.symbol, artifact, one.nodes, one.tokens, known.text(artifact))


def _settle(known: Map, moves: Moves, done: Ruling, path: str) -> None:
    """Let the file be what it was, if it is still what the ruling made of it."""
    made = _settled(done.drafts, path)
    if made is None or known.file(path) != made[0]:
        return
    before = dict(done.settled).get(path)
    text = None if before is None else known.text(before)
    moves.settle(None if text is None else before, text, REASON)


def _settled(drafts: Sequence[object], path: str) -> tuple[str | None] | None:
    """Return the digest that a ruling settled a file on; None when it settled nothing."""
    for draft in drafts:
        data = getattr(draft, "data", {})
        if getattr(draft, "type", "") == "file_settled" and data.get("path") == path:
            return (data["digest"],)
    return None
