"""Giving a sound proposal its authority, or taking the proposal away.

A proposal goes with the outermost definition that it stands in, and with everything in that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from holdfast.kernel.types import Grant
from holdfast.proxy.moving import Definition, Moves
from holdfast.proxy.splicing import around, current, digest_of, inside, spliced, text_of
from holdfast.proxy.values import Entity, Map, Proposal, Ruling

_NOTHING = Ruling(())


def granted(
    known: Map,
    entity: str,
    episode: str,
    grant: Grant,
    *,
    made_in: Collection[str] | None = None,
) -> Ruling:
    """Return what follows when somebody vouches for the newest sound proposal of an entity; only
    for one that was made in some episodes, if these are named."""
    found = known.entity(entity)
    proposal = _newest(found, (episode,) if grant == "audit" else made_in)
    if found is None or proposal is None:
        return _NOTHING
    group = _group(known, found, proposal)
    names = [one.symbol for one in group]
    outer = group[0]
    if any(one.symbol not in names for one in around(known, found.path, outer.symbol)):
        return _NOTHING  # what it stands in would be another truth
    moves = Moves(known, found.path, proposal.version, episode)
    moves.promote(group, f"given authority by {grant}", grant)
    lost = [name for name in inside(known, found.path, outer.symbol) if name not in names]
    moves.bury(
        [name for name in lost if not _is_kept(known, found.path, name, outer)],
        f"the new text of {outer.symbol} no longer has it",
    )
    _settle(known, moves, found.path, outer)
    return _ruling(moves, proposal.version, [f"{found.path}::{name}" for name in names])


def lowered(known: Map, entity: str, episode: str, reason: str) -> Ruling:
    """Return what follows when the proposals of an episode are said to be none."""
    found = known.entity(entity)
    proposal = _newest(found, (episode,))
    if found is None or proposal is None:
        return _NOTHING
    moves = Moves(known, found.path, proposal.version, episode)
    moves.drop(_group(known, found, proposal), reason)
    return _ruling(moves, proposal.version, [])


def _ruling(moves: Moves, version: str, promoted: Sequence[str]) -> Ruling:
    return Ruling(
        moves.drafts(),
        promoted=tuple(promoted),
        version=version,
        replaced=tuple(moves.replaced),
        settled=tuple(moves.settled),
    )


def _newest(entity: Entity | None, episodes: Collection[str] | None) -> Proposal | None:
    """Return the newest sound proposal; of some episodes, if these are named."""
    for proposal in () if entity is None else entity.proposals:
        made_in = proposal.version.rpartition("/")[0]
        if proposal.sound and (episodes is None or made_in in episodes):
            return proposal
    return None


def _group(known: Map, entity: Entity, proposal: Proposal) -> list[Definition]:
    """Return the outermost proposed definition that holds this one, and all that it holds."""
    this = _definition(known, entity.symbol, proposal)
    group = list(_of_version(known, entity.path, proposal.version))
    outer = max(
        (one for one in group if _holds(one, this)),
        key=lambda one: len(one.text or ""),
        default=this,
    )
    within = [one for one in group if one.symbol != outer.symbol and _holds(outer, one)]
    return [outer, *within]


def _holds(outer: Definition, inner: Definition) -> bool:
    """Tell whether a definition stands in another: by its name, or in Rust by its text."""
    if outer.symbol == inner.symbol:
        return True
    named = inner.symbol.startswith(f"{outer.symbol}.") or outer.symbol.startswith("impl ")
    return named and outer.text is not None and inner.text is not None and inner.text in outer.text


def _of_version(known: Map, path: str, version: str) -> Iterator[Definition]:
    for symbol in known.proposed(path):
        entity = known.entity(f"{path}::{symbol}")
        for proposal in () if entity is None else entity.proposals:
            if proposal.sound and proposal.version == version:
                yield _definition(known, symbol, proposal)


def _definition(known: Map, symbol: str, proposal: Proposal) -> Definition:
    text = known.text(proposal.artifact)
    return Definition(symbol, proposal.artifact, proposal.nodes, proposal.tokens, text)


def _is_kept(known: Map, path: str, symbol: str, outer: Definition) -> bool:
    """Tell whether a definition that did not change still stands in a new text; if that is not
    kept, it is taken to."""
    text = text_of(known, current(known, path, symbol))
    return text is None or outer.text is None or text in outer.text


def _settle(known: Map, moves: Moves, path: str, outer: Definition) -> None:
    digest = known.file(path)
    if digest is None:
        return
    text, old = known.text(digest), text_of(known, current(known, path, outer.symbol))
    after = None
    if text is not None and old is not None and outer.text is not None:
        after = spliced(text, old, outer.text)
    new = None if after is None else digest_of(after)
    moves.settle(new, after, f"{outer.symbol} in it was replaced")
