"""`holdfast handoff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.errors import NotFound

if TYPE_CHECKING:
    from holdfast.views.decay import Decay
    from holdfast.wiring.handoffs import Handoff

DECAYED_SHOWN: Final = 10


@make_command(example="holdfast handoff\nholdfast handoff --json")
@json_option
@click.pass_obj
def command(invocation: Invocation, as_json: bool) -> None:
    """Show what the last clear handed over: task, next steps, notes, ratio, and what decayed.

    Raw output that decayed is named by its entry; `holdfast show N --full` opens it again.
    """
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
