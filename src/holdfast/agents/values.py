"""What the agents' files and the rest tell each other: events, replies, answers."""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol, TypeAlias

import msgspec

from holdfast.ledger.ledger import Draft

AgentName: TypeAlias = Literal["claude-code", "codex", "opencode", "gemini", "cursor"]
AGENTS: Final[tuple[AgentName, ...]] = ("claude-code", "codex", "opencode", "gemini", "cursor")

Kind: TypeAlias = Literal[
    "session_start",
    "session_end",
    "prompt",
    "tool_begin",
    "tool_end",
    "tool_failed",
    "stop",
    "subagent_start",
    "subagent_stop",
    "pre_compact",
    "post_compact",
    "other",
]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing an agent told, read from its payload. Every field is the payload's claim."""

    agent: AgentName
    name: str
    """What the agent calls it."""
    kind: Kind
    session: str | None
    """The agent's own id of the session."""
    cwd: str | None
    key: str
    """The same for the same happening, however often it is told; ids of entries come from it."""
    at_us: int
    """When it was received, in microseconds since 1970."""
    source: str | None = None
    """Of a session's start: startup, resume, clear, compact, fork. Of a compaction: its trigger.
    Of a session's end: its reason."""
    turn: str | None = None
    """The agent's own id of the prompt or turn that it belongs to."""
    counted: bool = False
    """Nothing in the payload tells this happening from another one like it: the key is that of the
    first of its kind, and whoever knows what came before numbers the others."""
    call: str | None = None
    tool: str | None = None
    command: str | None = None
    """The shell command, when the tool is a shell."""
    paths: tuple[str, ...] = ()
    """Files that the tool says it wrote."""
    text: str | None = None
    """The prompt; of a stop, what the agent said last; of a compaction, the summary."""
    said: int = 1
    """Which time the agent says these words, where no turn tells the times apart."""
    transcript: str | None = None
    worker: str | None = None
    """The sub-agent it comes from or is about."""
    model: str | None = None
    payload: Any = None
    """All of it, as it came."""


class MadeOf(msgspec.Struct, frozen=True, kw_only=True):
    """What words for a model were made of: for whoever asks later what an agent was told."""

    about: tuple[int, ...] = ()
    """The entries that they name or were made from."""
    of_session: str | None = None
    """The session whose work they tell of."""
    as_of: int | None = None
    """The last entry that was taken into account."""
    left_out: dict[str, int] = {}
    """What there was no room for: how much of each kind."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What holdfast has to say to an event; how that is spelled is the agent's own affair."""

    context: str | None = None
    """For the model."""
    made_of: MadeOf | None = None
    """What the context was made of."""
    message: str | None = None
    """For the person."""
    block: str | None = None
    """Why this must not go on, where the agent can be held back."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the hook process prints and ends with."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class Agent(Protocol):
    """What each agent's module offers (as module-level names)."""

    NAME: AgentName
    EVENTS: tuple[str, ...]
    """Every event that is installed."""
    CONTEXT_CHARS_MAX: int
    """How much a reply's context may hold before the agent cuts it or puts it aside."""
    CANNOT: tuple[str, ...]
    """What this agent does not allow, a sentence each."""

    def read(self, payload: Any, at_us: int) -> Event:
        """Read a payload. Whatever it lacks is None; raises InvalidInput when it is none."""

    def drafts(self, event: Event) -> list[Draft]:
        """Return the entries of an event, with ids that come from its key."""

    def answer(self, event: Event, reply: Reply) -> Answer:
        """Spell a reply as this agent expects it; an empty one is an empty answer, exit 0."""
