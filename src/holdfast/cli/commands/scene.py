"""`holdfast scene`: start, end, show."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.saved import tell_auto
from holdfast.kernel.entry import ActorKind


@click.group(
    "scene",
    cls=ExampleGroup,
    example="""
    holdfast scene start gate --title "At the gate" --mode talk
    holdfast scene show
    holdfast scene end --outcome "they were let in"
    """,
)
def command() -> None:
    """Start and end scenes, and say where the story takes place. Each of these has --json.

    A scene is one piece of a campaign: a task of a project, an encounter of a game. When it ends,
    what was unlocked for it is locked again, and a save is made.
    """


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast scene start gate --title "At the gate" --mode talk
    holdfast scene start parser --campaign "the new compiler" --json
    """,
)
@click.argument("name")
@click.option("--title", metavar="T", help="What it is about.")
@click.option("--mode", metavar="M", help="The mode from now on [else as before].")
@click.option("--world", metavar="W", help="The world from now on [else as before].")
@click.option("--campaign", metavar="C", help="The campaign from now on [else as before].")
@session_option
@actor_options
@json_option
@click.pass_obj
def start(
    invocation: Invocation,
    name: str,
    title: str | None,
    mode: str | None,
    world: str | None,
    campaign: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Begin the scene NAME. One that is going on is over with that, and a save is made."""
    from holdfast.wiring.saving import auto_save

    with invocation.recorder(actor_kind, actor, session) as project:
        begun = project.story.start_scene(
            name, title=title, mode=mode, world=world, campaign=campaign
        )
        if begun.over is None:
            return give(begun.receipt, as_json=as_json)
        talk(visible(f"Scene {begun.over} is over with that."))
        saved = tell_auto(auto_save(project, "SCENE"))
        return give(begun.receipt, as_json=as_json, over=begun.over, save=saved)


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast scene end
    holdfast scene end --outcome "they were let in" --json
    """,
)
@click.option("--outcome", metavar="O", help="How it came out.")
@session_option
@actor_options
@json_option
@click.pass_obj
def end(
    invocation: Invocation,
    outcome: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """End the scene that is going on, and make a scene save."""
    from holdfast.wiring.saving import auto_save

    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, scene = project.story.end_scene(outcome=outcome)
        saved = tell_auto(auto_save(project, "SCENE"))
        return give(receipt, as_json=as_json, scene=scene, save=saved)


@command.command(cls=ExampleCommand, example="holdfast scene show\nholdfast scene show --json")
@json_option
@click.pass_obj
def show(invocation: Invocation, as_json: bool) -> None:
    """Say where the story takes place: campaign, world, scene and mode."""
    with invocation.project(publish=False) as project:
        place = project.story.place()
    if as_json:
        print_json(place)
        return
    title = "" if place.title is None else f": {place.title}"
    since = "" if place.since is None else f" (since entry {place.since})"
    rows = {
        "campaign": place.campaign,
        "world": place.world,
        "scene": None if place.scene is None else f"{place.scene}{title}{since}",
        "mode": place.mode,
    }
    for name, value in rows.items():
        say(f"{name:<9} {visible(value or '-')}")
