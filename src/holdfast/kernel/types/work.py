"""What an agent does and is told: prompts, words, tool calls, commands, work in flight."""

from __future__ import annotations

from typing import Any

from holdfast.kernel.types.model import Count, Model, Name, Text, Told


class PromptGiven(Model, frozen=True, kw_only=True):
    """What the user asked for, word for word."""

    text: Told


class AgentSaid(Model, frozen=True, kw_only=True):
    """What the agent answered, word for word."""

    text: Told


class ToolCalled(Model, frozen=True, kw_only=True):
    """A tool that was used. `ok` is null when it is not known how that went."""

    tool: Told
    ok: bool | None = None
    params: Any = None
    detail: Text | None = None
    duration_ms: Count | None = None


class CommandRan(Model, frozen=True, kw_only=True):
    """A command and how it ended. `exit_code` is null when that is not known."""

    command: Told
    exit_code: int | None
    output: Text | None = None
    cwd: Text | None = None
    duration_ms: Count | None = None


class WorkOpened(Model, frozen=True, kw_only=True):
    """Work in flight that outlives the words about it: a subagent, a background task."""

    work: Name
    title: Told
    kind: Text | None = None


class WorkClosed(Model, frozen=True, kw_only=True):
    """Work that is no longer in flight, and how it came out."""

    work: Name
    outcome: Told
