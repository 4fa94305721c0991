"""The reference of commands, from their own help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from holdfast.cli.root import root

WIDTH = 88
"""Characters in a line, whatever the terminal."""

INTRODUCTION = """\
# Commands

<!-- Written by `make docs` from the commands themselves. -->

Every command but `completion` has `--json` for scripts.
Data goes to standard output, talk to standard error.
Exit codes: 0 done, 1 no (not found, verification failed), 2 error or misuse.
What the JSON looks like: [JSON output](reference/json.md).
"""

WHAT_FOR: Final = (
    ("init status doctor config", "start, look, find out what is wrong"),
    (
        "session resume search restore lost",
        "come back: to the last state, a decision, a whole session, what a compaction dropped",
    ),
    ("decide checkpoint record log show", "write and read entries"),
    ("ground evidence ghost fork pivot", "prove what was decided, settle what conflicts"),
    (
        "task notes attention clear handoff",
        "what there is to do, what people read, the gate before a clear, work for other agents",
    ),
    ("heal integrity protocols", "bring back what was damaged, what agents are told to do"),
    (
        "show outline tokens",
        "the code that an identifier stands for, what a file defines, what a text takes",
    ),
    ("fact scene pending milestone", "what is so, where the story is, what waits for an answer"),
    ("save boot at diff rollback export pin compactions", "save, rebuild, travel in time"),
    ("agents hook pause mcp", "let agents record by themselves, or not; the ledger as their tools"),
    ("web proxy up", "look at it in a browser; keep the code before the model true; both at once"),
    ("sync import", "keep other ledgers beside this one, proved; take in what others kept"),
    ("seal erase backup", "move old entries into archives, let go, keep a proven copy"),
    ("verify metrics", "prove, measure"),
    ("demo completion", "see it work; let the shell complete commands"),
)
"""Which command for what: what somebody looks for who does not know its name yet."""


def page() -> str:
    """Return the page."""
    settings = {**root.context_settings, "terminal_width": WIDTH}
    context = click.Context(root, info_name="holdfast", **settings)
    parts = [INTRODUCTION, _table(), _section("holdfast", root, context)]
    parts += (_section(name, command, at) for name, command, at in _commands(root, context))
    return "\n".join(parts)


def _table() -> str:
    names = (" · ".join(f"`{name}`" for name in names.split()) for names, _ in WHAT_FOR)
    rows = (f"| {name} | {what} |\n" for name, (_, what) in zip(names, WHAT_FOR, strict=True))
    return "| command | what for |\n|---|---|\n" + "".join(rows)


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
