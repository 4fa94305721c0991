"""Judging the text of one entity, spelled `path::symbol`: the others of its file stay as they are.

Where it stands in others (a method in its class), these become what they are with the new text in
the place of the old one; where that cannot be told, a model's text waits, and after the user's the
others are doubted.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.code.values import Symbol
from holdfast.kernel.tokens import estimate
from holdfast.kernel.types import Grant
from holdfast.proxy.cases import Case, is_whole
from holdfast.proxy.moving import Definition
from holdfast.proxy.splicing import (
    around,
    column,
    current,
    digest_of,
    inside,
    moved_to,
    spliced,
    text_of,
    with_parts,
)
from holdfast.proxy.values import Entity
from holdfast.proxy.weighing import collapse, named, shrunk

_BESIDE: Final = frozenset({"go", "rust"})
"""Languages whose methods stand beside their type."""


def judge_snippet(case: Case, share: float) -> None:
    """Judge the text of one entity."""
    symbol = case.piece.symbol
    if symbol is None or case.piece.speaker == "tool":
        return
    members = _members(case, symbol)
    if not members:
        case.unlinked = True
        return
    target = members[0]
    fault = is_whole(case.piece, per_definition=True) or _fault(case, members, target)
    if fault:
        case.propose(members, fault)
        return
    _judge_sound(case, members, share)


def _judge_sound(case: Case, members: list[Symbol], share: float) -> None:
    """Judge a text that is whole and of that entity."""
    target, users = members[0], case.piece.speaker == "user"
    old = current(case.known, case.path, target.qualified)
    defined = {one.qualified for one in members}
    lost = [n for n in inside(case.known, case.path, target.qualified) if n not in defined]
    placed = _place(case, members, old)
    if placed is None and not users:
        case.propose(members, f"where {target.qualified} stands in others is not certain")
        return
    definitions = placed or [case.definition(one) for one in members]
    if old is not None and not users:
        small = collapse(
            (old.nodes, old.tokens), (definitions[0].nodes, definitions[0].tokens), share
        )
        small = small or shrunk(case.known, case.piece, members, (), 0)
        if small or lost:
            why = small or f"it no longer defines {named(lost)}"
            case.propose(members, why, sound=not small)
            return
    _raise(case, definitions, lost, is_placed=placed is not None)


def _raise(case: Case, new: list[Definition], lost: list[str], *, is_placed: bool) -> None:
    """Make the definitions authoritative, and what they stand in."""
    users = case.piece.speaker == "user"
    grant: Grant = "write-head" if users else "parity"
    reason = "the user gave it" if users else "every definition in it is still there"
    target = new[0].symbol
    before = current(case.known, case.path, target)
    outer = around(case.known, case.path, target)
    old = _as_definition(before, text_of(case.known, before))
    made = with_parts(case.known, outer, old, new[0]) if old is not None and is_placed else None
    case.promote_all([one for one in new if _is_news(case, one)], reason, grant)
    if made is not None:
        case.promote_all(made, f"{target} in it was replaced", grant)
    elif users:
        for name in _holders(case, target):
            case.doubt(name, f"the user gave another {target}")
    case.bury(lost, f"the new text of {target} no longer has it")
    _settle(case, old, new[0], is_placed=is_placed)


def _settle(case: Case, old: Definition | None, new: Definition, *, is_placed: bool) -> None:
    """Put the new text into the whole file, where it is known and that is certain."""
    digest = case.known.file(case.path)
    if digest is None:
        return
    text, after = case.known.text(digest), None
    if text is not None and old is not None and old.text is not None and is_placed:
        after = spliced(text, old.text, new.text or "")
    if after is None:
        case.settle(None, None, f"{new.symbol} in it was replaced")
    else:
        case.settle(digest_of(after), after, f"{new.symbol} in it was replaced")


def _members(case: Case, symbol: str) -> list[Symbol]:
    """Return the definition of that name and what stands in it; nothing when there is none."""
    target = next((one for one in case.reading.symbols if one.qualified == symbol), None)
    if target is None:
        return []
    within = [
        one
        for one in case.reading.symbols
        if one is not target
        and target.start_byte <= one.start_byte
        and one.end_byte <= target.end_byte
    ]
    return [target, *within]


def _fault(case: Case, members: list[Symbol], target: Symbol) -> str:
    """Say why a text is not that of the entity alone; empty when it is."""
    if target.errors:
        return f"{target.qualified} has errors"
    if target.elided:
        return f"{target.qualified} is not all written out"
    for one in case.reading.symbols:
        is_around = one.start_byte <= target.start_byte and target.end_byte <= one.end_byte
        if not is_around and one not in members:
            return f"it defines {one.qualified}, too"
    if case.piece.speaker == "model" and _needs_place(case, target):
        return f"where {target.qualified} is to stand is not known"
    return ""


def _needs_place(case: Case, target: Symbol) -> bool:
    """Tell whether it is new and belongs into another definition."""
    symbol = target.qualified
    if current(case.known, case.path, symbol) is not None:
        return False
    return bool(_holders(case, symbol)) or not _has_own_place(case, target)


def _has_own_place(case: Case, target: Symbol) -> bool:
    """Tell whether it stands in nothing: it has no owner, or names it (`owner.name = …`)."""
    *_, owner, name = ("", *target.qualified.split("."))
    if not owner or case.piece.language in _BESIDE:
        return True
    code = (case.piece.text or "").encode()[target.start_byte : target.end_byte]
    spelled = rf"(?<!\w){re.escape(owner)}\s*(?:\.|::?)\s*(?:prototype\.)?{re.escape(name)}(?!\w)"
    return re.search(spelled, code.decode("utf-8", "replace")) is not None


def _holders(case: Case, symbol: str) -> list[str]:
    """Return the authoritative definitions that a definition's name says it stands in."""
    parents = [symbol[:at] for at, char in enumerate(symbol) if char == "."]
    if case.piece.language == "go":
        return []
    if case.piece.language == "rust":
        there = [name for name in case.known.symbols(case.path) if name.startswith("impl ")]
        return [name for name in there if name.split()[-1] in parents]
    return [name for name in parents if current(case.known, case.path, name) is not None]


def _place(case: Case, members: list[Symbol], old: Entity | None) -> list[Definition] | None:
    """Return the definitions as they stand at the old one's column; None when that is not certain.

    Where it stands in nothing, they are as they came.
    """
    target = members[0]
    source = (case.piece.text or "").encode()[: target.start_byte].decode("utf-8", "replace")
    have = column(source, len(source))
    want = _column(case, target.qualified, text_of(case.known, old))
    if want is None:
        nested = old is not None and bool(_holders(case, target.qualified))
        return None if nested or have else [case.definition(one) for one in members]
    placed = [_moved(case.definition(one), have, want) for one in members]
    return [one for one in placed if one is not None] if None not in placed else None


def _column(case: Case, symbol: str, old: str | None) -> str | None:
    """Return what stands before a definition on its line now; None when that is not known."""
    outer = around(case.known, case.path, symbol)
    digest = case.known.file(case.path)
    holder = text_of(case.known, outer[0]) if outer else digest and case.known.text(digest)
    if not old or not holder or holder.count(old) != 1:
        return None
    return column(holder, holder.index(old))


def _moved(one: Definition, have: str, want: str) -> Definition | None:
    text = moved_to(one.text or "", have, want)
    if text is None:
        return None
    if text == one.text:
        return one
    return Definition(one.symbol, digest_of(text), one.nodes, estimate(text), text)


def _is_news(case: Case, one: Definition) -> bool:
    entity = current(case.known, case.path, one.symbol)
    return entity is None or entity.artifact != one.artifact or entity.stale


def _as_definition(entity: Entity | None, text: str | None) -> Definition | None:
    if entity is None or entity.artifact is None:
        return None
    return Definition(entity.symbol, entity.artifact, entity.nodes, entity.tokens, text)
