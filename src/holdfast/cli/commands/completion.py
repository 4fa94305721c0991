"""`holdfast completion`."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, print_json

VARIABLE: Final = "_HOLDFAST_COMPLETE"
"""What the shell's function sets when it asks; click answers."""


@make_command(
    example="""
    holdfast completion fish > ~/.config/fish/completions/holdfast.fish
    eval "$(holdfast completion bash)"     # in ~/.bashrc
    eval "$(holdfast completion zsh)"      # in ~/.zshrc, behind compinit
    """
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the script that lets SHELL complete commands, options and their values."""
    made = get_completion_class(shell)
    assert made is not None
    whole = made(ctx.find_root().command, {}, "holdfast", VARIABLE)
    # Not `source()`: for bash that looks at the shell's version by running it.
    script = whole.source_template % whole.source_vars()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        print_bytes(script.encode())
