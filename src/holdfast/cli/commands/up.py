"""`holdfast up`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holdfast import config
from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.missing import not_installed
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.upping import Up

_PORT = click.IntRange(0, 65535)


@make_command(example="holdfast up\nholdfast up --upstream http://127.0.0.1:11434 --open")
@click.option(
    "--upstream",
    "upstreams",
    metavar="[PREFIX=][KIND+]URL",
    multiple=True,
    help="A model server [else the setting, else those found here and the clients' own].",
)
@click.option("--port", type=_PORT, help="The proxy's port, 0 for a free one [else the setting].")
@click.option(
    "--web-port", type=_PORT, help="The page's port, 0 for a free one [else the setting]."
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    upstreams: tuple[str, ...],
    port: int | None,
    web_port: int | None,
    open_page: bool,
    as_json: bool,
) -> int:
    """Start the proxy and the web page together, and say what to tell each client.

    Both use the ledger of the project this folder is in, and listen on this machine only. For each
    client that is on the path there is one line to copy. Ends on SIGINT (Ctrl-C) or SIGTERM, with
    exit code 1 when something that crossed stayed unrecorded.
    """
    try:
        from holdfast.wiring.proxying import Options
        from holdfast.wiring.upping import serve_both
    except ModuleNotFoundError as missing:
        raise not_installed("This", missing, "proxy", "code", "web") from missing
    place = invocation.place()
    settings = config.load(place.settings).settings
    options = Options(
        place=place,
        settings=settings,
        upstreams=upstreams,
        port=settings.proxy.port if port is None else port,
        audit=settings.proxy.audit,
        debug=settings.proxy.debug,
        session=settings.record.session,
    )
    unrecorded = serve_both(
        options,
        web_port=settings.web.port if web_port is None else web_port,
        ready=lambda up: _ready(up, open_page=open_page, as_json=as_json),
        say=lambda text: talk(visible(text)),
    )
    return NO if unrecorded else DONE


def _ready(up: Up, *, open_page: bool, as_json: bool) -> None:
    if as_json:
        print_json(up)
    else:
        _tell(up)
    sys.stdout.flush()
    if open_page:
        import webbrowser

        webbrowser.open(up.web.url)


def _tell(up: Up) -> None:
    say(f"page   {up.web.url}", "bold cyan")
    say(f"proxy  {up.proxy.listening}", "bold cyan")
    for upstream in up.upstreams:
        say(f"  asks {visible(upstream)}")
    say()
    say("To go through it:")
    for told in up.clients:
        say(f"  {told.client:<24} {told.line}")
    talk("Ctrl-C ends both.")
