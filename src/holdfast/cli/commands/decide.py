"""`holdfast decide`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import talk, visible
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.ledger.decisions import Decided
    from holdfast.wiring.project import Project


@make_command(
    example="""
    holdfast decide "PSO over GA" --because "better for continuous parameters" \\
        --alternative GA --alternative "simulated annealing" --confidence 0.85
    holdfast decide "keep GA after all" --because "PSO diverged on set 3" --supersedes 12 --json
    """
)
@click.argument("what")
@click.option("--because", required=True, metavar="WHY", help="The reasoning.")
@click.option("--question", metavar="Q", help="What was to be decided [else the current task].")
@click.option(
    "--alternative", "alternatives", multiple=True, metavar="A", help="What else was weighed."
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1), metavar="C", help="How sure it is, 0 to 1."
)
@click.option("--about", metavar="SUBJECT", help="What it is about.")
@click.option(
    "--supersedes",
    multiple=True,
    metavar="SEQ|ID",
    help="Decision that no longer holds; the beginning of its id will do.",
)
@click.option("--cites", multiple=True, metavar="SEQ|ID", help="Entry that it rests on.")
@session_option
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    what: str,
    because: str,
    question: str | None,
    alternatives: tuple[str, ...],
    confidence: float | None,
    about: str | None,
    supersedes: tuple[str, ...],
    cites: tuple[str, ...],
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that WHAT was decided, and why.

    A decision that this one supersedes is kept and marked; whatever cites it is named.
    """
    from holdfast.ledger.decisions import Asked, Decisions

    _need_words(what=what, because=because)
    with invocation.recorder(actor_kind, actor, session) as project:
        asked = Asked(
            what,
            because,
            question or _task(project) or about or what,
            alternatives,
            confidence,
            about,
            supersedes,
            cites,
        )
        decided = Decisions(project.ledger, project.views).decide(asked, id=entry_id)
        _tell(decided)
        return give(decided.receipt, as_json=as_json)


def _need_words(**given: str) -> None:
    for name, text in given.items():
        if not text.strip():
            raise InvalidInput(
                f"{'WHAT' if name == 'what' else '--because'} is empty.",
                meaning="Nothing was recorded.",
                remedy="Say in words what was decided, and why.",
            )


def _task(project: Project) -> str | None:
    """Return the title of the current task: the last checkpoint's."""
    last = project.checkpoints.last(project.ledger.session_id)
    task = None if last is None else last.value().get("task")
    return task if isinstance(task, str) and task.strip() else None


def _tell(decided: Decided) -> None:
    for key in decided.superseded_before:
        talk(visible(f"Decision {key} was superseded before; this one is noted beside it."))
    for key in decided.cites_superseded:
        talk(visible(f"Decision {key}, which this one cites, no longer holds."), "bold yellow")
    if decided.resting:
        more = f" and {decided.resting_more} more" if decided.resting_more else ""
        entries = ", ".join(map(str, decided.resting))
        talk(f"These entries cite what no longer holds: {entries}{more}.", "bold yellow")
