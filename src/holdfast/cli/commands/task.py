"""`holdfast task`: add, list, ready, show, update, start, close, scenario, import, export."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.task_files import export_command, import_command
from holdfast.cli.task_lines import line, page
from holdfast.kernel.entry import ActorKind
from holdfast.ledger.tasks import STATUSES, TaskChanges

if TYPE_CHECKING:
    from holdfast.ledger.task_items import Task
    from holdfast.wiring.project import Project

F = TypeVar("F", bound=Callable[..., Any])


@click.group(
    "task",
    cls=ExampleGroup,
    example="""
    holdfast task add "Rotate refresh tokens" --priority 1
    holdfast task add "Write the migration" --depends-on hf-1a2b
    holdfast task ready
    holdfast task start hf-1a2b
    holdfast task scenario "Token at boundary" --type edge_case \\
                           --expected "grace period applies" --task hf-1a2b
    holdfast task close hf-1a2b --reason "merged"
    """,
)
def command() -> None:
    """Keep track of what is to do, in which order, and how it will be tested.

    Decisions made for a task, its scenarios and its handoffs stay with it. Where a project uses
    Beads, changes are mirrored to `bd`. ID may be the beginning of one. Each of these has --json.
    """


command.add_command(import_command)
command.add_command(export_command)


def recording(function: F) -> F:
    """Add what every command has that records something."""
    for option in (click.pass_obj, json_option, actor_options, session_option):
        function = option(function)  # type: ignore[assignment]
    return function


def changing(function: F) -> F:
    """Add the options that say what a task is like."""
    for option in reversed(
        (
            click.option("--description", metavar="D", help="More about it."),
            click.option(
                "--priority", type=click.IntRange(0, 4), metavar="N", help="0 is most urgent."
            ),
            click.option(
                "--depends-on", multiple=True, metavar="ID", help="Has to be closed before it."
            ),
        )
    ):
        function = option(function)
    return function


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast task add "Rotate refresh tokens" --priority 1
    holdfast task add "Write the migration" --depends-on hf-1a2b --json
    """,
)
@click.argument("title")
@click.option("--id", "task", metavar="ID", help="What it is called [else a short new name].")
@click.option("--kind", metavar="K", help="bug, feature, task, epic, chore, or any other word.")
@changing
@recording
def add(
    invocation: Invocation,
    title: str,
    task: str | None,
    kind: str | None,
    description: str | None,
    priority: int | None,
    depends_on: tuple[str, ...],
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that TITLE is to do."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, name = project.tasks.add(
            title,
            task=task,
            description=description,
            kind=kind,
            priority=priority,
            depends_on=depends_on,
        )
        _mirror(project, name)
        if not as_json:
            say(visible(name))
        return give(receipt, as_json=as_json, task=name)


@command.command(
    "list",
    cls=ExampleCommand,
    example="""
    holdfast task list
    holdfast task list --status in_progress --status blocked --json
    """,
)
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only these."
)
@click.option("--all", "finished", is_flag=True, help="Closed ones, too.")
@json_option
@click.pass_obj
def list_tasks(
    invocation: Invocation, statuses: tuple[str, ...], finished: bool, as_json: bool
) -> None:
    """List tasks, the most urgent first. With --json each line is one of them."""
    with invocation.project(publish=False) as project:
        found = project.tasks.list(statuses=statuses, finished=finished)
    _print(found, as_json, "There is no such task." if statuses else "There is nothing to do.")


@command.command(cls=ExampleCommand, example="holdfast task ready\nholdfast task ready --json")
@json_option
@click.pass_obj
def ready(invocation: Invocation, as_json: bool) -> None:
    """List the open tasks that wait for no other. With --json each line is one of them."""
    with invocation.project(publish=False) as project:
        found = project.tasks.ready()
        waiting = 0 if found else len(project.tasks.list())
    nothing = f"No task is ready; {waiting} wait or are begun." if waiting else "No task is ready."
    _print(found, as_json, nothing)


@command.command(
    cls=ExampleCommand, example="holdfast task show hf-1a2b\nholdfast task show hf-1a2b --json"
)
@click.argument("task", metavar="ID")
@json_option
@click.pass_obj
def show(invocation: Invocation, task: str, as_json: bool) -> None:
    """Show a task with its decisions, scenarios and handoffs."""
    with invocation.project(publish=False) as project:
        found = project.tasks.show(task)
    if as_json:
        print_json(found)
        return
    for one in page(found):
        say(one)


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast task update hf-1a2b --next "run the tests" --next "open the request"
    holdfast task update hf-1a2b --status blocked --blocker "waits for the key"
    """,
)
@click.argument("task", metavar="ID")
@click.option("--title", metavar="T", help="What it is called.")
@click.option("--status", type=click.Choice(STATUSES[:-1]), help="Where it stands.")
@click.option("--next", "next_steps", multiple=True, metavar="S", help="A next step; replaces all.")
@click.option("--blocker", "blockers", multiple=True, metavar="B", help="Is in the way; likewise.")
@click.option(
    "--clear",
    "cleared",
    multiple=True,
    help="Empty a list: next, blocker, depends-on.",
    type=click.Choice(["next", "blocker", "depends-on"]),
)
@click.option("--completed", type=click.IntRange(0), metavar="N", help="Parts that are done.")
@click.option("--total", type=click.IntRange(0), metavar="N", help="Parts there are.")
@click.option("--note", metavar="N", help="A remark about it.")
@changing
@recording
def update(
    invocation: Invocation,
    task: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
    cleared: tuple[str, ...],
    **changes: Any,
) -> int:
    """Change a task. What is not named stays; lists are given whole."""
    lists = {"next_steps": "next", "blockers": "blocker", "depends_on": "depends-on"}
    for name, word in lists.items():
        changes[name] = changes[name] or (() if word in cleared else None)
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, changed = project.tasks.update(task, TaskChanges(**changes))
        return _changed(project, receipt, changed, as_json=as_json)


@command.command(cls=ExampleCommand, example="holdfast task start hf-1a2b")
@click.argument("task", metavar="ID")
@recording
def start(
    invocation: Invocation,
    task: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Begin a task: from now on it is the current one of this session."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, begun = project.tasks.start(task)
        if begun.waits_for:
            talk(visible(f"It still waits for {', '.join(begun.waits_for)}."), "bold yellow")
        return _changed(project, receipt, begun, as_json=as_json)


@command.command(cls=ExampleCommand, example='holdfast task close hf-1a2b --reason "merged"')
@click.argument("task", metavar="ID")
@click.option("--reason", required=True, metavar="R", help="How it ended.")
@recording
def close(
    invocation: Invocation,
    task: str,
    reason: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that a task is done, or will not be done."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, closed = project.tasks.close(task, reason)
        return _changed(project, receipt, closed, as_json=as_json)


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast task scenario "Token at boundary" --type edge_case --expected "grace period applies"
    """,
)
@click.argument("name")
@click.option("--type", "type_name", required=True, metavar="T", help="happy_path, edge_case, ...")
@click.option("--expected", required=True, metavar="E", help="What should come of it.")
@click.option("--task", metavar="ID", help="Of which task [else the current one].")
@click.option("--of-session", is_flag=True, help="Of the session, not of a task.")
@recording
def scenario(
    invocation: Invocation,
    name: str,
    type_name: str,
    expected: str,
    task: str | None,
    of_session: bool,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Say how a task will be tested. Where no task is begun, it is said of the session."""
    with invocation.recorder(actor_kind, actor, session) as project:
        if task is None and not of_session:
            current = project.tasks.current(project.ledger.session_id)
            task = None if current is None else current.task
        receipt, of = project.tasks.scenario(name, type=type_name, expected=expected, task=task)
        if of is not None:
            _mirror(project, of)
        talk(visible(f"For task {of}." if of else "For this session: no task is begun."))
        return give(receipt, as_json=as_json, task=of)


def _changed(project: Project, receipt: Any, task: Task, *, as_json: bool) -> int:
    _mirror(project, task.task)
    if not as_json:
        say(line(task))
    return give(receipt, as_json=as_json, task=task.task, status=task.status)


def _mirror(project: Project, task: str) -> None:
    """Mirror a task to Beads; what went wrong is told, the ledger has the entry all the same."""
    from holdfast.wiring.tasks import mirror

    for problem in mirror(project, task):
        talk(visible(problem), "bold yellow")


def _print(found: Iterable[Task], as_json: bool, nothing: str) -> None:
    tasks = list(found)
    for one in tasks:
        if as_json:
            print_json(one)
        else:
            say(line(one))
    if not tasks:
        talk(nothing)
