"""What `status` says of others: their open work, handoffs that wait, ledgers beside this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.cli.summary import shorten

if TYPE_CHECKING:
    from holdfast.wiring.peers import Peer
    from holdfast.wiring.status import Status

SHOWN: Final = 5
"""Lines of each kind; --json has all."""


def team_rows(status: Status) -> list[tuple[str, str]]:
    """Return names and lines, the newest first; what is left out is counted."""
    work = [f"{shorten(one.title)} ({one.by}, entry {one.seq})" for one in status.work_open]
    offers = [f"to {one.to}: {shorten(one.title)} (entry {one.seq})" for one in status.handoffs]
    rows = _bounded("work", work, "holdfast resume")
    rows += _bounded("handoff", offers, "holdfast handoff list")
    return rows + _bounded("peer", [peer_line(one) for one in status.peers], "holdfast sync")


def peer_line(peer: Peer) -> str:
    """Return a peer on one line."""
    refused = f", REFUSED {peer.refused} times" if peer.refused else ""
    problem = f", {peer.problem}" if peer.problem else ""
    source = f" from {peer.source}" if peer.source else ""
    where = f"merged by entry {peer.seq}{source}"
    return f"{peer.ledger}  {peer.entries:,} entries, {where}{refused}{problem}"


def _bounded(name: str, lines: list[str], more: str) -> list[tuple[str, str]]:
    rows = [(name, line) for line in lines[:SHOWN]]
    if len(lines) > SHOWN:
        rows.append((name, f"{len(lines) - SHOWN:,} older ones: `{more}`"))
    return rows
