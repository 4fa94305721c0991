"""Anchors as the web page shows them: tree heads that were written down elsewhere than in the
ledger, each held against the ledger as it is now.

A ledger that was rewritten agrees with none that is older. Compared is the tree that the ledger
keeps: whether its entries are those of the tree is for a verify to prove. What could not be looked
at is told as that, and agrees with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.evidence import git_state
from holdfast.evidence.git import Git, find
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import INTEGER_MAX, WEB_ANCHORS_MAX
from holdfast.ledger import published
from holdfast.ledger.campaigns.members import Members
from holdfast.ledger.campaigns.reading import opened
from holdfast.ledger.peers.known import head_of
from holdfast.ledger.pinning import Pin, Pinning
from holdfast.storage.port import Reader, Selection
from holdfast.views.pins import environment_pins
from holdfast.web.values import Page
from holdfast.wiring.peers import Peer, open_peer, peers_of
from holdfast.wiring.places import DATABASE, Place
from holdfast.wiring.saves import SavesFolder, campaigns_beside
from holdfast.wiring.web_answers import Looked, Shown

AGREES: Final = "agrees"
DIFFERS: Final = "differs"
COULD_NOT: Final = "could not look"

GIT_MAX: Final = 5
"""Newest tree heads in git that are compared; each is several questions to git."""


class Anchor(msgspec.Struct, frozen=True):
    """A tree head that somebody else keeps."""

    kind: str
    where: str
    state: str
    size: int | None = None
    root: str | None = None
    why: str | None = None


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"anchors": lambda _: anchors(site)}


def anchors(site: Looked) -> dict[str, Any]:
    """Return every anchor that there is, with whether the ledger agrees; nothing is asked of other
    machines."""
    kinds: Mapping[str, Callable[[Looked], Iterator[Anchor]]] = {
        "git": _in_git,
        "save": _saves,
        "campaign": _campaigns,
        "state": _state,
        "peer": _peers,
    }
    found, more = list[Anchor](), list[str]()
    for kind, look in kinds.items():
        most = GIT_MAX if kind == "git" else WEB_ANCHORS_MAX
        try:
            kept = look(site)
            found += islice(kept, most)
            more += (kind for _ in islice(kept, 1))
        except (HoldfastError, OSError) as problem:
            found.append(_could_not(kind, kind, problem))
    return {
        "anchors": [msgspec.to_builtins(one) for one in found],
        "more": more,
        "pins": [msgspec.to_builtins(pin) for pin in _pins(site)],
    }


def compared(reader: Reader, kind: str, where: str, size: int, root: str) -> Anchor:
    """Hold a tree head against the ledger."""
    here = reader.head().size
    if size > here:
        why = f"it tells of {size:,} entries; the ledger holds {here:,}"
        return Anchor(kind, where, DIFFERS, size, root, why)
    try:
        now = reader.node(0, size).hex() if size else root
    except HoldfastError as problem:
        return Anchor(kind, where, COULD_NOT, size, root, problem.what)
    if now == root:
        return Anchor(kind, where, AGREES, size, root)
    why = f"the ledger's first {size:,} entries are under another root: {now}"
    return Anchor(kind, where, DIFFERS, size, root, why)


def _in_git(site: Looked) -> Iterator[Anchor]:
    root = site.place.project
    git = "the ledger belongs to no project" if root is None else find(root)
    where = git_state.REF
    if isinstance(git, str):
        yield Anchor("git", where, COULD_NOT, why=git)
        return
    path = f"{site.reader.head().ledger}/{git_state.TREE_HEAD}"
    for commit in git.history(where, path, commits_max=GIT_MAX + 1):
        yield _commit(site.reader, git, commit, path)


def _commit(reader: Reader, git: Git, commit: str, path: str) -> Anchor:
    where = f"{git_state.REF} {commit[:12]}"
    content = git.read(f"{commit}:{path}", bytes_max=200)
    if content is None:
        return Anchor("git", where, COULD_NOT, why="the commit has none")
    size, _, root = content.decode("utf-8", "replace").strip().partition(":")
    if not (size.isascii() and size.isdigit() and len(size) <= len(str(INTEGER_MAX))):
        return Anchor("git", where, COULD_NOT, why="what it keeps is no tree head")
    return compared(reader, "git", where, int(size), root)


def _saves(site: Looked) -> Iterator[Anchor]:
    ledger = site.reader.head().ledger
    for save in SavesFolder(site.place.saves).list().saves:
        if save.ledger == ledger:
            yield compared(site.reader, "save", save.snapshot_id, save.tree_size, save.tree_root)
        else:
            why = "it is of another ledger"
            yield Anchor("save", save.snapshot_id, DIFFERS, save.tree_size, save.tree_root, why)


def _campaigns(site: Looked) -> Iterator[Anchor]:
    """Yield what campaign files beside the ledger say of it; those of others are none of it."""
    for path in campaigns_beside(site.place):
        try:
            with opened(path) as handle:
                told = Members(handle).manifest
        except (HoldfastError, OSError) as problem:
            yield _could_not("campaign", path.name, problem)
            continue
        if told.ledger == site.reader.head().ledger:
            yield compared(site.reader, "campaign", path.name, told.size, told.root)


def _state(site: Looked) -> Iterator[Anchor]:
    """Yield what the state on disk says: it names the last entry by its hash, and no root."""
    path = site.place.state / published.CURRENT_STATE
    if not path.exists():
        return
    where = path.name
    document = published.read(path)
    size = None if document is None else document.get("as_of_seq")
    if document is None or not isinstance(size, int):
        yield Anchor("state", where, COULD_NOT, why="it is torn, or was changed by hand")
        return
    head, leaf = site.reader.head(), str(document.get("head"))
    size += 1
    if document.get("ledger") != head.ledger or size > head.size:
        why = "it tells of another ledger, or of more than this one holds"
        yield Anchor("state", where, DIFFERS, size, leaf, why)
        return
    now = site.reader.node(size - 1, size).hex() if size else leaf
    other = None if now == leaf else f"entry {size - 1:,} is another one: {now}"
    yield Anchor("state", where, DIFFERS if other else AGREES, size, leaf, other)


def _peers(site: Looked) -> Iterator[Anchor]:
    for peer in peers_of(site.place, site.reader):
        yield _peer(site, peer)


def _peer(site: Looked, peer: Peer) -> Anchor:
    """Say what a peer's chain, as it was merged here, holds of ours."""
    where = peer.ledger
    if peer.problem is not None:
        return Anchor("peer", where, COULD_NOT, why=peer.problem)
    ours = site.reader.head().ledger
    try:
        with closing(open_peer(Place(site.place.peers / peer.ledger / DATABASE))) as chain:
            merged = chain.read(Selection(type="peer_merged", newest_first=True))
            for stored in merged:
                head = head_of(entries.read(stored.body))
                if head is not None and head.ledger == ours:
                    return compared(site.reader, "peer", where, head.size, head.root)
    except HoldfastError as problem:
        return _could_not("peer", where, problem)
    return Anchor("peer", where, "none", why="it has merged nothing of this ledger so far")


def _pins(site: Looked) -> list[Pin]:
    """Return the pins that saves depend on, as they are and as the newest save has them."""
    save = SavesFolder(site.place.saves).newest().save
    saved = [] if save is None else [save.pins_snapshot]
    return Pinning(site.project.ledger, environment_pins(), saved).all()


def _could_not(kind: str, where: str, problem: Exception) -> Anchor:
    said = problem.what if isinstance(problem, HoldfastError) else str(problem)
    return Anchor(kind, where, COULD_NOT, why=said)
