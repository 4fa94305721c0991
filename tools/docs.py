"""Write the generated parts of the docs anew: the CLI reference, from the commands themselves.

With `--check` nothing is written; the exit code says whether they are current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from holdfast.cli.root import root

REFERENCE = Path(__file__).parent.parent / "docs" / "cli.md"

WIDTH = 88
"""Characters in a line, whatever the terminal."""

INTRODUCTION = """\
# Commands

<!-- Written by `make docs` from the commands themselves. -->

Every command has `--json` for scripts. Data goes to standard output, talk to standard error.
Exit codes: 0 done, 1 no (not found, verification failed), 2 error or misuse.
"""


def reference() -> str:
    """Return the whole reference as Markdown."""
    settings = {**root.context_settings, "terminal_width": WIDTH}
    context = click.Context(root, info_name="holdfast", **settings)
    parts = [INTRODUCTION, _section("holdfast", root, context)]
    parts += (_section(name, command, at) for name, command, at in _commands(root, context))
    return "\n".join(parts)


def _commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield the commands of a group, and behind each one that is a group its own."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        at = click.Context(command, info_name=name, parent=context)
        yield at.command_path, command, at
        if isinstance(command, click.Group):
            yield from _commands(command, at)


def _section(title: str, command: click.Command, context: click.Context) -> str:
    text = command.get_help(context)
    return f"## {title}\n\n```text\n{text}\n```\n"


def main(arguments: list[str]) -> int:
    """Write the reference, or compare it."""
    text = reference()
    if "--check" in arguments:
        current = REFERENCE.read_text() if REFERENCE.exists() else ""
        if current != text:
            print("docs/cli.md is not current: run `make docs`", file=sys.stderr)
        return int(current != text)
    REFERENCE.write_text(text)
    print(f"wrote docs/{REFERENCE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
