"""`holdfast notes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.views.notes import Read
    from holdfast.wiring.notes import NotesWritten


@make_command(
    example="""
    holdfast notes
    holdfast notes --write
    holdfast notes --json
    """
)
@click.option("--write", is_flag=True, help="Bring the file up to date first.")
@json_option
@click.pass_obj
def command(invocation: Invocation, write: bool, as_json: bool) -> int:
    """Say where the notes stand, line by line, and which lines were not understood.

    The notes are NOTES.md in the project's root (the setting notes.path). What a person writes in
    them stays. Without --write nothing is changed. Exit code 1 when they are not up to date; then
    it says what the file says, whoever wrote it.
    """
    from holdfast.wiring import notes

    with invocation.project(publish=write) as project:
        if project.ledger.session_id is None:
            project.ledger.session_id = project.sessions.current()
        told = notes.refresh(project) if write else notes.look(project)
    if as_json:
        print_json(_answer(told))
    else:
        _tell(told)
    return DONE if told.current else NO


def _answer(told: NotesWritten) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "path": told.path,
        "current": told.current,
        "written": told.changed,
        "why": told.why,
        "refs": told.refs,
        "kept": told.kept,
        "dropped": [
            {"line": one.line, "text": visible(one.text), "why": one.why} for one in told.dropped
        ],
    }
    said = told.said
    if said is None:
        return answer
    places = [
        {"path": one.path, "first": one.first, "last": one.last, "purpose": one.purpose}
        for one in said.identifiers
    ]
    decisions = [
        {"line": one.line, "last": one.last, "timestamp": one.timestamp, "title": one.title}
        for one in said.decisions
    ]
    return answer | {
        "dropped_more": said.dropped_more,
        "section": said.section,
        "bead": said.bead,
        "checkpoint": said.checkpoint,
        "reasoning": said.reasoning,
        "identifiers": places,
        "decisions": decisions,
    }


def _tell(told: NotesWritten) -> None:
    if told.why is not None:
        talk(visible(told.why))
    else:
        word = "is up to date" if told.current else "is behind; --write brings it up to date"
        say(visible(f"{told.path} {'was written' if told.changed else word}."))
    for name, place in told.refs.items():
        say(visible(f"{place}  {name}"))
    if told.kept:
        talk(f"{told.kept:,} lines within what is written here are a person's, and were kept.")
    if told.said is not None:
        _tell_said(told.said, shown=bool(told.refs))


def _tell_said(said: Read, *, shown: bool) -> None:
    """Say what somebody else's notes say, and which lines were not understood."""
    if not shown:
        for name, value in (("bead", said.bead), ("reasoning state", said.reasoning)):
            if value is not None:
                say(visible(f"{name}: {value}"))
        for one in said.decisions:
            say(visible(f"lines {one.line}-{one.last}  {one.timestamp or '-'}  {one.title}"))
    for line in said.dropped:
        talk(visible(f"Line {line.line} {line.why}; it stays in the file."))
    if said.dropped_more:
        talk(f"Nor were {said.dropped_more:,} later lines understood.")
