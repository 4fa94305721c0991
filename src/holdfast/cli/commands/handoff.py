"""`holdfast handoff`: of the last clear; and between agents: offer, accept, decline, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.summary import shorten
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import NotFound

if TYPE_CHECKING:
    from holdfast.ledger.handing import Offer
    from holdfast.views.decay import Decay
    from holdfast.wiring.handoffs import Handoff

DECAYED_SHOWN: Final = 10


@click.group(
    "handoff",
    cls=ExampleGroup,
    invoke_without_command=True,
    example="""
    holdfast handoff
    holdfast handoff offer --to codex "Finish the migration" --next "run the tests"
    holdfast handoff list
    holdfast handoff accept 412
    """,
)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show what the last clear handed over: task, next steps, notes, ratio, and what decayed.

    Raw output that decayed is named by its entry; `holdfast show N --full` opens it again.
    The commands below hand work from one agent or session to another. Each has --json.
    """
    if ctx.invoked_subcommand is None:
        _show_last(ctx.obj, as_json=as_json)


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast handoff offer --to codex "Finish the migration" --next "run the tests"
    holdfast handoff offer --to s2 "Review the parser" --ref src/parser.py --actor-kind agent
    """,
)
@click.argument("title")
@click.option("--to", required=True, metavar="AGENT|SESSION", help="Whom it is for.")
@click.option("--task", metavar="ID", help="The task that it is about.")
@click.option("--next", "next_steps", multiple=True, metavar="STEP", help="What is to do.")
@click.option("--ref", "refs", multiple=True, metavar="REF", help="What is needed: files, entries.")
@click.option("--note", metavar="TEXT", help="What else whoever takes it should know.")
@session_option
@actor_options
@json_option
@click.pass_obj
def offer(
    invocation: Invocation,
    title: str,
    to: str,
    task: str | None,
    next_steps: tuple[str, ...],
    refs: tuple[str, ...],
    note: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Offer work, called TITLE, to another agent or session. It waits until it is answered."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt = project.handing.offer(
            to, title, task=task, next_steps=next_steps, refs=refs, note=note
        )
        return give(receipt, as_json=as_json, handoff=receipt.id, to=to)


@command.command(
    cls=ExampleCommand,
    example="holdfast handoff accept 412\nholdfast handoff accept 412 --actor codex --json",
)
@click.argument("handoff", metavar="ID")
@session_option
@actor_options
@json_option
@click.pass_obj
def accept(
    invocation: Invocation,
    handoff: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Take over what was offered. It is answered once, by whom it is for, or by a person.

    ID may be the beginning of an id, or the number of the entry that offers it.
    """
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, taken = project.handing.accept(handoff)
        if not as_json:
            _tell_offer(taken)
        return give(receipt, as_json=as_json, handoff=msgspec.to_builtins(taken))


@command.command(
    cls=ExampleCommand,
    example='holdfast handoff decline 412 --because "the branch is gone" --actor codex',
)
@click.argument("handoff", metavar="ID")
@click.option("--because", required=True, metavar="WHY", help="Why it is not taken.")
@session_option
@actor_options
@json_option
@click.pass_obj
def decline(
    invocation: Invocation,
    handoff: str,
    because: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Decline what was offered, and say why. ID as for accept."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, declined = project.handing.decline(handoff, because)
        return give(receipt, as_json=as_json, handoff=msgspec.to_builtins(declined))


@command.command(
    "list",
    cls=ExampleCommand,
    example="holdfast handoff list\nholdfast handoff list --for codex --json",
)
@click.option("--for", "addressee", metavar="AGENT|SESSION", help="Only what is for them.")
@json_option
@click.pass_obj
def list_offers(invocation: Invocation, addressee: str | None, as_json: bool) -> None:
    """List what was offered and waits for an answer, the newest first. JSON: one a line."""
    with invocation.project(publish=False) as project:
        found = project.handing.waiting(addressee)
    for one in found:
        if as_json:
            print_json(one)
        else:
            say(visible(f"{one.seq:>6}  to {one.to}  from {one.giver}  {shorten(one.title)}"))
    if not found:
        talk("No handoff waits for an answer.")


def _tell_offer(taken: Offer) -> None:
    """Show what somebody takes over."""
    rows = [("title", taken.title), ("from", taken.giver), ("task", taken.task)]
    rows += [("next", step) for step in taken.next_steps]
    rows += [("ref", ref) for ref in taken.refs]
    rows += [("note", taken.note)]
    for name, value in rows:
        if value is not None:
            say(f"{name:<8} {visible(value)}")


def _show_last(invocation: Invocation, *, as_json: bool) -> None:
    """Show the newest handoff of a clear."""
    from holdfast.wiring.handoffs import decay_since, gate_of, last_handoff

    with invocation.project(publish=False) as project:
        handoff = last_handoff(project)
        if handoff is None:
            raise NotFound(
                "There was no handoff yet.",
                meaning="Nothing was cleared through the gate.",
                remedy="`holdfast clear --check` says what a clear needs.",
            )
        decay, gate = decay_since(project, handoff), gate_of(project, handoff)
    blocks = [] if gate is None else gate["blocks"]
    if as_json:
        items = [msgspec.to_builtins(one) for one in decay.items]
        more = {"failed": blocks, "decayed": items, "decay_unseen": decay.unseen}
        print_json(spelled(handoff) | more)
        return
    _tell(handoff, blocks)
    _tell_decay(decay)


def spelled(handoff: Handoff) -> dict[str, Any]:
    """Return a handoff as scripts are given it."""
    place = {"seq": handoff.seq, "session_id": handoff.session_id, "ended": handoff.timestamp}
    return place | handoff.data


def _tell(handoff: Handoff, blocks: list[dict[str, Any]]) -> None:
    data = handoff.data
    rows = [
        ("entry", f"{handoff.seq}, {handoff.timestamp}"),
        ("session", handoff.session_id or "none"),
        ("task", data.get("task") or "none"),
        ("next", "; ".join(map(str, data["next_steps"])) or "not said"),
        ("notes", ", ".join(map(str, data["notes_refs"])) or "not written"),
        ("ratio", f"{data['grounding_ratio']:.2f}"),
        ("tests", "three scenarios or more" if data["edd_verified"] else "NOT VERIFIED"),
        ("lineage", data.get("root_span_id") or "none"),
        ("save", data.get("save") or "none"),
    ]
    for name, value in rows:
        say(f"{name:<8} {visible(value)}")
    if assumed := data.get("assumptions"):
        say(f"{'assumed':<8} {visible(', '.join(assumed))}")
    for block in blocks:
        say(f"{'failed':<8} {visible(block['reason'])}", "bold red")


def _tell_decay(decay: Decay) -> None:
    newest = decay.items[-DECAYED_SHOWN:]
    for one in newest:
        say(visible(f"{one.identifier}: {one.summary} ({one.tokens_full:,} tokens)"))
    if len(newest) < len(decay.items):
        talk(f"{len(decay.items) - len(newest):,} earlier ones are not shown; --json has all.")
    if decay.unseen:
        talk("Older entries of that session were not looked at for raw output.")
