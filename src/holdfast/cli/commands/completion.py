"""`holdfast completion`."""

from __future__ import annotations

import click

from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, print_json
from holdfast.cli.shells import SCRIPTS


@make_command(
    example="""
    holdfast completion fish > ~/.config/fish/completions/holdfast.fish
    eval "$(holdfast completion bash)"     # in ~/.bashrc
    eval "$(holdfast completion zsh)"      # in ~/.zshrc, behind compinit
    """
)
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
@json_option
def command(shell: str, as_json: bool) -> None:
    """Print the script that lets SHELL complete commands, options and their values."""
    script = SCRIPTS[shell]
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        print_bytes(script.encode())
