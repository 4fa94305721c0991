"""How the agents of a project are doing: installed, heard of, how fast, and what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.agents import heartbeat, pausing
from holdfast.agents.installing import SCOPES, Scope, State
from holdfast.agents.traces import Trace, trace
from holdfast.agents.values import AGENTS, AgentName
from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import HEARTBEAT_LATE_S, HOOK_PROBLEM_FRESH_S
from holdfast.ledger.sources import Clock, system_clock
from holdfast.wiring.agent_setup import commands_of, setup_of
from holdfast.wiring.checks import Check, checked
from holdfast.wiring.pausing import paused
from holdfast.wiring.status import spell_age
from holdfast.wiring.trusting import is_trusted

if TYPE_CHECKING:
    from holdfast.agents.installing import Setup
    from holdfast.wiring.places import Place


class Installed(msgspec.Struct, frozen=True):
    """An agent's files in one scope."""

    scope: Scope
    state: State
    missing: str | None = None
    """What the installed command needs and is not there any more."""
    notes: list[str] = []


class AgentStatus(msgspec.Struct, frozen=True):
    """What is known of one agent."""

    agent: AgentName
    installed: list[Installed]
    version: str | None
    heard: heartbeat.Heard
    silent: bool
    """It is installed and worked here, and nothing was heard of it since."""
    cannot: tuple[str, ...]

    @property
    def is_there(self) -> bool:
        """Whether anything of it is installed."""
        return any(one.state != "absent" for one in self.installed)

    @property
    def faults(self) -> list[str]:
        """What keeps it from telling anything, a sentence each."""
        found = [
            f"its hook ({one.scope}) needs {one.missing}, which is gone"
            for one in self.installed
            if one.missing is not None
        ]
        return found + ["it worked here, and its hook told nothing"] * self.silent


def look(
    place: Place,
    *,
    root: Path | None = None,
    env: Mapping[str, str] = os.environ,
    home: Path | None = None,
) -> list[AgentStatus]:
    """Look at every agent of a project."""
    return [look_at(agent, place, root=root, env=env, home=home) for agent in AGENTS]


def look_at(
    agent: AgentName,
    place: Place,
    *,
    root: Path | None = None,
    env: Mapping[str, str] = os.environ,
    home: Path | None = None,
) -> AgentStatus:
    """Look at one agent."""
    from holdfast.agents.registry import agent as agent_named

    home = home or Path.home()
    found = list(_installed(agent, place, root, env, home))
    heard = heartbeat.heard(place.folder).get(agent, heartbeat.Heard())
    there = any(one.state != "absent" for one in found)
    at = root or place.project
    left = Trace() if at is None else trace(agent, at, env, home)
    return AgentStatus(
        agent=agent,
        installed=found,
        version=left.version,
        heard=heard,
        silent=there and not _is_paused(place) and _is_late(left.worked_us, heard.last_us),
        cannot=tuple(agent_named(agent).CANNOT),
    )


def checks(place: Place, clock: Clock = system_clock) -> Iterator[Check]:
    """Say whether what agents tell is recorded, for the doctor."""
    if place.project is None:
        return
    yield _recording(place)
    found = look(place)
    for one in found:
        if one.is_there:
            yield checked(
                f"agent {one.agent}",
                not one.faults,
                "; ".join(one.faults) or _heard(one, clock()),
                f"Run `holdfast agents install {one.agent}` again, and start the agent anew.",
            )
    yield _problems(place, clock())
    if any(one.is_there for one in found):
        yield _files(place)


def _files(place: Place) -> Check:
    """Say whether files that commands change are seen."""
    from holdfast.wiring.scanning import scan_state

    state = scan_state(place)
    remedy = "Make the ledger in a project's own folder, not around all of them."
    if not state.refused:
        remedy = "Raise agents.scan_files_max in your own settings, or have git ignore some."
    return checked("changed files", not (state.refused or state.cut), str(state), remedy)


def _recording(place: Place) -> Check:
    if not is_trusted(place):
        detail = "this ledger came with the project and is not yours: hooks leave it alone"
        return Check(
            "recording", False, detail, "`holdfast agents trust`, if you mean it to count."
        )
    if pausing.is_private(os.environ):
        detail = f"{pausing.PRIVATE} is set: hooks started from here record nothing"
        return Check("recording", False, detail, f"Unset {pausing.PRIVATE} to record.")
    try:
        pauses = paused(place)
    except HoldfastError as problem:
        return Check("recording", False, f"{problem.what} {problem.meaning}", problem.remedy)
    told = [
        f"paused{'' if one.session is None else f' for session {one.session}'}, "
        f"{one.unrecorded:,} events were not recorded"
        for one in pauses
    ]
    detail = "; ".join(told) or "what agents tell is recorded"
    return checked("recording", not told, detail, "`holdfast pause --off` records again.")


def _problems(place: Place, now_us: int) -> Check:
    found = heartbeat.problems(place.folder)
    fresh = [one for one in found if now_us - one.at_us <= HOOK_PROBLEM_FRESH_S * 1_000_000]
    if not fresh:
        return Check("hooks", True, "no hook had a problem lately")
    ago = spell_age((now_us - fresh[-1].at_us) / 1_000_000)
    detail = f"{len(fresh):,} problems within a day, the last {ago} ago: {fresh[-1].what}"
    return Check("hooks", False, detail, "`holdfast agents status` lists them.")


def _heard(one: AgentStatus, now_us: int) -> str:
    last_us = one.heard.last_us
    if last_us is None:
        return "installed; nothing was heard of it yet"
    ago = spell_age((now_us - last_us) / 1_000_000)
    return f"installed; last heard of {ago} ago ({one.heard.last_event})"


def _installed(
    agent: AgentName, place: Place, root: Path | None, env: Mapping[str, str], home: Path
) -> Iterator[Installed]:
    commands = commands_of(agent)
    for scope in SCOPES:
        try:
            setup = setup_of(agent, scope, place, root=root, commands=commands, env=env, home=home)
        except InvalidInput:
            continue  # a ledger that stands alone has no project
        state, notes = setup.state()
        yield Installed(scope, state, _missing(setup), notes if state != "absent" else [])


def _missing(setup: Setup) -> str | None:
    """Name what an installed command needs and is not there."""
    argvs = heartbeat.commands_in(setup.documents()) + setup.own_commands()
    return next((gone for argv in argvs if (gone := heartbeat.missing_in(argv))), None)


def _is_paused(place: Place) -> bool:
    try:
        return bool(paused(place))
    except HoldfastError:
        return True


def _is_late(worked_us: int | None, heard_us: int | None) -> bool:
    if worked_us is None:
        return False
    return heard_us is None or worked_us - heard_us > HEARTBEAT_LATE_S * 1_000_000
