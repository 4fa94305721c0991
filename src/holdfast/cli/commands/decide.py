"""`holdfast decide`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.decided import give_decided
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import InvalidInput


@make_command(
    example="""
    holdfast decide "PSO over GA" --because "better for continuous parameters" \\
        --alternative GA --alternative "simulated annealing" --confidence 0.85
    holdfast decide "rotate refresh tokens" --because "a stolen one is good for one use" \\
        --evidence '`def rotate(token):` [${PROJECT_ROOT}/src/auth.py:12]' \\
        --scenario "edge_case: token at the boundary: the grace period applies"
    holdfast decide "keep GA after all" --because "PSO diverged on set 3" --supersedes 12 --json
    """
)
@click.argument("what")
@click.option("--because", required=True, metavar="WHY", help="The reasoning.")
@click.option("--question", metavar="Q", help="What was to be decided [else the current task].")
@click.option(
    "--evidence",
    multiple=True,
    metavar="CITATION",
    help="Quote that it rests on: '`QUOTE` [${PROJECT_ROOT}/PATH:LINE]'.",
)
@click.option("--assumption", is_flag=True, help="Nothing proves it yet.")
@click.option(
    "--alternative", "alternatives", multiple=True, metavar="A", help="What else was weighed."
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1), metavar="C", help="How sure it is, 0 to 1."
)
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="'TYPE: NAME: EXPECTED'",
    help="How the current task, else the session, will be tested.",
)
@click.option("--about", metavar="SUBJECT", help="What it is about [else the cited definitions].")
@click.option("--task", metavar="ID", help="Task it belongs to [else the current one].")
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
    evidence: tuple[str, ...],
    assumption: bool,
    alternatives: tuple[str, ...],
    confidence: float | None,
    scenarios: tuple[str, ...],
    about: str | None,
    task: str | None,
    supersedes: tuple[str, ...],
    cites: tuple[str, ...],
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that WHAT was decided, and why.

    A decision that this one supersedes is kept and marked; whatever cites it is named. One that
    contradicts another or the code, or whose evidence does not hold, is recorded and stays open:
    exit code 1.
    """
    from holdfast.ledger.decisions import Asked
    from holdfast.wiring.deciding import Evidence, decide, question_of

    _need_words(what=what, because=because)
    with invocation.recorder(actor_kind, actor, session) as project:
        asked = Asked(
            what,
            because,
            question or question_of(project, task) or about or what,
            alternatives,
            confidence,
            about,
            supersedes,
            cites,
        )
        given = Evidence(citations=evidence, assumption=assumption, task=task, scenarios=scenarios)
        outcome = decide(project, asked, given, files=invocation.files(), id=entry_id)
        return give_decided(outcome, as_json=as_json)


def _need_words(**given: str) -> None:
    for name, text in given.items():
        if not text.strip():
            raise InvalidInput(
                f"{'WHAT' if name == 'what' else '--because'} is empty.",
                meaning="Nothing was recorded.",
                remedy="Say in words what was decided, and why.",
            )
