"""`holdfast record`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.inputs import read_given
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import talk, visible
from holdfast.cli.receipts import give
from holdfast.kernel import canonical
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.wiring.own_types import check_recordable

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


@make_command(
    example="""
    holdfast record error --session s1 --data '{"error_type":"ImportError",
        "message":"no module named x","context":null,"resolution":null,"prevention":null}'
    build-report | holdfast record metric --data - --json
    holdfast record decision --data @decision.json --id retry-7
    """
)
@click.argument("type_name", metavar="TYPE")
@click.option("--data", required=True, metavar="JSON|@FILE|-", help="The entry's data, an object.")
@session_option
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    type_name: str,
    data: str,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Append an entry of TYPE. It is on disk when this returns.

    What says that holdfast itself looked at something, such as gate_ran, is refused: the command
    that does so writes it. A TYPE that is not known is answered with those that are, a field that
    is missing or of the wrong kind with its name. After some entries of the type tool_called, as
    the settings say, a checkpoint is made as well.
    """
    TYPES.spec(type_name)
    check_recordable(type_name, entry_id)
    content = _object(read_given(data))
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt = project.ledger.append(type_name, content, id=entry_id)
        if type_name == "tool_called":
            _checkpoint(project)
        return give(receipt, as_json=as_json)


def _checkpoint(project: Project) -> None:
    """Make the checkpoint that is due. The call is durable: a failure is told, not raised."""
    try:
        project.checkpoints.after_call(project.ledger.session_id)
    except HoldfastError as problem:
        talk(visible(f"The checkpoint that is due was put off: {problem}"))


def _object(text: bytes) -> dict[str, Any]:
    value = canonical.decode(text)
    if isinstance(value, dict):
        return value
    raise InvalidInput(
        f"The data is {_KINDS[type(value)]}, not an object.",
        meaning="Nothing was recorded.",
        remedy='Give its fields in braces: {"name": …}.',
    )


_KINDS = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    type(None): "null",
}
