"""`holdfast proxy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast import config
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.wiring.places import Place, place_of

if TYPE_CHECKING:
    from holdfast.proxy.audit import Mode


@make_command(
    example=(
        "holdfast proxy --upstream http://127.0.0.1:11434\n"
        "holdfast proxy --upstream gpt-=https://api.openai.com"
        " --upstream claude-=https://api.anthropic.com --port 0"
    )
)
@click.option(
    "--upstream",
    "upstreams",
    metavar="[PREFIX=][KIND+]URL",
    multiple=True,
    help="A model server; several by the beginnings of their models' names [else the setting].",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on, 0 for a free one [else the setting].",
)
@click.option("--ledger", metavar="PATH", help="Ledger to use [else one in your data folder].")
@click.option("--project", is_flag=True, help="Use the ledger of the project this folder is in.")
@click.option("--session", metavar="S", help="Session that what crosses belongs to [else none].")
@click.option("--debug", is_flag=True, help="Answer /debug/last-prompt [else the setting].")
@click.option(
    "--audit",
    type=click.Choice(["auto", "on", "off"]),
    help="Ask the model whether its work is done; auto: only local ones [else the setting].",
)
@click.option("--token", metavar="T", help="Token of the diagnostics [else a new one].")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    upstreams: tuple[str, ...],
    port: int | None,
    ledger: str | None,
    project: bool,
    session: str | None,
    debug: bool,
    audit: Mode | None,
    token: str | None,
    as_json: bool,
) -> int:
    """Stand between clients and models, and keep what is true of the code before the model.

    Listens on this machine only. When it is ready it prints one line of JSON: where it listens,
    its ledger, and the token that /state, /recent and /doctor ask for. Ends on SIGINT or SIGTERM,
    with exit code 1 when something that crossed stayed unrecorded.
    """
    del as_json  # what it prints is JSON anyway; an error is with it
    place = _place(invocation, ledger, project)
    settings = config.load(place.settings).settings
    proxy = settings.proxy
    from holdfast.cli import serving
    from holdfast.wiring.proxy_options import Options

    options = Options(
        place=place,
        settings=settings,
        upstreams=upstreams,
        port=proxy.port if port is None else port,
        audit=audit or proxy.audit,
        debug=debug or proxy.debug,
        token=token,
        session=session or settings.record.session,
    )
    if serving.is_own_process():
        serving.begin_anew(options)
    return serving.serve(options)


def _place(invocation: Invocation, ledger: str | None, project: bool) -> Place:
    """Return the ledger that is named here or before the command, the project's, or the user's."""
    from pathlib import Path

    if project:
        if ledger is not None:
            raise click.UsageError("Name a ledger, or use --project: not both.")
        return invocation.place()
    if ledger is not None:
        return place_of(Path(ledger))
    return invocation.named_place() or Place(config.data_folder() / "proxy" / "ledger.db")
