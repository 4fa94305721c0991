"""`holdfast fact`: add, list, withdraw, unlock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.inputs import read_given
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.summary import shorten
from holdfast.kernel import canonical
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.types.story import Scope

if TYPE_CHECKING:
    from holdfast.stores.store import Items

LISTED_DEFAULT: Final = 50

id_option = click.option(
    "--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once."
)


@click.group(
    "fact",
    cls=ExampleGroup,
    example="""
    holdfast fact add place --text "the gate is shut"
    holdfast fact list
    holdfast fact unlock 3f1a77c2 --scope scene
    """,
)
def command() -> None:
    """Say what is so, take it back, and say what may be told. Each of these has --json.

    A fact has an id that follows from its kind and its payload. It is never edited: another one
    supersedes it, or it is withdrawn.
    """


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast fact add place --text "the gate is shut" --because 12
    holdfast fact add person --data '{"name":"the warden","age":61}' --hidden --json
    holdfast fact add place --text "the gate is open" --supersedes 3f1a77c2
    """,
)
@click.argument("kind")
@click.option("--text", metavar="T", help="What is so, in words.")
@click.option("--data", metavar="JSON|@FILE|-", help="What is so, as any JSON value.")
@click.option("--hidden", is_flag=True, help="It is known and never told.")
@click.option(
    "--precision",
    type=click.Choice(["exact", "approximate", "locked"], case_sensitive=False),
    default="exact",
    show_default=True,
    help="How exactly it may be told; locked: not at all.",
)
@click.option("--supersedes", multiple=True, metavar="ID", help="Fact that is no longer so.")
@click.option("--because", multiple=True, metavar="SEQ|ID", help="Entry that it rests on.")
@session_option
@id_option
@actor_options
@json_option
@click.pass_obj
def add(
    invocation: Invocation,
    kind: str,
    text: str | None,
    data: str | None,
    hidden: bool,
    precision: str,
    supersedes: tuple[str, ...],
    because: tuple[str, ...],
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that something is so; KIND says what it is about, in a word.

    Said again, it is the same fact. The beginning of an id stands for the fact.
    """
    from holdfast.ledger.facts import NewFact

    if (text is None) == (data is None):
        raise click.UsageError("Give the fact with either --text or --data.")
    payload = canonical.decode(read_given(data)) if data is not None else text
    exactly: Any = precision.upper()
    fact = NewFact(kind, payload, hidden, exactly, supersedes, because)
    with invocation.recorder(actor_kind, actor, session) as project:
        said = project.facts.add(fact, id=entry_id)
        if said.again:
            talk("It was said before; this is the same fact.")
        if not as_json and not said.receipt.duplicate:
            say(f"Fact {said.fact}")
        return give(said.receipt, as_json=as_json, fact=said.fact)


@command.command(
    "list", cls=ExampleCommand, example="holdfast fact list\nholdfast fact list --all --json"
)
@click.option("--all", "everything", is_flag=True, help="Those that are no longer so as well.")
@click.option(
    "-n", "count", type=click.IntRange(1), metavar="N", help="The newest N [50; JSON: all]."
)
@json_option
@click.pass_obj
def list_facts(invocation: Invocation, everything: bool, count: int | None, as_json: bool) -> None:
    """List facts, the newest first. With --json each line is one fact."""
    with invocation.project(publish=False) as project:
        unlocks = project.facts.unlocks()
        limit = count if as_json else count or LISTED_DEFAULT
        if everything:
            found = project.facts.all()
            total, found = len(found), found[:limit]
        else:
            total, found = project.facts.count(), list(project.facts.current(limit))
        rows = [_row(key, item, unlocks) for key, item in found]
    for row in rows:
        if as_json:
            print_json(row)
        else:
            say(_line(row))
    if not total:
        talk("There is no fact yet." if everything else "Nothing is said to be so.")
    elif len(rows) < total:
        talk(f"{total - len(rows):,} older facts are not shown; -n {total} shows all.")


def _row(key: str, item: dict[str, Any], unlocks: Items) -> dict[str, Any]:
    import msgspec

    from holdfast.stores.unlocks import scope_of

    names = ("kind", "visibility", "precision", "seq", "again", "superseded_by", "withdrawn")
    row = {"fact": key, **{name: item[name] for name in names}}
    scope = scope_of(unlocks, key)
    return row | {"unlocked": scope, "payload": msgspec.Raw(item["payload"].encode())}


def _line(row: dict[str, Any]) -> str:
    told = [row[name] for name in ("visibility", "precision") if row[name] not in _PLAIN]
    told += [f"unlocked: {row['unlocked']}"] if row["unlocked"] else []
    told += [f"superseded by {row['superseded_by'][:12]}"] if row["superseded_by"] else []
    told += [f"withdrawn in entry {row['withdrawn']}"] if row["withdrawn"] is not None else []
    marks = f"  ({', '.join(told)})" if told else ""
    payload = bytes(row["payload"]).decode()
    return f"{row['fact'][:12]}  {shorten(visible(row['kind'] + ': ' + payload))}{visible(marks)}"


_PLAIN: Final = ("OPEN", "EXACT")


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast fact withdraw 3f1a77c2 --reason "it was a rumour"
    """,
)
@click.argument("fact", metavar="ID")
@click.option("--reason", required=True, metavar="R", help="Why it is no longer so.")
@session_option
@id_option
@actor_options
@json_option
@click.pass_obj
def withdraw(
    invocation: Invocation,
    fact: str,
    reason: str,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that a fact is no longer so, without another in its place."""
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, withdrawn = project.facts.withdraw(fact, reason, id=entry_id)
        return give(receipt, as_json=as_json, fact=withdrawn)


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast fact unlock 3f1a77c2 --scope scene
    holdfast fact unlock chapter-2 --scope campaign --json
    """,
)
@click.argument("handle")
@click.option(
    "--scope",
    required=True,
    type=click.Choice(["scene", "session", "campaign"], case_sensitive=False),
    help="Until the scene or the session is over, or for good.",
)
@click.option("--reason", metavar="R", help="Why it may be told.")
@session_option
@id_option
@actor_options
@json_option
@click.pass_obj
def unlock(
    invocation: Invocation,
    handle: str,
    scope: str,
    reason: str | None,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Let a fact be told, or whatever else has a HANDLE.

    The broadest grant counts. A fact that is hidden, or locked in precision, is not told all the
    same.
    """
    asked: Any = scope.upper()
    granted: Scope = asked
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, unlocked = project.facts.unlock(handle, granted, reason=reason, id=entry_id)
        return give(receipt, as_json=as_json, handle=unlocked)
