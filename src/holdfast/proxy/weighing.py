"""What a new text of a file lacks of what is authoritative there.

A definition that is no longer there is lost; unless the change takes all of its lines away, which
says so. One whose text comes back under another name is renamed, and nobody said that it may be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from holdfast.code.parity import Renamed, compare_readings
from holdfast.code.values import Reading, Symbol
from holdfast.kernel.limits import PARITY_NAMES_MAX
from holdfast.kernel.tokens import estimate
from holdfast.proxy.splicing import current, text_of
from holdfast.proxy.values import Map, Piece

_SAME_LINES_SHARE: Final = 0.5
"""Of its lines a definition must find so many again in a new one to be taken for renamed."""

_STUB: Final = re.compile(
    r"""[{:]?\s*(?:(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*")\s*)?"""
    r"(?:raise\s+NotImplementedError\b[^\n]*|(?:todo|unimplemented)!\s*\([^\n]*\)"
    r"|throw\s+new\s+\w*Error\(\s*[\"'`](?:not (?:yet )?implemented|unimplemented|todo)\b[^\n]*"
    r"|panic\(\s*[\"`](?:not (?:yet )?implemented|unimplemented|todo)\b[^\n]*)"
    r"\s*;?\s*\}?\s*",
    re.DOTALL | re.IGNORECASE,
)
"""A body that says that nobody wrote it; words of documentation may stand before."""


class Weighed(msgspec.Struct, frozen=True):
    """What speaks against a text of a file."""

    lost: tuple[str, ...] = ()
    """No longer defined, and nobody said so."""
    lost_top: bool = False
    """One of them stood in no other definition."""
    removed: tuple[str, ...] = ()
    """No longer defined, and the change takes away all of it."""
    renamed: tuple[Renamed, ...] = ()
    """Of the lost, those that seem to have other names now."""
    collapsed: str = ""
    """What too little is left of, in words."""

    def reasons(self) -> str:
        """Say what speaks against it; empty when nothing does."""
        renamed = [f"renamed {pair.old} → {pair.new}" for pair in self.renamed]
        flagged = f"{named(renamed)}, not confirmed: the old name is kept" if renamed else ""
        old = {pair.old for pair in self.renamed}
        gone = [name for name in self.lost if name not in old]
        lost = f"it no longer defines {named(gone)}" if gone else ""
        return "; ".join(part for part in (flagged, lost, self.collapsed) if part)


def weigh(known: Map, piece: Piece, share: float) -> Weighed:
    """Compare a whole text with what is authoritative in its file."""
    assert piece.reading is not None
    assert piece.path is not None
    assert piece.text is not None
    there = known.symbols(piece.path)
    new = {symbol.qualified: symbol for symbol in piece.reading.symbols}
    gone = [name for name in there if name not in new]
    after = (piece.reading, piece.text)
    pairs, removed = tuple[Renamed, ...](), list[str]()
    if gone and piece.before is None:
        pairs = _renamed_by_text(known, piece, gone)
    elif gone and piece.before is not None:
        pairs, removed = _explained(piece.before, after, gone)
        if not piece.delta or piece.reading.errors or piece.reading.elided:
            removed = []  # only a change says what it takes away, and only if it can be read
    lost = tuple(name for name in gone if name not in removed)
    return Weighed(
        lost=lost,
        lost_top=bool(lost) and _is_top(lost, there, piece.before),
        removed=tuple(removed),
        renamed=tuple(pair for pair in pairs if pair.old in lost),
        collapsed=collapse(_before(known, piece, removed), _after(piece), share),
    )


def named(names: Sequence[str]) -> str:
    """List some names, and count the others."""
    shown = ", ".join(names[:PARITY_NAMES_MAX])
    more = len(names) - PARITY_NAMES_MAX
    return f"{shown} and {more} more" if more > 0 else shown


def outermost(symbols: Iterable[Symbol]) -> list[tuple[Symbol, list[Symbol]]]:
    """Return the definitions that stand in no other one, each with all that stand in it."""
    units: list[tuple[Symbol, list[Symbol]]] = []
    for symbol in sorted(symbols, key=lambda one: (one.start_byte, -one.end_byte)):
        if units and symbol.end_byte <= units[-1][0].end_byte:
            units[-1][1].append(symbol)
        else:
            units.append((symbol, [symbol]))
    return units


def _explained(
    before: tuple[Reading, str],
    after: tuple[Reading, str],
    gone: Sequence[str],
) -> tuple[tuple[Renamed, ...], list[str]]:
    """Tell the lost ones that seem renamed from those that the change takes away as a whole."""
    pairs = compare_readings(before, after).renamed
    old = {symbol.qualified: symbol for symbol in before[0].symbols}
    come = [symbol for symbol in after[0].symbols if symbol.qualified not in old]
    sources = before[1].encode(), after[1].encode()
    known, found, removed = {pair.old for pair in pairs}, list(pairs), list[str]()
    for name in gone:
        symbol = old.get(name)
        if symbol is None or name in known:
            continue
        alike = _alike(symbol, come, sources)
        if alike is not None:
            found.append(Renamed(name, alike))
        elif _is_taken_away(symbol, sources):
            removed.append(name)
    return tuple(found), removed


def _renamed_by_text(known: Map, piece: Piece, gone: Sequence[str]) -> tuple[Renamed, ...]:
    """Pair lost definitions with new ones that have their text but for the name."""
    assert piece.reading is not None
    assert piece.path is not None
    source, there = (piece.text or "").encode(), frozenset(known.symbols(piece.path))
    come = {
        _nameless(_slice(source, one), one.name): one.qualified
        for one in piece.reading.symbols
        if one.qualified not in there
    }
    found = []
    for name in gone:
        text = text_of(known, current(known, piece.path, name))
        new = None if text is None else come.get(_nameless(text, _last_of(name)))
        if new is not None:
            found.append(Renamed(name, new))
    return tuple(found)


def _nameless(text: str, name: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", text)


def _last_of(qualified: str) -> str:
    return qualified.rpartition(".")[2].partition("#")[0]


def _is_taken_away(symbol: Symbol, sources: tuple[bytes, bytes]) -> bool:
    """Tell whether there is less of a definition's body than before: a head alone is not all."""
    before, after = sources
    body = before[symbol.start_byte : symbol.end_byte]
    if symbol.body_start is not None and symbol.body_end is not None:
        body = before[symbol.body_start : symbol.body_end].strip() or body
    return after.count(body) < before.count(body)


def _alike(symbol: Symbol, come: Iterable[Symbol], sources: tuple[bytes, bytes]) -> str | None:
    """Return the new definition that has much of a lost one's lines."""
    lines = _lines(sources[0], symbol)
    for one in come:
        same = sum((lines & _lines(sources[1], one)).values())
        if same and same >= _SAME_LINES_SHARE * sum(lines.values()):
            return one.qualified
    return None


def _lines(source: bytes, symbol: Symbol) -> Counter[bytes]:
    text = source[symbol.start_byte : symbol.end_byte]
    return Counter(line.strip() for line in text.splitlines() if any(map(_is_word, line)))


def _is_word(byte: int) -> bool:
    return chr(byte).isalnum() or byte >= 0x80


def _is_top(lost: Sequence[str], there: Sequence[str], before: tuple[Reading, str] | None) -> bool:
    tops = None if before is None else {one.qualified for one, _ in outermost(before[0].symbols)}
    known = frozenset(there)
    for name in lost:
        parents = [name[:at] for at, char in enumerate(name) if char == "."]
        if (tops is not None and name in tops) or not known.intersection(parents):
            return True
    return False


def _before(known: Map, piece: Piece, removed: Sequence[str]) -> tuple[int, int]:
    """Return the nodes and tokens that there are now, without what the change takes away."""
    assert piece.path is not None
    if piece.before is None:
        names = known.symbols(piece.path)
        return _sum({name: _size(known, piece.path, name) for name in names})
    reading, text = piece.before
    source = text.encode()
    gone = [symbol for symbol in reading.symbols if symbol.qualified in frozenset(removed)]
    outer = [symbol for symbol, _ in outermost(gone)]
    nodes = sum(symbol.nodes for symbol in outer)
    tokens = sum(estimate(_slice(source, symbol)) for symbol in outer)
    return reading.nodes - nodes, estimate(text) - tokens


def _after(piece: Piece) -> tuple[int, int]:
    assert piece.reading is not None
    assert piece.text is not None
    if piece.before is not None:
        return piece.reading.nodes, estimate(piece.text)
    source = piece.text.encode()
    sizes = {
        symbol.qualified: (symbol.nodes, estimate(_slice(source, symbol)))
        for symbol in piece.reading.symbols
    }
    return _sum(sizes)


def _sum(sizes: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Add up what is not named after another one."""
    tops = [
        size
        for name, size in sizes.items()
        if not any(name[:at] in sizes for at, char in enumerate(name) if char == ".")
    ]
    return sum(nodes for nodes, _ in tops), sum(tokens for _, tokens in tops)


def _size(known: Map, path: str, symbol: str) -> tuple[int, int]:
    entity = current(known, path, symbol)
    return (0, 0) if entity is None else (entity.nodes, entity.tokens)


def _slice(source: bytes, symbol: Symbol) -> str:
    return source[symbol.start_byte : symbol.end_byte].decode("utf-8", "replace")


def collapse(before: tuple[int, int], after: tuple[int, int], share: float) -> str:
    """Say what too little is left of, nodes or tokens; empty when enough is."""
    for what, old, new in zip(("syntax nodes", "tokens"), before, after, strict=True):
        # Patterns count no nodes: then only tokens can tell.
        if new < old * share and (new > 0 or what == "tokens"):
            return f"{new} of {old} {what} are left, less than {share:.0%} of them"
    return ""


def shrunk(
    known: Map, piece: Piece, unit: Sequence[Symbol], removed: Iterable[str], share: float
) -> str:
    """Say why a definition is not taken for a new text of the one that is authoritative: too little
    is left of it, or a body in it is only a stub; empty when it is. What the change takes away as
    a whole is not missed."""
    assert piece.path is not None
    outer, source = unit[0], (piece.text or "").encode("utf-8", "replace")
    for symbol in unit:
        now = current(known, piece.path, symbol.qualified)
        if now is not None and now.artifact != symbol.digest and _is_stub(source, symbol):
            before = text_of(known, now)
            if before is None or not _STUB.search(before):
                return f"the body of {symbol.qualified} is only a stub"
    now = current(known, piece.path, outer.qualified)
    if now is None or now.artifact == outer.digest:
        return ""
    gone = [_size(known, piece.path, name) for name in removed if _is_in(name, outer.qualified)]
    old = now.nodes - sum(nodes for nodes, _ in gone), now.tokens - sum(t for _, t in gone)
    new = outer.nodes, estimate(_slice(source, outer))
    small = [what for what in (0, 1) if new[what] < old[what] * share]
    # Patterns count no nodes: then only tokens can tell.
    if small in ([0, 1], [1]) and (small == [0, 1] or not new[0] or not old[0]):
        return f"of {outer.qualified} {new[1]} of {old[1]} tokens are left, less than {share:.0%}"
    return ""


def _is_in(name: str, outer: str) -> bool:
    return name.startswith(f"{outer}.") and "." not in name[len(outer) + 1 :]


def _is_stub(source: bytes, symbol: Symbol) -> bool:
    if symbol.body_start is None or symbol.body_end is None:
        return False
    body = source[symbol.body_start : symbol.body_end].decode("utf-8", "replace")
    return _STUB.fullmatch(body.strip()) is not None
