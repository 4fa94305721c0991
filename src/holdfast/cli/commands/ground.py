"""`holdfast ground`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.wiring.grounding import Grounding, Regrounded


@make_command(
    example="""
    holdfast ground 12
    holdfast ground 12 --evidence '`def take(self)` [${PROJECT_ROOT}/src/queue.py:45]' --json
    holdfast ground 12 --assumption
    holdfast ground --all
    """
)
@click.argument("key", metavar="[SEQ|ID]", required=False)
@click.option("--all", "every", is_flag=True, help="Every decision that holds, the newest first.")
@click.option(
    "--evidence",
    multiple=True,
    metavar="TEXT",
    help="What it rests on from now on: `quote` [${PROJECT_ROOT}/path:line].",
)
@click.option("--assumption", is_flag=True, help="Nothing proves it: mark it as an assumption.")
@session_option
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    key: str | None,
    every: bool,
    evidence: tuple[str, ...],
    assumption: bool,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Say what a decision rests on and what became of its quotes; or let it rest on others.

    Each citation is exact, moved, changed, gone, unreadable or refused, held against the file as it
    is today. A decision is grounded when each was exact when it was recorded. Exit code 1: it is
    not; with --all: one is neither grounded nor an assumption.

    With --evidence, quotes are held against the files now. If each is exact they take the place of
    what the decision rested on, and its forks with the files they quote are settled; else nothing
    is recorded. With --json and --all each line is one decision.
    """
    from holdfast.wiring.grounding import Grounding

    if (key is None) != every:
        raise click.UsageError("Name one decision, or say --all.")
    if every and (evidence or assumption):
        raise click.UsageError("--evidence and --assumption are for one decision.")
    files = invocation.files()
    if key is not None and (evidence or assumption):
        with invocation.recorder(actor_kind, actor, session) as project:
            grounding = Grounding(project, files)
            return _ground(grounding.ground(key, evidence, assumption=assumption), as_json=as_json)
    with invocation.project(publish=False) as project:
        return _tell(Grounding(project, files), key, as_json=as_json)


def _tell(grounding: Grounding, key: str | None, *, as_json: bool) -> int:
    from holdfast.cli.grounds import document, tell

    code = DONE
    for report in grounding.report_all() if key is None else [grounding.report(key)]:
        if as_json:
            print_json(document(report))
        else:
            tell(report)
        if not report.grounded and not (key is None and report.assumption):
            code = NO
    return code


def _ground(done: Regrounded, *, as_json: bool) -> int:
    from holdfast.cli.decided import ruling_on
    from holdfast.cli.grounds import citation_document, tell_citation

    settled = [fork.fork for fork in done.settled]
    if as_json:
        print_json(
            {
                "decision": done.decision,
                "grounded": done.grounded,
                "assumption": bool(done.proved.grounds.get("assumption")),
                "faults": done.faults,
                "seq": None if done.receipt is None else done.receipt.seq,
                "id": None if done.receipt is None else done.receipt.id,
                "citations": [citation_document(one) for one in done.proved.checked],
                **({"settled": settled} if settled else {}),
            }
        )
    else:
        for one in done.proved.checked:
            tell_citation(one)
    if done.receipt is not None and not as_json:
        say(f"Recorded entry {done.receipt.seq} ({done.receipt.id}).")
    for fork in settled:
        talk(visible(f"Fork {fork} is settled: it quotes the code as it is."))
    for left in done.open:
        talk(visible(f"Fork {left.fork} stays open: {left.reason} {ruling_on(left.fork)}"))
    if not done.faults:
        return DONE
    kept = "" if done.receipt else " Nothing was recorded; it rests on what it did."
    talk(visible(f"NOT GROUNDED: {', '.join(done.faults)}.{kept}"), "bold red")
    return NO
