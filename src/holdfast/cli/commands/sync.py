"""`holdfast sync`: keep other ledgers beside this one; let others read this one."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.inputs import read_given
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.cli.team_rows import peer_line

if TYPE_CHECKING:
    from holdfast.wiring.syncing import SyncReport


@make_command(
    example="""
    holdfast sync ../other-project
    holdfast sync
    holdfast --peer 5f0c log
    holdfast sync --serve --port 4517
    holdfast sync http://127.0.0.1:4517 --token @../other-project/.holdfast/peers/sync.token
    holdfast sync --mcp 'ssh build-host holdfast -C shop mcp --share'
    """
)
@click.argument("peer", required=False)
@click.option("--token", metavar="T|@FILE|-", help="What the peer's --serve asks for.")
@click.option("--mcp", metavar="COMMAND|URL", help="The peer's `holdfast mcp --share` instead.")
@click.option("--serve", is_flag=True, help="Let others on this machine read this ledger.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), metavar="N", help="Port for --serve [any free one]."
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    peer: str | None,
    token: str | None,
    mcp: str | None,
    serve: bool,
    port: int | None,
    as_json: bool,
) -> int:
    """Take in what is new in another ledger, PEER: a project, a database, or http://127.0.0.1:PORT.

    Its entries are proved and kept as its own chain, beside ours; of ours nothing changes but one
    entry that names its head. A peer that contradicts what it said before is refused, with both
    sides kept as evidence: exit code 1. Without PEER: list the peers. `holdfast --peer ID COMMAND`
    looks at one of them.

    With --mcp the peer is asked by the Model Context Protocol: COMMAND, started without a shell,
    is what starts its server, on this machine or on another; URL is that of one that listens on
    this machine, and then --token is needed. The checks are the same.
    """
    if sum((serve, peer is not None, mcp is not None)) > 1:
        raise click.UsageError("Give either a peer or --serve or --mcp.")
    if not serve and port is not None:
        raise click.UsageError("--port goes with --serve.")
    if peer is None and mcp is None and token is not None:
        raise click.UsageError("--token goes with a peer.")
    if serve:
        return _serve(invocation, port or 0, as_json=as_json)
    if mcp is not None:
        return _sync(invocation, mcp, token, over_mcp=True, as_json=as_json)
    if peer is None:
        return _list(invocation, as_json=as_json)
    return _sync(invocation, peer, token, as_json=as_json)


def _sync(
    invocation: Invocation,
    peer: str,
    token: str | None,
    *,
    over_mcp: bool = False,
    as_json: bool,
) -> int:
    from holdfast.wiring.syncing import sync_with

    given = None if token is None else read_given(token).decode("ascii", "replace").strip()
    with (
        invocation.recorder("user", None, None) as project,
        progress("Taking in what is new") as advance,
    ):
        report = sync_with(project, peer, token=given, over_mcp=over_mcp, progress=advance)
    if as_json:
        print_json(_row(report))
    else:
        _tell(report)
    return NO if report.synced.outcome == "refused" else DONE


def _row(report: SyncReport) -> dict[str, Any]:
    """Return the answer for scripts; the evidence itself is in the entry and the file."""
    synced = report.synced
    row: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(synced, contradiction=None))
    if found := synced.contradiction:
        shown = msgspec.structs.replace(found, evidence=None)
        row["contradiction"] = msgspec.to_builtins(shown)
        del row["contradiction"]["evidence"]
    return row | {"folded": report.folded, "problem": report.problem}


def _tell(report: SyncReport) -> None:
    synced = report.synced
    name = synced.ledger[:12]
    match synced.outcome:
        case "merged":
            here = "is" if synced.size == 1 else "are"
            say(
                f"Merged {synced.new:,} new {_entries(synced.new)} of {name} (entry {synced.seq});"
                f" {synced.size:,} of it {here} here, proved."
            )
        case "same":
            here = "is" if synced.size == 1 else "are"
            known = f"{synced.size:,} {_entries(synced.size)} of it {here} here, proved"
            say(f"Nothing new in {name}; {known}.")
        case "behind":
            say(
                f"{name} has {synced.told:,} {_entries(synced.told)}; "
                f"{synced.size:,} of it are here, and the same."
            )
        case "refused":
            assert synced.contradiction is not None
            talk(visible(f"REFUSED: {synced.contradiction.reason}"), "bold red")
            talk(f"Both sides are kept (entry {synced.seq}); what was merged before stays.")
            if synced.evidence:
                talk(visible(f"Byte for byte: {synced.evidence}"))
    if report.problem:
        talk(visible(f"What is true in it cannot be worked out here: {report.problem}"))


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"


def _list(invocation: Invocation, *, as_json: bool) -> int:
    from holdfast.wiring.peers import peers

    found = peers(invocation.place())
    for one in found:
        if as_json:
            print_json(one)
        else:
            say(visible(peer_line(one)))
    if not found:
        talk("No other ledger was synced yet.")
    return DONE


def _serve(invocation: Invocation, port: int, *, as_json: bool) -> int:
    """Answer until it is interrupted."""
    from holdfast.wiring.sync_server import serve, token_of

    with invocation.project(publish=False) as project:
        token = token_of(project.place)
        with serve(project.ledger.reader, token, port) as server:
            if as_json:
                print_json({"address": server.address, "token": token})
            else:
                say(f"address  {server.address}")
                say(f"token    {visible(str(project.place.peers / 'sync.token'))}")
                talk("Others on this machine can read this ledger until this ends (Ctrl-C).")
            sys.stdout.flush()
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
    return DONE
