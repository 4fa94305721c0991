"""`holdfast hook`."""

from __future__ import annotations

import click

from holdfast.agents.values import AGENTS
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option


@make_command(example="holdfast hook claude-code < payload.json")
@click.argument("agent", type=click.Choice(AGENTS), metavar="AGENT")
@json_option
def command(agent: str, as_json: bool) -> int:
    """Take one payload of an agent's hook on stdin, and answer as that agent expects.

    AGENT is claude-code, codex, opencode, gemini or cursor. What cannot be recorded never holds the
    agent up: this ends with 0, and `holdfast agents status` tells of it. The answer has the agent's
    own form; with --json, a command line that cannot be used is told as JSON.
    """
    del as_json  # errors of the command line are spelled by the one who calls this
    from holdfast import hook_entry

    return hook_entry.main([agent])
