"""`holdfast web`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holdfast import config
from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.missing import not_installed
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.web_serving import Listening


@make_command(example="holdfast web\nholdfast web --port 0 --open\nholdfast web --json")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on, 0 for a free one [else the setting].",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@json_option
@click.pass_obj
def command(invocation: Invocation, port: int | None, open_page: bool, as_json: bool) -> int:
    """Show the ledger as a page in the browser, live.

    Listens on this machine only, for those who have the link that it prints. Nothing can be changed
    from there. Ends on SIGINT (Ctrl-C) or SIGTERM.
    """
    try:
        from holdfast.wiring.web_serving import serve
    except ModuleNotFoundError as missing:
        raise not_installed("The web page", missing, "web") from missing
    place = invocation.place()
    settings = config.load(place.settings).settings

    def ready(listening: Listening) -> None:
        if as_json:
            print_json(listening)
        else:
            say(listening.url)
            talk("Open the link; Ctrl-C ends it.")
        sys.stdout.flush()
        if open_page:
            import webbrowser

            webbrowser.open(listening.url)

    chosen = settings.web.port if port is None else port
    serve(place, settings, port=chosen, ready=ready, say=lambda text: talk(visible(text)))
    return DONE
