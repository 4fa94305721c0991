"""Syncing with a peer: another project, its database, its `sync --serve` on this machine, or its
`mcp --share`, wherever a command reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import Busy, HoldfastError, InvalidInput, Unsupported
from holdfast.kernel.limits import SYNC_WAIT_S
from holdfast.ledger.peers.merging import Synced, sync
from holdfast.ledger.peers.source import ReaderSource, Source
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.files import make_folder
from holdfast.storage.locks import file_lock
from holdfast.wiring.looking import open_reader
from holdfast.wiring.peer_folders import PeerFolders
from holdfast.wiring.peers import find_peer, open_peer
from holdfast.wiring.places import place_of
from holdfast.wiring.sync_client import SCHEME, HttpSource

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class SyncReport(msgspec.Struct, frozen=True):
    """What became of a sync, and whether what came can be folded here."""

    synced: Synced
    folded: bool
    problem: str | None = None
    """Why it cannot be folded; its entries are here all the same."""


def sync_with(
    project: Project,
    peer: str,
    *,
    token: str | None = None,
    over_mcp: bool = False,
    progress: Progress = no_progress,
) -> SyncReport:
    """Bring what is here of a peer up to date, and fold it into stores of its own.

    `over_mcp`: the peer is a command that starts its MCP server, or the address of that.
    """
    place = project.place
    if place.owner is not None:
        raise InvalidInput(
            "A peer's chain is not synced with others here.",
            meaning="Nothing was asked.",
            remedy="Sync the project's own ledger.",
        )
    make_folder(str(place.peers))
    folders = PeerFolders(place)
    with (
        _mcp_source(peer, token) if over_mcp else _source(peer, token) as source,
        file_lock(str(place.peers / "sync.lock"), wait_s=SYNC_WAIT_S) as held,
    ):
        if held is None:
            raise Busy(
                f"Another sync is at work for more than {SYNC_WAIT_S:g} s.",
                meaning="Nothing was asked.",
                remedy="Try again when it is done.",
            )
        folders.clear_drafts()
        name = f"mcp: {peer}" if over_mcp else peer
        synced = sync(project.ledger, source, folders, name=name, progress=progress)
    if synced.outcome == "refused" or not synced.size:
        return SyncReport(synced, folded=False)
    return _folded(project, synced)


def _folded(project: Project, synced: Synced) -> SyncReport:
    """Bring the peer's own kept folds up to date. A newer holdfast's types are no reason to fail:
    the entries are here and proved."""
    from holdfast.index.views import Views

    place = find_peer(project.place, synced.ledger)
    reader = open_peer(place)
    try:
        with Views(str(place.views)) as views:
            views.catch_up(reader)
            folded = views.fold_up(reader)
    except HoldfastError as problem:
        return SyncReport(synced, folded=False, problem=problem.what)
    finally:
        reader.close()
    if folded < synced.size:
        return SyncReport(synced, folded=False, problem=f"entry {folded} cannot be folded here")
    return SyncReport(synced, folded=True)


@contextmanager
def _source(peer: str, token: str | None) -> Iterator[Source]:
    if "://" in peer:
        if not peer.startswith(SCHEME) or token is None:
            raise InvalidInput(
                f"{peer[:200]!r} is asked without a token."
                if token is None
                else f"{peer[:200]!r} is not an address of this machine.",
                meaning="Nothing was asked.",
                remedy=f"Give {SCHEME}127.0.0.1:PORT and --token, both as `holdfast sync --serve` "
                "prints them.",
            )
        yield HttpSource(peer, token)
        return
    if token is not None:
        raise InvalidInput(
            "A token is for a peer that listens, not for a path.",
            meaning="Nothing was asked.",
            remedy="Leave out --token; who may read the files may read the ledger.",
        )
    reader = open_reader(place_of(Path(peer)).database, inspect=True)
    try:
        yield ReaderSource(reader)
    finally:
        reader.close()


def _mcp_source(peer: str, token: str | None) -> AbstractContextManager[Source]:
    try:
        from holdfast.wiring.sync_mcp import mcp_source
    except ModuleNotFoundError as missing:
        raise Unsupported(
            f"Syncing over MCP needs {missing.name}, which is not installed.",
            meaning="Nothing was asked.",
            remedy="Install holdfast with its extra `mcp`.",
        ) from missing
    return mcp_source(peer, token)
