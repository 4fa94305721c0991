"""Whether a new text of some code still holds what the old one defined.

    parity = compare(before, after, "python")
    parity.lost, parity.renamed, parity.elided       # what became of each definition
    parity.verdict.ok, parity.verdict.reasons        # no, and why, in words

A definition is known by its qualified name. It is kept when its text is the same, renamed when
exactly one that came has the body of exactly one that went. A text that shrinks below a share of
its syntax nodes or tokens has collapsed, whatever names it still holds.

Not here: what follows from it. A whole file from the user may drop a definition on purpose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

import msgspec

from holdfast.code.symbols import read_symbols
from holdfast.code.values import Reading, Symbol
from holdfast.kernel.limits import PARITY_NAMES_MAX, PARITY_RENAMED_BODY_BYTES_MIN
from holdfast.kernel.tokens import COUNTER, estimate

_Part: TypeAlias = Callable[[Symbol, bytes], bytes | None]
"""What of a definition's text is compared."""

COLLAPSE_SHARE: Final = 0.5
"""Of its nodes and tokens a text must keep at least so many, unless the settings say otherwise."""


class Renamed(msgspec.Struct, frozen=True):
    """A definition whose body stands under another name."""

    old: str
    new: str


class Verdict(msgspec.Struct, frozen=True):
    """Whether the new text may stand for the old one; if not, every reason."""

    ok: bool
    reasons: tuple[str, ...]


class Parity(msgspec.Struct, frozen=True):
    """What became of a text's definitions; names are qualified and in the order of the texts."""

    kept: tuple[str, ...]
    changed: tuple[str, ...]
    lost: tuple[str, ...]
    lost_top_level: tuple[str, ...]
    """Those of the lost that stood in no other definition."""
    added: tuple[str, ...]
    renamed: tuple[Renamed, ...]
    elided: tuple[str, ...]
    """Definitions of the new text whose body is left out; those kept were so before."""
    broken: tuple[str, ...]
    """Definitions of the new text with syntax errors inside."""
    nodes_before: int
    nodes_after: int
    """Nodes of the syntax trees; 0 when patterns looked, which have none."""
    tokens_before: int
    tokens_after: int
    counter: str
    """Which counter made the tokens."""
    collapse_share: float
    verdict: Verdict

    @property
    def nodes_collapsed(self) -> bool:
        """Tell whether too few nodes are left."""
        return _collapsed(self.nodes_before, self.nodes_after, self.collapse_share)

    @property
    def tokens_collapsed(self) -> bool:
        """Tell whether too few tokens are left."""
        return _collapsed(self.tokens_before, self.tokens_after, self.collapse_share)


def compare(
    before_text: str, after_text: str, language: str, *, collapse_share: float = COLLAPSE_SHARE
) -> Parity:
    """Read both texts and compare them; raise CouldNotLook when one cannot be read."""
    before, after = read_symbols(before_text, language), read_symbols(after_text, language)
    return compare_readings(
        (before, before_text), (after, after_text), collapse_share=collapse_share
    )


def compare_readings(
    before: tuple[Reading, str],
    after: tuple[Reading, str],
    *,
    collapse_share: float = COLLAPSE_SHARE,
) -> Parity:
    """Compare two texts that have been read."""
    old, new = _by_name(before[0]), _by_name(after[0])
    renamed = _renamed(_only_in(old, new, before[1]), _only_in(new, old, after[1]))
    gone, come = {pair.old for pair in renamed}, {pair.new for pair in renamed}
    lost = tuple(name for name in old if name not in new and name not in gone)
    top = _top_level(before[0].symbols)
    both = [name for name in new if name in old]
    parity = Parity(
        kept=tuple(name for name in both if old[name].digest == new[name].digest),
        changed=tuple(name for name in both if old[name].digest != new[name].digest),
        lost=lost,
        lost_top_level=tuple(name for name in lost if name in top),
        added=tuple(name for name in new if name not in old and name not in come),
        renamed=renamed,
        elided=tuple(name for name, symbol in new.items() if symbol.elided),
        broken=tuple(name for name, symbol in new.items() if symbol.errors),
        nodes_before=before[0].nodes,
        nodes_after=after[0].nodes,
        tokens_before=estimate(before[1]),
        tokens_after=estimate(after[1]),
        counter=COUNTER,
        collapse_share=collapse_share,
        verdict=Verdict(True, ()),
    )
    reasons = tuple(_reasons(parity, before[0], after[0]))
    return msgspec.structs.replace(parity, verdict=Verdict(not reasons, reasons))


def _by_name(reading: Reading) -> dict[str, Symbol]:
    return {symbol.qualified: symbol for symbol in reading.symbols}


def _top_level(symbols: Iterable[Symbol]) -> frozenset[str]:
    """Name the definitions that stand in no other; symbols come in the order they begin."""
    found: list[str] = []
    start, end = 0, 0
    for symbol in symbols:
        alike = (symbol.start_byte, symbol.end_byte) == (start, end)  # `a, b = 1, 2`
        if alike or symbol.end_byte > end:
            found.append(symbol.qualified)
            start, end = symbol.start_byte, symbol.end_byte
    return frozenset(found)


def _only_in(
    these: Mapping[str, Symbol], those: Mapping[str, Symbol], text: str
) -> list[tuple[Symbol, bytes]]:
    missing = [symbol for name, symbol in these.items() if name not in those]
    source = text.encode("utf-8") if missing else b""
    return [(symbol, source) for symbol in missing]


def _renamed(
    gone: Sequence[tuple[Symbol, bytes]], come: Sequence[tuple[Symbol, bytes]]
) -> tuple[Renamed, ...]:
    """Pair definitions of one kind that have the same text but for the name, one to one."""
    pairs: dict[str, Renamed] = {}
    taken: set[str] = set()
    for of in (_whole, _body):
        old, new = _by_text(gone, of, pairs.keys()), _by_text(come, of, taken)
        for text, names in old.items():
            if len(names) == 1 and len(new.get(text, ())) == 1:
                pairs[names[0]] = Renamed(names[0], new[text][0])
                taken.add(new[text][0])
    return tuple(pairs[symbol.qualified] for symbol, _ in gone if symbol.qualified in pairs)


def _by_text(
    symbols: Iterable[tuple[Symbol, bytes]], of: _Part, without: Iterable[str]
) -> dict[tuple[str, str], list[str]]:
    skipped = frozenset(without)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for symbol, source in symbols:
        text = of(symbol, source)
        if text is not None and symbol.qualified not in skipped:
            found[symbol.kind, _digest(text, symbol.name)].append(symbol.qualified)
    return found


def _whole(symbol: Symbol, source: bytes) -> bytes | None:
    return source[symbol.start_byte : symbol.end_byte]


def _body(symbol: Symbol, source: bytes) -> bytes | None:
    """Return a body long enough to be known by; `pass` is everybody's."""
    if symbol.body_start is None or symbol.body_end is None:
        return None
    text = source[symbol.body_start : symbol.body_end].strip()
    return text if len(text) >= PARITY_RENAMED_BODY_BYTES_MIN else None


def _digest(text: bytes, name: str) -> str:
    """Hash a text without the definition's own name, which recursion repeats."""
    named = re.escape(name.encode("utf-8"))
    return sha256(re.sub(rb"(?<![\w])" + named + rb"(?![\w])", b"\0", text)).hexdigest()


def _collapsed(before: int, after: int, share: float) -> bool:
    return after < before * share


def _reasons(parity: Parity, before: Reading, after: Reading) -> Iterable[str]:
    """Say everything that speaks against the new text."""
    inner = tuple(name for name in parity.lost if name not in parity.lost_top_level)
    if parity.lost_top_level:
        yield f"top-level definitions are lost: {_named(parity.lost_top_level)}"
    if inner:
        yield f"definitions inside others are lost: {_named(inner)}"
    if parity.renamed:
        pairs = tuple(f"{pair.old} → {pair.new}" for pair in parity.renamed)
        yield f"definitions have other names: {_named(pairs)}"
    kept = frozenset(parity.kept)
    left_out = tuple(name for name in parity.elided if name not in kept)
    if left_out:
        yield f"bodies are left out: {_named(left_out)}"
    elif after.elided and not before.elided:
        yield "code between the definitions is left out"
    if after.errors:
        inside = f", in {_named(parity.broken)}" if parity.broken else ""
        yield f"the new text has syntax errors{inside}"
    yield from _collapses(parity)


def _collapses(parity: Parity) -> Iterable[str]:
    for what, collapsed, counts in (
        ("syntax nodes", parity.nodes_collapsed, (parity.nodes_before, parity.nodes_after)),
        ("tokens", parity.tokens_collapsed, (parity.tokens_before, parity.tokens_after)),
    ):
        if collapsed:
            yield (
                f"{counts[1]} of {counts[0]} {what} are left, "
                f"less than {parity.collapse_share:.0%} of them"
            )


def _named(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:PARITY_NAMES_MAX])
    more = len(names) - PARITY_NAMES_MAX
    return f"{shown} and {more} more" if more > 0 else shown
