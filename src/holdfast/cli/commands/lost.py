"""`holdfast lost`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.views.loss import Judged
    from holdfast.wiring.losses import Loss, Wiped
    from holdfast.wiring.project import Project


@make_command(
    example="""
    holdfast lost
    holdfast lost --all
    holdfast lost 0198c7e2 --json
    holdfast lost --at 1204
    """
)
@click.argument("session", required=False)
@click.option("--all", "every", is_flag=True, help="Also what was kept or paraphrased.")
@click.option(
    "--at", "seq", type=click.IntRange(min=0), help="Of the compaction or clear with this number."
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation, session: str | None, every: bool, seq: int | None, as_json: bool
) -> None:
    """Say what a session lost when its context was compacted or cleared, and what came back.

    What the session recorded is held against the summary that took its place: decisions,
    constraints in the user's words, open work, commands with their exit codes, numbers, paths. Kept
    is what stands there word for word. Paraphrased means that most of its words stand together in
    one place, and names those that do not; it says nothing about the sense. Everything else is
    dropped; nothing of it is lost, as `holdfast show N` has it word for word.

    What the agent was given afterwards is told with the time, its tokens and the entry that has its
    words, and each item with the entry that brought it back: by its number, word for word, or in
    part, where most of its words were given.

    Without SESSION, of the context that was emptied last. --json prints all items, one a line. The
    exit code is 1 when nothing is known to have been emptied.
    """
    from holdfast.wiring.losses import lost, lost_at

    with invocation.project(publish=False) as project:
        if seq is not None:
            loss = lost_at(project, _alone(seq, session))
        else:
            loss = lost(project, None if session is None else _resolved(project, session))
    if as_json:
        for item in loss.items:
            print_json(item)
        return
    _tell(loss, every=every)


def _alone(seq: int, session: str | None) -> int:
    """Refuse a number and a session at once: the number says which session it is."""
    from holdfast.kernel.errors import InvalidInput

    if session is not None:
        raise InvalidInput(
            "Both a session and --at were given.",
            meaning="Nothing was looked up.",
            remedy="Give one of them.",
        )
    return seq


def _resolved(project: Project, session: str) -> str:
    """Return the session that is meant; the proxy knows conversations that are none."""
    from holdfast.kernel.errors import NotFound
    from holdfast.wiring.losses import last_wiped

    try:
        return project.sessions.resolve(session)
    except NotFound:
        if last_wiped(project, session) is None:
            raise
        return session


def _tell(loss: Loss, *, every: bool) -> None:
    from holdfast.views.loss import said_of

    wiped, gone = loss.wiped, loss.gone
    of = "" if wiped.session_id is None else f" Session {wiped.session_id}"
    say(visible(f"Entry {wiped.seq}:{of} was {wiped.how}{_trigger(wiped)}."))
    if wiped.how == "compacted" and wiped.summary is None:
        talk("Its summary is not known: nobody can tell what it kept.", "bold yellow")
    for item in loss.items if every else gone:
        _tell_item(item, every=every)
    if loss.unseen:
        talk("The session has older entries that were not looked at.", "bold yellow")
    if not loss.items:
        say("Nothing was recorded of it before that.")
    elif not gone:
        say(f"All {len(loss.items):,} items are still there.")
    else:
        word = "may be gone" if wiped.summary is None else "gone"
        say(f"{len(gone):,} of {len(loss.items):,} items {word}: {said_of(gone)}.", "bold")
        say("`holdfast show N` has each, word for word.")
    _tell_back(loss)


def _tell_back(loss: Loss) -> None:
    """Say what the agent was given afterwards, and how much of what was gone that is."""
    if not loss.given:
        say("Nothing is recorded that the agent was given after it.")
        return
    for one in loss.given:
        why = "" if one.source is None else f" ({one.source})"
        left = ", ".join(f"{count:,} {name}" for name, count in one.left_out.items())
        cut = f"; no room for {left}" if left else ""
        told = f"{one.time[:19].replace('T', ' ')}: given{why} in {one.tokens:,} tokens"
        say(visible(f"{told} by {one.counter}{cut}: `holdfast show {one.seq}`."))
    if loss.given_more:
        talk("More may have been given that was not looked at.", "bold yellow")
    back = [item.brought_back for item in loss.gone if item.brought_back is not None]
    if loss.gone:
        part = sum(one.how == "paraphrased" for one in back)
        said = f", {part:,} of them in part" if part else ""
        say(f"{len(back):,} of the {len(loss.gone):,} came back{said}.", "bold")


def _trigger(wiped: Wiped) -> str:
    return f" ({wiped.trigger})" if wiped.trigger and wiped.how == "compacted" else ""


def _tell_item(item: Judged, *, every: bool) -> None:
    ended = "" if item.exit_code is None else f" (exit {item.exit_code})"
    fate = f"{item.fate:<12}" if every else ""
    lacks = f"  [without: {', '.join(item.missing)}]" if item.missing else ""
    kind = item.kind.replace("_", " ")
    say(visible(f"{fate}#{item.seq:<6} {kind:<10} {item.text}{ended}{lacks}{_back(item)}"))


def _back(item: Judged) -> str:
    back = item.brought_back
    if back is None:
        return ""
    return f"  [back by #{back.seq}{', in part' if back.how == 'paraphrased' else ''}]"
