"""`holdfast mcp`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.missing import not_installed
from holdfast.cli.output import print_json

if TYPE_CHECKING:
    from holdfast.wiring.serving_mcp import Listening


@make_command(
    example="""
    holdfast mcp
    holdfast mcp --session review-2
    holdfast mcp --http --port 8765
    holdfast mcp --share
    """
)
@click.option("--http", "over_http", is_flag=True, help="Listen on this machine instead of stdio.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="With --http: port to listen on [a free one].",
)
@click.option("--token", metavar="T", help="With --http: token to ask for [a new one].")
@click.option(
    "--session",
    metavar="S",
    help="Session that calls belong to [else $HOLDFAST_SESSION, else the open one].",
)
@click.option(
    "--share",
    is_flag=True,
    help="Let other ledgers read this one (`sync --mcp`), and nothing else.",
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    over_http: bool,
    port: int,
    token: str | None,
    session: str | None,
    share: bool,
    as_json: bool,
) -> None:
    """Serve this project's ledger to an agent, by the Model Context Protocol.

    Over stdin and stdout, for the one client that starts it; it ends when they are closed. With
    --http, on this machine only: when it is ready it prints one line of JSON with where it listens,
    its ledger, and the token that requests have to show (`Authorization: Bearer …`); web pages are
    refused. It ends on SIGINT or SIGTERM.

    With --share there are no tools: who reaches the server can read every entry and artifact of
    this ledger, as `holdfast sync --mcp` does, and cannot record. Over HTTP its token is the one of
    `sync --serve`. Without --share nobody can sync over MCP.
    """
    del as_json  # what it prints is JSON anyway; an error is with it
    if not over_http and (port or token is not None):
        raise click.UsageError("--port and --token go with --http.")
    if share and session is not None:
        raise click.UsageError("--share records nothing: it has no session.")
    place = invocation.place()
    place.database.stat()  # nobody listens to an error once the protocol is spoken
    try:
        from holdfast.wiring.mcp.opening import Served
        from holdfast.wiring.serving_mcp import serve_http, serve_stdio
    except ModuleNotFoundError as missing:
        raise not_installed("The MCP server", missing, "mcp") from missing
    served = Served(place, invocation.files().root, Path.cwd(), session)
    if over_http:
        serve_http(served, port=port, token=token, ready=_ready, share=share)
    else:
        serve_stdio(served, share=share)


def _ready(listening: Listening) -> None:
    print_json(listening)
    sys.stdout.flush()
