"""What follows from a piece of code that crossed: a proposal, the truth from now on, or nothing.

Two gates. The first is about the text: it is proved to be of that entity and all of it, it parses,
nothing is left out, no top-level definition is lost and not too little remains. The second is about
authority: all that is defined now is still defined, or an audit or the user says that it is right.
What fails only the second is a sound proposal: it can still be given authority.

A definition goes with everything that stands in it, so that what is shown of a class is never
another truth than what is shown of its methods. Pure: looks at the State Map and the piece only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from holdfast.code.parity import COLLAPSE_SHARE
from holdfast.code.values import Reading, Symbol
from holdfast.kernel.limits import PROXY_PATH_CHARS_MAX, PROXY_SYMBOL_CHARS_MAX
from holdfast.kernel.tokens import estimate
from holdfast.kernel.types import Grant
from holdfast.proxy.cases import Case, is_whole
from holdfast.proxy.granting import granted, lowered
from holdfast.proxy.moving import Definition
from holdfast.proxy.paths import is_bad
from holdfast.proxy.snippets import judge_snippet
from holdfast.proxy.splicing import current, digest_of, text_of
from holdfast.proxy.undoing import doubted, rebuilt, undone
from holdfast.proxy.values import Map, Piece, Ruling
from holdfast.proxy.weighing import named, outermost, shrunk, weigh


class Judging:
    """The rules; `share` is what a text must keep of the nodes and tokens of the current one."""

    def __init__(self, share: float = COLLAPSE_SHARE) -> None:
        self._share = share

    def judge(self, known: Map, piece: Piece) -> Ruling:
        """Say what follows from a piece."""
        piece = _usable(piece)
        case = Case(known, piece)
        if piece.level == "INFERRED":
            _propose_inferred(case)
        elif piece.level == "CONFIRMED" and piece.deletes:
            _delete(case)
        elif piece.level == "CONFIRMED" and piece.reading is not None and piece.text is not None:
            if piece.symbol is not None:
                judge_snippet(case, self._share)
            elif piece.speaker == "user":
                _judge_users(case)
            elif piece.speaker == "tool":
                _judge_tools(case)
            else:
                _judge_models(case, self._share)
        return case.ruling()

    def grant(
        self,
        known: Map,
        entity: str,
        episode: str,
        grant: Grant,
        *,
        made_in: Collection[str] | None = None,
    ) -> Ruling:
        """Give the newest sound proposal of an entity its authority.

        By an audit, only a proposal of the episode that it is about; else one of the episodes that
        are named.
        """
        return granted(known, entity, episode, grant, made_in=made_in)

    def lower(self, known: Map, entity: str, episode: str, reason: str) -> Ruling:
        """Take away the sound proposals of an entity that an episode made."""
        return lowered(known, entity, episode, reason)

    def undo(self, known: Map, done: Ruling, *, version: str, episode: str) -> Ruling:
        """Take back what a ruling made authoritative: the client did not carry it out."""
        return undone(known, done, version=version, episode=episode)

    def rebuild(
        self, known: Map, path: str, made: tuple[str, Reading], *, version: str, episode: str
    ) -> Ruling:
        """Make a text all of a file: one without the changes that the client did not carry out."""
        return rebuilt(known, path, made, version=version, episode=episode)

    def doubt(
        self,
        known: Map,
        path: str,
        symbols: Iterable[str],
        reason: str,
        *,
        version: str,
        episode: str,
    ) -> Ruling:
        """Say that nobody knows how a file is now, nor some definitions in it."""
        return doubted(known, path, symbols, reason, version=version, episode=episode)


def _usable(piece: Piece) -> Piece:
    """Return a piece that is resolved only as far as its path and names can be used."""
    if piece.level == "UNRESOLVED":
        return piece
    path, why = piece.path, ""
    if path is None and piece.level == "CONFIRMED":
        why = "no path was given"
    elif path is not None and (is_bad(path) or "::" in path or path.endswith(":")):
        why = "its path climbs, or is none"
    elif path is not None and not 0 < len(path) <= PROXY_PATH_CHARS_MAX:
        why = "its path is too long"
    elif any(len(name) > PROXY_SYMBOL_CHARS_MAX for name in _names(piece)):
        why = "a name in it is too long"
    if not why:
        return piece
    return msgspec.structs.replace(piece, level="UNRESOLVED", reason=f"{piece.reason}; {why}")


def _names(piece: Piece) -> list[str]:
    defined = [] if piece.reading is None else [one.qualified for one in piece.reading.symbols]
    return defined if piece.symbol is None else [*defined, piece.symbol]


def _propose_inferred(case: Case) -> None:
    """Let a text wait that seems to be of some entity; that alone never raises it."""
    piece = case.piece
    if piece.text is None:
        return
    if piece.path is not None and piece.reading is not None and piece.by != "similarity":
        case.propose(piece.reading.symbols, f"only inferred: {piece.reason}")
        return
    near = None if piece.near is None else case.known.entity(piece.near)
    if near is None or near.state != "AUTHORITATIVE":
        return  # what is alike never makes an entity
    nodes = 0 if piece.reading is None else piece.reading.nodes
    alike = Definition(near.symbol, digest_of(piece.text), nodes, estimate(piece.text), piece.text)
    if alike.artifact != near.artifact:
        case.propose_as(near.path, alike, f"only inferred: {piece.reason}")


def _delete(case: Case) -> None:
    """Tombstone a file that a form deletes by name."""
    if case.piece.complete:
        case.bury(case.known.symbols(case.path), "its file was deleted")
        case.settle(None, None, "it was deleted")


def _judge_users(case: Case) -> None:
    """Take the user's word, if it can be read: it wins over everything."""
    reading = case.reading
    wrong = is_whole(case.piece)
    if wrong:
        case.propose(reading.symbols, f"the user's text is not whole: {wrong}")
        return
    there = case.known.symbols(case.path)
    if there and not reading.symbols:
        return  # a text that defines nothing says nothing of what is defined
    case.promote(reading.symbols, "the user gave it", "write-head")
    case.bury(case.missing(), "the user's text of the file no longer has it")
    case.settle_text("the user gave all of it")


def _judge_tools(case: Case) -> None:
    """Take what a tool read for what the disk held; what cannot be parsed there still waits."""
    piece, reading = case.piece, case.reading
    if not (piece.whole and piece.complete):
        return
    missing = [] if reading.errors else case.missing()
    grant: Grant | None = None if case.missing() else "parity"
    good = _proved(case, "read from disk, but ")
    case.promote(good, "read from disk", grant)
    case.bury(missing, "read from disk, where it is no longer")
    case.settle_text("read from disk")


def _judge_models(case: Case, share: float) -> None:
    """Promote what a model wrote where that is proved; else let it wait."""
    piece = case.piece
    unproved = is_whole(piece, per_definition=True) or _base_fault(case) or _new_errors(case)
    if unproved:
        case.propose(case.reading.symbols, unproved)
        return
    weighed = weigh(case.known, piece, share)
    against = weighed.reasons()
    good = _proved(case)
    if against:
        sound = not weighed.lost_top and not weighed.collapsed
        case.propose(good, against, sound=sound)
        return
    held = _shrunk(case, good, weighed.removed, share)
    back = {symbol.qualified for unit in held for symbol in unit}
    good = [symbol for symbol in good if symbol.qualified not in back]
    case.promote(good, "every definition is still there", "parity")
    names = tuple(f"{unit[0].qualified}." for unit in held)
    removed = [name for name in weighed.removed if not name.startswith(names)]
    case.bury(removed, "the change takes away all of it")
    text = None if case.reading.errors or case.reading.elided else _without(case, held)
    if text is not None:
        case.settle(digest_of(text), text, "all of it is proved")
    elif good:
        case.settle(None, None, "parts of it could not be proved")


def _proved(case: Case, but: str = "") -> list[Symbol]:
    """Return the definitions that are whole, with all that stands in them; the others wait."""
    good: list[Symbol] = []
    for unit, symbols in outermost(case.reading.symbols):
        if unit.errors or unit.elided:
            fault = "has errors" if unit.errors else "is not all written out"
            case.propose(symbols, f"{but}{named([unit.qualified])} {fault}")
        else:
            good += symbols
    return good


def _new_errors(case: Case) -> str:
    """Say that a text is broken now; empty when it parses, or never did.

    Behind an error the parser guesses what belongs to what: a value in a function seems to be one
    of the file. Where the grammar does not know all of a language, that is so from the first.
    """
    piece = case.piece
    if not case.reading.errors or (piece.before is not None and piece.before[0].errors):
        return ""
    if case.known.file(case.path) == digest_of(piece.text or ""):
        return ""  # nothing is new
    broken = [unit.qualified for unit, _ in outermost(case.reading.symbols) if unit.errors]
    return f"{named(broken)} has errors" if broken else "it has errors"


def _shrunk(
    case: Case, good: Sequence[Symbol], removed: Sequence[str], share: float
) -> list[list[Symbol]]:
    """Let definitions wait of which too little is left, and return them, each with what stands in
    it; the others go on."""
    held = []
    for _, unit in outermost(good):
        fault = shrunk(case.known, case.piece, unit, removed, share)
        if fault:
            case.propose(unit, fault)
            held.append(unit)
    return held


def _without(case: Case, held: Sequence[Sequence[Symbol]]) -> str | None:
    """Return the text with definitions that wait as they are authoritative; None if that is not
    certain."""
    source = (case.piece.text or "").encode("utf-8", "replace")
    for unit in reversed(held):
        old = text_of(case.known, current(case.known, case.path, unit[0].qualified))
        if old is None:
            return None
        start, end = unit[0].start_byte, unit[0].end_byte
        source = source[:start] + old.encode("utf-8", "replace") + source[end:]
    return source.decode("utf-8", "replace") if held else case.piece.text


def _base_fault(case: Case) -> str:
    """Say why a delta may not count; empty when it may."""
    piece = case.piece
    if not piece.delta:
        return ""
    base = case.known.file(case.path)
    if not piece.saw_base:
        return "the model had not seen what it changes"
    if base != piece.base and (base is not None or case.known.symbols(case.path)):
        return "it changes a text that is not the current one"
    return ""
