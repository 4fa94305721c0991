"""`holdfast session`: start, end, list, show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, json_option, write_example
from holdfast.cli.options import actor_options
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.quick import still_pending
from holdfast.cli.saved import tell_auto
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from holdfast.ledger.compactions import SegmentSummary
    from holdfast.ledger.session_items import Listed
    from holdfast.wiring.project import Project
    from holdfast.wiring.starting import Begun

LISTED_DEFAULT: Final = 20

_EXAMPLE: Final = """
    holdfast session start --title "the parser"
    holdfast session end --reason completed
    holdfast session list -n 5
    holdfast session show 01a1df63
"""


class SessionGroup(click.Group):
    """The group, with an example at the end of its help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the help with an example."""
        del ctx
        write_example(formatter, _EXAMPLE)


@click.group("session", cls=SessionGroup)
def command() -> None:
    """Start and end sessions, list and show them. Each of these has --json.

    An entry belongs to the session that --session names, else the one in $HOLDFAST_SESSION, else
    the one that is open. Of several open ones it is yours: the one started under your name, or by
    a process that this one comes from.
    """


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast session start
    export HOLDFAST_SESSION=$(holdfast session start --holder-pid $$ --quiet)
    holdfast session start --session review-2 --parent review-1 --json
    """,
)
@click.option("--session", metavar="ID", help="Its id [else $HOLDFAST_SESSION, else a new one].")
@click.option("--parent", metavar="ID", help="What it goes on from [else the newest that is over].")
@click.option("--title", metavar="T", help="What it is about.")
@click.option(
    "--holder-pid",
    type=click.IntRange(1),
    metavar="PID",
    help="Process that it lives and dies with [else the one that runs this].",
)
@click.option("-q", "--quiet", is_flag=True, help="Print the id alone.")
@actor_options
@json_option
@click.pass_obj
def start(
    invocation: Invocation,
    session: str | None,
    parent: str | None,
    title: str | None,
    holder_pid: int | None,
    quiet: bool,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Start a session, or go on in one that is open; print its id and where the work stands.

    Open sessions whose process is gone, and those that this process held before, are closed as
    crashed first, and a save is made. Should one of them go on after all, its next entry opens it
    again. Exit code 1 when integrity.enforcement is strict and the files installed for agents are
    not what they should be: then no session begins.
    """
    from holdfast import config
    from holdfast.cli.commands.config import tell_unread
    from holdfast.cli.commands.integrity import refused
    from holdfast.ledger.processes import SystemProcesses, caller
    from holdfast.wiring.integrity import check_integrity
    from holdfast.wiring.starting import start_session

    holder = SystemProcesses().holder(caller() if holder_pid is None else holder_pid)
    if holder is None and holder_pid is not None:
        raise InvalidInput(
            f"There is no process {holder_pid}.",
            meaning="Nothing was recorded.",
            remedy="Give the number of a process that runs, or leave --holder-pid out.",
        )
    tell_unread(config.load(invocation.place().settings))
    with invocation.project(actor_kind, actor, session) as project:
        report = check_integrity(project)
        if refused(report, as_json=as_json):
            return NO
        begun = start_session(
            project,
            project.ledger.session_id,
            parent=parent,
            holder=holder,
            title=title,
            integrity=report,
        )
        started = begun.started
        if as_json:
            answer: dict[str, Any] = {"session_id": started.session_id, "parent": started.parent}
            print_json(answer | ({"crashed": started.crashed} if started.crashed else {}))
            return DONE
        say(visible(started.session_id))
        if not quiet:
            _tell_start(project, begun)
        return DONE


def _tell_start(project: Project, begun: Begun) -> None:
    started = begun.started
    if started.resumed:
        talk("It is open already; nothing was recorded.")
    for name in started.crashed:
        talk(visible(f"Session {name} ended without saying so; it was closed as crashed."))
    if begun.save is not None:
        tell_auto(begun.save)
    from holdfast.views.files import pending

    last = project.checkpoints.last()
    if last is not None:
        say(f"Quick Resume: {visible(project.checkpoints.quick_resume(last))}")
    project.views.catch_up(project.ledger.reader)
    for line in still_pending(pending(project.views.items("story"))):
        say(visible(line))


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast session end
    holdfast session end --session review-2 --reason interrupted --json
    """,
)
@click.option(
    "--session", metavar="S", help="Its id or the beginning of it [else the current one]."
)
@click.option(
    "--reason",
    default="completed",
    show_default=True,
    metavar="R",
    help="How it ended: completed, cleared, crashed, interrupted, or your own words.",
)
@actor_options
@json_option
@click.pass_obj
def end(
    invocation: Invocation,
    session: str | None,
    reason: str,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> None:
    """End a session: make a checkpoint of what is new, note the end, save, seal old entries."""
    from holdfast.wiring.ending import end_session

    with invocation.project(actor_kind, actor) as project:
        ended = end_session(project, _asked(project, session), reason)
        tell_auto(ended.save)
        if ended.put_off:
            talk(visible(f"Old entries were not sealed: {ended.put_off}"))
        if ended.copy.put_off:
            talk(visible(ended.copy.put_off))
        if ended.copy.left_out:
            talk(visible(f"Not in the copy in git: {', '.join(ended.copy.left_out)}"))
        if as_json:
            names = ("session_id", "seq", "checkpoint", "sealed")
            print_json({name: getattr(ended, name) for name in names})
            return
        say(visible(f"Session {ended.session_id} is over (entry {ended.seq})."))
        if ended.checkpoint is not None:
            talk(f"Its last checkpoint is entry {ended.checkpoint}.")
        if ended.sealed:
            talk(f"{ended.sealed:,} older entries moved into an archive.")


def _asked(project: Project, session: str | None) -> str:
    """Return the session that is meant: named, of the environment, or the current one."""
    if session is not None:
        return project.sessions.resolve(session)
    found = project.ledger.session_id or project.sessions.current()
    if found is None:
        raise NotFound(
            "No session is open.",
            meaning="Nothing was recorded.",
            remedy="`holdfast session list` names those there were.",
        )
    return found


@command.command(
    "list",
    cls=ExampleCommand,
    example="""
    holdfast session list -n 5
    holdfast session list --json
    """,
)
@click.option(
    "-n", "count", type=click.IntRange(1), metavar="N", help="The newest N [20; JSON: all]."
)
@json_option
@click.pass_obj
def list_sessions(invocation: Invocation, count: int | None, as_json: bool) -> None:
    """List sessions in the order they were last worked in, the newest last.

    With --json each line is one session.
    """
    with invocation.project(publish=False) as project:
        found = project.sessions.all()
    shown = found if as_json and count is None else found[-(count or LISTED_DEFAULT) :]
    for one in shown:
        if as_json:
            print_json(one)
        else:
            say(_row(one))
    if not found:
        talk("There was no session yet.")
    elif len(shown) < len(found):
        earlier = len(found) - len(shown)
        talk(f"{earlier:,} earlier sessions are not shown; -n {len(found)} shows all.")


@command.command(
    "show",
    cls=ExampleCommand,
    example="""
    holdfast session show review-2
    holdfast session show 01a1df63 --json
    """,
)
@click.argument("session", metavar="SESSION")
@json_option
@click.pass_obj
def show_session(invocation: Invocation, session: str, as_json: bool) -> int:
    """Show a session, and the summaries of those parts of it that are archived.

    Summaries are made anew from the archives. One that does not come out as it was noted when the
    entries were sealed is marked, and the exit code is 1.
    """
    from holdfast.ledger.compactions import summaries_of

    with invocation.project(publish=False) as project:
        session_id = project.sessions.resolve(session)
        [one] = [one for one in project.sessions.all() if one.session_id == session_id]
        summaries = list(summaries_of(project.ledger, session_id))
    if as_json:
        print_json(
            {**msgspec.to_builtins(one), "summaries": [_spelled(part) for part in summaries]}
        )
    else:
        say(_row(one))
        for part in summaries:
            _tell_summary(part)
    return DONE if all(part.reproduced for part in summaries) else NO


def _spelled(part: SegmentSummary) -> dict[str, Any]:
    made = part.compaction
    spelled: dict[str, Any] = {"archive": part.archive, "reproduced": part.reproduced}
    if made is not None:
        spelled |= {
            "compaction_id": made.compaction_id,
            "purpose": made.purpose,
            "compaction_policy_id": made.compaction_policy_id,
            "output": msgspec.Raw(made.output_bytes),
            "output_hash": made.output_hash,
            "allowmention_handles": made.allowmention_handles,
        }
    return spelled


def _tell_summary(part: SegmentSummary) -> None:
    from holdfast.cli.summary import lay_out

    say("")
    say(visible(f"in {part.archive}"))
    if part.compaction is not None:
        for line in lay_out(msgspec.json.decode(part.compaction.output_bytes), "  "):
            say(line)
    if not part.reproduced:
        talk("This is not the summary that was noted when the entries were sealed.", "bold yellow")


def _row(one: Listed) -> str:
    parent = f"  goes on from {one.parent}" if one.parent else ""
    state = one.state if one.reason is None else f"{one.state} ({one.reason})"
    return visible(f"{one.session_id}  {state}  {one.entries:,} entries{parent}")
