"""`holdfast agents`: install, remove, status, trust, plugin."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.errors import NotALedger

if TYPE_CHECKING:
    from holdfast.agents.installing import Scope, Setup
    from holdfast.agents.steps import Step
    from holdfast.agents.values import AgentName
    from holdfast.wiring.places import Place

AGENTS: Final = ("claude-code", "codex", "opencode", "gemini", "cursor")

_DONE: Final = {
    "write": "written",
    "update": "updated",
    "unchanged": "as it is",
    "left": "left alone",
    "remove": "removed",
    "restore": "as it was",
    "strip": "taken out",
}
_TO_DO: Final = {**_DONE, "write": "write", "update": "update", "unchanged": "keep"}

_agents = click.argument(
    "agents", nargs=-1, required=True, metavar="AGENT...", type=click.Choice(AGENTS)
)
_scope = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    default="project",
    show_default=True,
    help="The files of this project, or your own for all of them.",
)


@click.group(
    "agents",
    cls=ExampleGroup,
    example="""
    holdfast agents install claude-code --dry-run
    holdfast agents install claude-code codex
    holdfast agents status --json
    holdfast agents remove claude-code
    """,
)
def command() -> None:
    """Let agents record by themselves: put hooks into their settings, look at them, take them out.

    Agents are claude-code, codex, opencode, gemini and cursor. An agent with hooks records every
    prompt, call and answer, and is told after a clear or a compaction where the work stands. Hooks
    that are there already stay, and so does everything else in those files.
    """


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast agents install claude-code --dry-run
    holdfast agents install claude-code codex --yes
    holdfast agents install cursor --scope user --json
    """,
)
@_agents
@_scope
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; nothing is asked without a terminal either.")
@json_option
@click.pass_obj
def install(
    invocation: Invocation,
    agents: tuple[AgentName, ...],
    scope: Scope,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Put hooks and the MCP server into an agent's settings, and show the difference.

    Doing it again changes nothing. A file with comments, a link, or one that holdfast did not write
    is left alone: what to paste is printed, and the exit code is 1.
    """
    setups = [_setup(invocation, agent, scope) for agent in dict.fromkeys(agents)]
    planned = [(setup, setup.plan()) for setup in setups]
    if not as_json:
        _show(planned)
    if not dry_run and not agreed(planned, yes=yes or as_json):
        talk("Nothing was written.")
        return NO
    done = planned
    if not dry_run:
        with _our_writing(invocation, setups):
            done = [(setup, setup.install()) for setup in setups]
        if scope == "project":
            _trust(invocation.place())
    if as_json:
        _print(done, dry_run=dry_run)
    else:
        _tell(done, _TO_DO if dry_run else _DONE)
        if not dry_run:
            _advise(done)
    return _code(done)


@command.command(
    cls=ExampleCommand,
    example="holdfast agents remove claude-code\nholdfast agents remove cursor --scope user",
)
@_agents
@_scope
@json_option
@click.pass_obj
def remove(
    invocation: Invocation, agents: tuple[AgentName, ...], scope: Scope, as_json: bool
) -> int:
    """Take the hooks out again; every file is as it was before, byte for byte.

    A file that was edited since keeps its edits and loses only our part. Exit code 1 when something
    had to stay.
    """
    setups = [_setup(invocation, agent, scope) for agent in dict.fromkeys(agents)]
    with _our_writing(invocation, setups):
        done = [(setup, setup.remove()) for setup in setups]
    if as_json:
        _print(done, dry_run=False)
        return _code(done)
    _tell(done, _DONE)
    for setup, steps in done:
        if not steps:
            talk(f"Nothing of {setup.agent} is installed ({setup.scope}).")
    return _code(done)


@command.command(
    cls=ExampleCommand, example="holdfast agents status\nholdfast agents status codex --json"
)
@click.argument("agents", nargs=-1, metavar="[AGENT...]", type=click.Choice(AGENTS))
@json_option
@click.pass_obj
def status(invocation: Invocation, agents: tuple[AgentName, ...], as_json: bool) -> int:
    """Say of each agent: installed, version, last event, how fast its hook is, what it cannot do.

    Exit code 1 when an installed agent is not heard of: its Python is gone, it worked here and told
    nothing, or the ledger is not yours (`holdfast agents trust`). Without a name all are listed.
    """
    from holdfast.cli import agent_page
    from holdfast.wiring.agent_status import look_at
    from holdfast.wiring.trusting import is_trusted

    place = invocation.place()
    root = invocation.files().root
    found = [look_at(agent, place, root=root) for agent in agents or AGENTS]
    if as_json:
        print_json(agent_page.document(place, found))
    else:
        for line in agent_page.lines(place, found):
            say(visible(line))
    return NO if any(one.faults for one in found) or not is_trusted(place) else DONE


@command.command(
    cls=ExampleCommand, example="holdfast agents trust\nholdfast agents trust --off --json"
)
@click.option("--off", is_flag=True, help="Leave this ledger alone from now on.")
@json_option
@click.pass_obj
def trust(invocation: Invocation, off: bool, as_json: bool) -> int:
    """Say that this project's ledger is yours, though it came with the project.

    Until then hooks of agents do nothing where a ledger came along, from a repository or a copy:
    what it holds would be told to a model as what was said and done. A ledger that you made is
    yours already. It is noted in your own files, not in the project's.
    """
    from holdfast.wiring import trusting

    place = invocation.place()
    changed = trusting.distrust(place) if off else trusting.trust(place)
    if as_json:
        print_json({"changed": changed, "trusted": trusting.is_trusted(place)})
    elif off:
        say("Hooks of agents leave this ledger alone" + (" now." if changed else " already."))
    else:
        said = "This ledger counts as yours" + (" now: " if changed else " already: ")
        say(said + "agents are told what is in it, and record into it.")
        if changed:
            talk("What they did here before was not recorded; `holdfast import` takes it in from")
            talk("what claude-code, codex and opencode kept themselves.")
    return DONE


@command.command(cls=ExampleCommand, example="holdfast agents plugin ./holdfast-plugin")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def plugin(folder: Path, as_json: bool) -> int:
    """Write holdfast as a plugin of Claude Code into DIR: hooks, MCP server, skill and commands.

    Try it with `claude --plugin-dir DIR`. DIR is made, or holds a plugin of holdfast already.
    """
    from holdfast.wiring.claude_plugin import write_plugin

    written = write_plugin(folder)
    if as_json:
        print_json({"ok": True, "folder": str(folder.absolute()), "files": written})
        return DONE
    for path in written:
        say(visible(f"written       {folder / path}"))
    talk(visible(f"Try it: claude --plugin-dir {folder}"))
    return DONE


def _setup(invocation: Invocation, agent: AgentName, scope: Scope) -> Setup:
    from holdfast.wiring.agent_setup import setup_of

    if scope == "user":
        return setup_of(agent, scope, _place_here(invocation))
    return setup_of(agent, scope, invocation.place(), root=invocation.files().root)


def _trust(place: Place) -> None:
    """Let hooks heed a ledger that somebody installs them for; what keeps them from it is told."""
    from holdfast.kernel.errors import StorageFailed
    from holdfast.wiring.trusting import trust

    try:
        trust(place)
    except StorageFailed as problem:
        talk(visible(f"{problem.what} {problem.meaning} {problem.remedy}"))


def _our_writing(invocation: Invocation, setups: list[Setup]) -> AbstractContextManager[None]:
    """Keep what is written into this project from being taken for an agent's change."""
    place = _place_here(invocation)
    if place is None:
        return nullcontext()
    from holdfast.wiring.own_writes import writing

    return writing(place, [path for setup in setups for path in setup.paths()])


def _place_here(invocation: Invocation) -> Place | None:
    try:
        return invocation.place()
    except NotALedger:
        return None


def agreed(planned: list[tuple[Setup, list[Step]]], *, yes: bool) -> bool:
    """Ask whoever is there whether these files may be written."""
    asked = any(step.diff for _, steps in planned for step in steps)
    if yes or not asked or not sys.stdin.isatty() or not sys.stdout.isatty():
        return True
    return click.confirm("Write this?", err=True)


def _show(planned: list[tuple[Setup, list[Step]]]) -> None:
    for step in (one for _, steps in planned for one in steps):
        if step.diff:
            say(visible(step.diff, lines=True))


def _tell(done: list[tuple[Setup, list[Step]]], words: dict[str, str]) -> None:
    for step in (one for _, steps in done for one in steps):
        note = f" ({step.note})" if step.note else ""
        say(visible(f"{words[step.action]:<13} {step.path}{note}"))
        if step.action == "left" and step.paste:
            talk(visible(f"What should stand in {step.path}:\n{step.paste}", lines=True))


def _advise(done: list[tuple[Setup, list[Step]]]) -> None:
    """Say what is to be known of an install; of one that is not whole nothing is promised."""
    from holdfast.agents.setups import notes
    from holdfast.wiring.agent_setup import commands_of

    for setup, steps in done:
        if any(step.action == "left" for step in steps):
            talk(f"{setup.agent} is not set up as a whole: a file above was left as it is.")
            continue
        commands = commands_of(setup.agent)
        for line in notes(setup.agent, setup.scope, commands):
            talk(visible(line))
        if commands.mcp is None:
            talk("The MCP server is not set up: its packages are missing (extra `mcp`).")


def _print(done: list[tuple[Setup, list[Step]]], *, dry_run: bool) -> None:
    found = [
        {"agent": setup.agent, "scope": setup.scope, "files": msgspec.to_builtins(steps)}
        for setup, steps in done
    ]
    print_json({"ok": _code(done) == DONE, "dry_run": dry_run, "agents": found})


def _code(done: list[tuple[Setup, list[Step]]]) -> int:
    return NO if any(step.action == "left" for _, steps in done for step in steps) else DONE
