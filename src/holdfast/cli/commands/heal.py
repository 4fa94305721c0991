"""`holdfast heal`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.healing import Healing
    from holdfast.wiring.healing_steps import Step
    from holdfast.wiring.places import Place


@make_command(example="holdfast heal --check\nholdfast heal --json")
@click.option("--check", is_flag=True, help="Only look, and say what would be done.")
@json_option
@click.pass_obj
def command(invocation: Invocation, check: bool, as_json: bool) -> int:
    """Recover what is missing or damaged around the ledger.

    Looks at the database, its derived files, the trajectory, the notes, and the tasks of Beads. A
    whole version comes from the private git ref, the user's commits, git's index or the template;
    what is derived comes from the ledger. The damaged original is kept aside. One thing that
    cannot be healed does not keep the others from it. Each recovery is recorded.

    Exit code 1: something is damaged (--check), or could not be healed.
    """
    from holdfast import config
    from holdfast.kernel.entry import Actor
    from holdfast.wiring.healing import heal

    place = _place(invocation)
    settings = config.load(place.settings).settings
    healing = heal(place, settings, Actor("user", settings.record.actor), check=check)
    if as_json:
        print_json(healing)
    else:
        _tell(healing)
    return DONE if healing.ok else NO


def _place(invocation: Invocation) -> Place:
    """Return where the ledger is, even when its database is lost."""
    from holdfast.kernel.errors import NotALedger
    from holdfast.wiring.places import bereft

    try:
        return invocation.place()
    except NotALedger:
        place = bereft(Path.cwd())
        if place is None:
            raise
        return place


def _tell(healing: Healing) -> None:
    for step in healing.steps:
        say(visible(_line(step, check=healing.check)))
    if not healing.steps:
        say(f"Nothing is missing or damaged: {', '.join(healing.looked_at)}.")
    for line in healing.told:
        talk(visible(line))


def _line(step: Step, *, check: bool) -> str:
    """Spell what was found and what became of it."""
    if step.healed:
        said = f"{step.what}: {step.damage}; recovered from {step.source}"
    elif check and step.source:
        said = f"{step.what}: {step.damage}; would come from {step.source}"
    else:
        said = f"{step.what}: {step.damage}; not healed"
    said += f" ({step.detail})" if step.detail else ""
    return f"{said}; kept as {step.kept_as}" if step.kept_as else said
