"""Putting the new text of a definition where its old text stands in others: its class, its file.

Only where that is certain: the old text stands there exactly once, and the new one can be moved to
its column without touching what is inside a text of several lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from holdfast.kernel.tokens import estimate
from holdfast.proxy.moving import Definition
from holdfast.proxy.values import Entity, Map

_IMPL: Final = "impl "
"""What Rust's methods stand in, which is not what they are named after."""

_QUOTES: Final = ('"""', "'''", "`")
"""What texts of several lines stand in."""


def digest_of(text: str) -> str:
    """Return the SHA-256 that a text has in the vault."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def current(known: Map, path: str, symbol: str) -> Entity | None:
    """Return an entity if it is authoritative."""
    entity = known.entity(f"{path}::{symbol}")
    return entity if entity is not None and entity.state == "AUTHORITATIVE" else None


def text_of(known: Map, entity: Entity | None) -> str | None:
    """Return the text of an entity, where it is kept."""
    if entity is None or entity.artifact is None or entity.withheld:
        return None
    return known.text(entity.artifact)


def around(known: Map, path: str, symbol: str) -> tuple[Entity, ...]:
    """Return the authoritative entities whose texts hold the one of a symbol, innermost first."""
    text = text_of(known, current(known, path, symbol))
    if text is None:
        return ()
    found = []
    for name in known.symbols(path):
        if symbol.startswith(f"{name}.") or (name.startswith(_IMPL) and name != symbol):
            entity = current(known, path, name)
            outer = text_of(known, entity)
            if entity is not None and outer is not None and text in outer:
                found.append((len(outer), entity))
    return tuple(entity for _, entity in sorted(found, key=lambda pair: pair[0]))


def inside(known: Map, path: str, symbol: str) -> tuple[str, ...]:
    """Return the authoritative symbols that stand in another one; where texts are not kept, all
    that are named after it."""
    text = text_of(known, current(known, path, symbol))
    found = []
    for name in known.symbols(path):
        if name == symbol or not (name.startswith(f"{symbol}.") or symbol.startswith(_IMPL)):
            continue
        inner = text_of(known, current(known, path, name))
        if text is None or inner is None:
            found += [name] if name.startswith(f"{symbol}.") else []
        elif inner in text:
            found.append(name)
    return tuple(found)


def spliced(text: str, old: str, new: str) -> str | None:
    """Return a text with the one place of an old part replaced; None unless it is one place."""
    return text.replace(old, new) if old and text.count(old) == 1 else None


def with_parts(
    known: Map, entities: Sequence[Entity], old: Definition, new: Definition
) -> list[Definition] | None:
    """Return entities with a definition inside them replaced; None when one cannot be made."""
    made = []
    for entity in entities:
        text = text_of(known, entity)
        if text is None or old.text is None or new.text is None:
            return None
        after = spliced(text, old.text, new.text)
        if after is None:
            return None
        nodes = max(0, entity.nodes - old.nodes + new.nodes)
        made.append(Definition(entity.symbol, digest_of(after), nodes, estimate(after), after))
    return made


def column(text: str, offset: int) -> str:
    """Return what stands before a place on its line."""
    return text[text.rfind("\n", 0, offset) + 1 : offset]


def moved_to(text: str, have: str, want: str) -> str | None:
    """Return a definition's text for another column; None when that could change what it says."""
    if have == want:
        return text
    if have.strip() or want.strip():
        return None
    first, *rest = text.split("\n")
    lines = [first]
    for line in rest:
        if not line.strip():
            lines.append(line)
        elif line.startswith(have) and not _in_quotes(lines, line[len(have) :]):
            lines.append(want + line[len(have) :])
        else:
            return None
    return "\n".join(lines)


def _in_quotes(before: Sequence[str], line: str) -> bool:
    """Tell whether a line that is not indented stands in a text of several lines."""
    if line[:1].isspace():
        return False
    text = "\n".join(before)
    return any(text.count(quotes) % 2 for quotes in _QUOTES)
