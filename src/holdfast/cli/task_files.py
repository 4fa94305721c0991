"""`holdfast task import` and `holdfast task export`: tasks as Beads exchanges them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.inputs import read_given
from holdfast.cli.lazy import ExampleCommand, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_bytes, print_json, say, talk, visible
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.wiring.task_intake import Imported


@click.command(
    "import",
    cls=ExampleCommand,
    example="""
    holdfast task import
    holdfast task import .beads/issues.jsonl
    bd export | holdfast task import -
    """,
)
@click.argument("file", metavar="[FILE|-]", required=False)
@session_option
@actor_options
@json_option
@click.pass_obj
def import_command(
    invocation: Invocation,
    file: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Take in issues of Beads: of FILE, else of `bd`, else of the file that it exported.

    What is new is added, what differs is changed, the rest stays; again is no harm. It is a no when
    something could not be taken in; all else was.
    """
    from holdfast.wiring.tasks import import_content, import_tasks

    content = read_given("-") if file == "-" else None
    with invocation.recorder(actor_kind, actor, session) as project:
        if content is not None:
            done = import_content(project, content)
        else:
            done = import_tasks(project, None if file is None else Path(file))
    return _tell(done, as_json)


def _tell(done: Imported, as_json: bool) -> int:
    if as_json:
        print_json(done)
    else:
        say(f"{done.added} added, {done.changed} changed, {done.unchanged} as they were.")
    if done.not_taken:
        talk(f"{done.not_taken} decisions, handoffs and comments stay in Beads.")
    for problem in done.left_out:
        talk(visible(f"NOT taken in: {problem}"), "bold yellow")
    return NO if done.left_out else DONE


@click.command(
    "export",
    cls=ExampleCommand,
    example="""
    holdfast task export > tasks.jsonl
    holdfast task export .beads/issues.jsonl
    """,
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@json_option
@click.pass_obj
def export_command(invocation: Invocation, file: Path | None, as_json: bool) -> None:
    """Write every task as a line that Beads can import, to stdout or into FILE.

    In a FILE that is there, lines of other issues stay as they are, and so does all that Beads
    keeps of an issue beside what a task says.
    """
    from holdfast.wiring.tasks import export_lines, export_tasks

    with invocation.project(publish=False) as project:
        if file is None:
            for line in export_lines(project):
                print_bytes(line)
            sys.stdout.flush()
            return
        count = export_tasks(project, file)
    if as_json:
        print_json({"exported": count, "file": str(file)})
    else:
        say(visible(f"{count} tasks written to {file}, and read back."))
