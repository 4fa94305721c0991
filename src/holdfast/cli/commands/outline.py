"""`holdfast outline`."""

from __future__ import annotations

import sys

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.wiring.retrieving import Outlined, outline


@make_command(
    example="""
    holdfast outline src/queue.py
    holdfast outline '${PROJECT_ROOT}/src/queue.py' --tokens 200 --json
    """
)
@click.argument("file", metavar="FILE")
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Leave out inner, then last definitions until it takes about N tokens.",
)
@json_option
@click.pass_obj
def command(invocation: Invocation, file: str, tokens: int | None, as_json: bool) -> None:
    """List what a file of the project defines, with the lines of each definition.

    What the budget has no room for is left out and counted. Languages without a grammar are read by
    line patterns; a project adds its own in .holdfast/symbols.json. Exit code 2 when the file could
    not be looked at: no grammar, binary, too large, or it kept the parser busy for too long.
    """
    found = outline(invocation.files(), file, tokens or sys.maxsize)
    if as_json:
        print_json(
            {
                "path": found.path,
                "language": found.reading.language,
                "by": found.reading.by,
                "errors": found.reading.errors,
                "text": found.outline.text,
                "tokens": found.outline.tokens,
                "counter": found.outline.counter,
                "shown": found.outline.shown,
                "left_out": found.outline.left_out,
            }
        )
        return
    if found.outline.text:
        say(visible(found.outline.text, lines=True))
    for remark in _remarks(found):
        talk(remark, "bold yellow")


def _remarks(found: Outlined) -> list[str]:
    reading, shown = found.reading, found.outline
    remarks = []
    if not reading.symbols:
        remarks.append(
            f"{visible(found.path)} defines nothing that a {reading.language} reader finds."
        )
    elif not shown.text:
        remarks.append(f"{shown.left_out:,} definitions are left out: there is room for none.")
    if reading.by == "patterns":
        remarks.append("Read by line patterns: where a definition ends is a guess.")
    if reading.errors:
        remarks.append("Part of the file could not be parsed: definitions in it may be missing.")
    return remarks
