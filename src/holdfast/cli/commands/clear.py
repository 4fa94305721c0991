"""`holdfast clear`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.gated import answer, tell_report
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.wiring.clearing import Cleared
    from holdfast.wiring.handoffs import Handoff
    from holdfast.wiring.project import Project


@make_command(
    example="""
    holdfast clear --check
    holdfast clear
    holdfast clear --check --json
    """
)
@click.option("--check", is_flag=True, help="Only look: record nothing, write nothing.")
@session_option
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    check: bool,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Pass the gate before a context is cleared, and hand over to the next session.

    Seven steps: decisions are grounded, ghosts verified, the decision log written, the task up to
    date, the handoff logged, raw output decayed, three test scenarios documented. Everything that
    is in the way is listed at once, with what to do about it, and the exit code is 1. Otherwise the
    session ends, and what is printed is what the next one will see.
    """
    from holdfast import config
    from holdfast.cli.commands.config import tell_unread

    tell_unread(config.load(invocation.place().settings))
    if check:
        return _look(invocation, session, actor_kind, actor, as_json=as_json)
    from holdfast.wiring.clearing import clear

    with invocation.recorder(actor_kind, actor, session) as project:
        cleared = clear(project)
        if cleared.handoff is not None:
            project.ledger.session_id = None  # it is over: what follows is for the next one
        if as_json:
            print_json(answer(cleared.report) | _also(project, cleared))
        else:
            _tell(project, cleared)
    return NO if cleared.handoff is None else DONE


def _look(
    invocation: Invocation,
    session: str | None,
    kind: ActorKind,
    actor: str | None,
    *,
    as_json: bool,
) -> int:
    from holdfast.wiring.clearing import require_session
    from holdfast.wiring.gate import look

    with invocation.project(kind, actor, session, publish=False) as project:
        if project.ledger.session_id is None:
            project.ledger.session_id = project.sessions.current()
        require_session(project)
        report = look(project)
    if as_json:
        print_json(answer(report))
    else:
        tell_report(report)
        _talk(report.told)
    return DONE if report.ok else NO


def _also(project: Project, cleared: Cleared) -> dict[str, Any]:
    """Return what a script is told beside the report once it is cleared."""
    from holdfast.cli.commands.handoff import spelled
    from holdfast.wiring.levels import level_one

    if cleared.handoff is None:
        return {"handoff": None, "capsule": None}
    return {
        "handoff": spelled(cleared.handoff),
        "capsule": level_one(project).text,
    }


def _tell(project: Project, cleared: Cleared) -> None:
    tell_report(cleared.report)
    _talk(cleared.told or cleared.report.told)
    handoff = cleared.handoff
    if handoff is None:
        talk("Logged as failed. Nothing was cleared.")
        return
    if cleared.again:
        talk("It was cleared before, and nothing was done since.")
    _tell_handoff(cleared, handoff)
    from holdfast.wiring.levels import level_one

    say()
    say(visible(level_one(project).text, lines=True))
    say()
    say("Clear the context now (/clear or /new). The next session goes on with:")
    say("  holdfast session start")
    say("  holdfast resume --level 1")


def _talk(lines: Iterable[str]) -> None:
    for line in lines:
        talk(visible(line), "bold yellow")


def _tell_handoff(cleared: Cleared, handoff: Handoff) -> None:
    data, decay = handoff.data, cleared.decay
    say(f"Handed over in entry {handoff.seq}: save {visible(data.get('save') or 'none')}.")
    if decay.items:
        outputs = "output" if len(decay.items) == 1 else "outputs"
        saved = 100 * (1 - decay.tokens_kept / decay.tokens_full)
        say(
            f"Decayed {len(decay.items):,} raw {outputs}: {decay.tokens_full:,} tokens became "
            f"{decay.tokens_kept:,} in identifiers ({decay.tokens_lines:,} with one line each), "
            f"{saved:.1f} % saved; `holdfast handoff` lists them."
        )
    if decay.unseen:
        talk("Older entries of this session were not looked at for raw output.")
