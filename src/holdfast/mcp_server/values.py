"""What tools are given and what they answer, and the port behind them.

A field's description is what a model reads: it is short, and says what leaving it out means.
"""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta

from holdfast.kernel.limits import (
    INTEGER_MAX,
    MCP_ARGUMENT_CHARS_MAX,
    MCP_LIST_MAX,
    SEARCH_HITS_MAX,
)

Words: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MCP_ARGUMENT_CHARS_MAX)]
Key: TypeAlias = str | Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
Many: TypeAlias = Annotated[tuple[Words, ...], Meta(max_length=MCP_LIST_MAX)]
Keys: TypeAlias = Annotated[tuple[Key, ...], Meta(max_length=MCP_LIST_MAX)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
Priority: TypeAlias = Annotated[int, Meta(ge=0, le=4)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Status: TypeAlias = Literal["open", "in_progress", "blocked", "deferred"]
Session: TypeAlias = Annotated[
    Words | None, Meta(description="Session it belongs to; else the one that is open.")
]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a tool is given."""


class Decide(Asked, frozen=True, kw_only=True):
    """A decision."""

    what: Annotated[Words, Meta(description="What was decided.")]
    because: Annotated[Words, Meta(description="Why.")]
    evidence: Annotated[
        Many,
        Meta(description="Quotes it rests on, each as `quote` [${PROJECT_ROOT}/path:line]."),
    ] = ()
    assumption: Annotated[bool, Meta(description="True when nothing proves it yet.")] = False
    about: Annotated[Words | None, Meta(description="Subject; else what is cited.")] = None
    question: Annotated[Words | None, Meta(description="What was to be decided.")] = None
    alternatives: Annotated[Many, Meta(description="What else was weighed.")] = ()
    confidence: Annotated[Share | None, Meta(description="0 to 1.")] = None
    supersedes: Annotated[Keys, Meta(description="Decisions, by number or id, that it ends.")] = ()
    cites: Annotated[Keys, Meta(description="Entries that it rests on.")] = ()
    scenarios: Annotated[
        Many, Meta(description="Tests to come, each as `type: name: expected`.")
    ] = ()
    task: Annotated[Words | None, Meta(description="Task; else the current one.")] = None
    id: Annotated[Words | None, Meta(description="Same id twice is recorded once.")] = None
    session: Session = None


class Checkpoint(Asked, frozen=True, kw_only=True):
    """Where the work stands."""

    task: Annotated[Words | None, Meta(description="What is being done; else as before.")] = None
    completed: Annotated[Count | None, Meta(description="Steps done.")] = None
    total: Annotated[Count | None, Meta(description="Steps there are.")] = None
    next: Annotated[Words | None, Meta(description="What comes next; else from entries.")] = None
    resume: Annotated[Words | None, Meta(description="How to go on, in words.")] = None
    id: Annotated[Words | None, Meta(description="Same id twice is recorded once.")] = None
    session: Session = None


class Resume(Asked, frozen=True, kw_only=True):
    """How much is told to whoever comes back."""

    level: Annotated[
        Literal[1, 2, 3],
        Meta(description="1: 100 tokens. 2: decisions found by `query`, 500 tokens. 3: all."),
    ] = 1
    query: Annotated[Words | None, Meta(description="For level 2.")] = None
    session: Session = None


class Recall(Asked, frozen=True, kw_only=True):
    """What to look for."""

    query: Annotated[Words, Meta(description="Words or a question.")]
    code: Annotated[bool, Meta(description="Search the project's files instead of the ledger.")] = (
        False
    )
    types: Annotated[Many, Meta(description="Only these types of entries.")] = ()
    path: Annotated[Words | None, Meta(description="Only about paths with this in them.")] = None
    since: Annotated[Words | None, Meta(description="Date or time, ISO 8601.")] = None
    until: Annotated[Words | None, Meta(description="Date or time, ISO 8601.")] = None
    of_session: Annotated[Words | None, Meta(description="Only entries of this session.")] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=SEARCH_HITS_MAX)] | None, Meta(description="Hits; else 5.")
    ] = None
    session: Session = None


class Show(Asked, frozen=True, kw_only=True):
    """One thing, whole."""

    key: Annotated[
        Key,
        Meta(
            description="An entry's number or id, an artifact's SHA-256, or code: "
            "path:first-last, path:line, path::name."
        ),
    ]
    evidence: Annotated[
        bool, Meta(description="Of a decision: prove its quotes from the vault.")
    ] = False
    start: Annotated[Count, Meta(description="Character to go on from, when it was cut.")] = 0


class Ground(Asked, frozen=True, kw_only=True):
    """What a decision rests on; with evidence or assumption, what it is to rest on."""

    decision: Annotated[Key, Meta(description="Its number or id.")]
    evidence: Annotated[
        Many, Meta(description="New quotes, each as `quote` [${PROJECT_ROOT}/path:line].")
    ] = ()
    assumption: Annotated[bool, Meta(description="Mark it as an assumption.")] = False
    session: Session = None


class Ghost(Asked, frozen=True, kw_only=True):
    """A feature that is said to be missing; without a name, all of them."""

    name: Annotated[Words | None, Meta(description="The feature; else all are listed.")] = None
    queries: Annotated[
        Annotated[tuple[Words, ...], Meta(max_length=2)],
        Meta(description="Two that differ: search for it. None: only flag it."),
    ] = ()
    claim: Annotated[Words | None, Meta(description="Who says that it is missing.")] = None
    session: Session = None


class Pivot(Asked, frozen=True, kw_only=True):
    """What is learned from a search that found too much."""

    reason: Annotated[Words, Meta(description="Why the search was too broad.")]
    failed: Annotated[Words, Meta(description="The hypothesis that failed.")]
    refined: Annotated[Words, Meta(description="The hypothesis to go on with.")]
    session: Session = None


class TaskAdd(Asked, frozen=True, kw_only=True):
    """Something to do."""

    title: Words
    description: Words | None = None
    kind: Annotated[Words | None, Meta(description="bug, feature, task, …")] = None
    priority: Annotated[Priority | None, Meta(description="0 is most urgent.")] = None
    depends_on: Annotated[Many, Meta(description="Tasks that come before it.")] = ()
    session: Session = None


class TaskList(Asked, frozen=True, kw_only=True):
    """Which tasks."""

    task: Annotated[Words | None, Meta(description="Show this one whole instead.")] = None
    ready: Annotated[bool, Meta(description="Only those that wait for no other.")] = False
    closed: Annotated[bool, Meta(description="Closed ones, too.")] = False


class TaskUpdate(Asked, frozen=True, kw_only=True):
    """What changes about a task; what is left out stays, lists are given whole."""

    task: Words
    status: Annotated[Status | None, Meta(description="in_progress makes it the current one.")] = (
        None
    )
    title: Words | None = None
    description: Words | None = None
    priority: Priority | None = None
    next: Annotated[Many | None, Meta(description="Next steps.")] = None
    blockers: Many | None = None
    depends_on: Many | None = None
    completed: Count | None = None
    total: Count | None = None
    note: Words | None = None
    scenarios: Annotated[
        Many, Meta(description="Tests to add, each as `type: name: expected`.")
    ] = ()
    session: Session = None


class TaskClose(Asked, frozen=True, kw_only=True):
    """The end of a task."""

    task: Words
    reason: Annotated[Words, Meta(description="How it ended.")]
    session: Session = None


class ClearCheck(Asked, frozen=True, kw_only=True):
    """What is in the way of a clear."""

    session: Session = None


class Handoff(Asked, frozen=True, kw_only=True):
    """What was handed over, or is to be."""

    action: Annotated[
        Literal["last", "list", "offer", "accept", "decline"],
        Meta(description="last: what the last clear handed over. list: open offers."),
    ] = "last"
    to: Annotated[Words | None, Meta(description="offer: an agent's name or a session.")] = None
    title: Annotated[Words | None, Meta(description="offer: what it is about.")] = None
    next: Annotated[Many, Meta(description="offer: next steps.")] = ()
    refs: Annotated[Many, Meta(description="offer: entries, code or notes to look at.")] = ()
    note: Words | None = None
    task: Annotated[Words | None, Meta(description="offer: the task.")] = None
    id: Annotated[Words | None, Meta(description="accept, decline: the offer.")] = None
    because: Annotated[Words | None, Meta(description="decline: why.")] = None
    session: Session = None


class Caller(msgspec.Struct, frozen=True):
    """Who asks, as far as the connection says so."""

    name: str | None = None
    """What the client calls itself: a claim, and nothing rests on it but the actor's name."""


class Told(msgspec.Struct, frozen=True):
    """An answer. Its text may hold what anybody recorded."""

    text: str
    more: tuple[str, ...] = ()
    """What is not shown, and how to get it. Never cut."""
    cut: str = ""
    """How to get the rest when the text itself is too long."""


class Listed(msgspec.Struct, frozen=True):
    """A resource that is always there."""

    uri: str
    name: str
    description: str
    kind: str = "text/plain"


class Content(msgspec.Struct, frozen=True):
    """What a resource holds."""

    text: str
    kind: str = "text/plain"


class Verbs(Protocol):
    """What the server can have done. Everything is synchronous, and MAY be called side by side.

    What cannot be done MUST be raised as a HoldfastError, which says what to do instead.
    """

    def decide(self, caller: Caller, asked: Decide) -> Told: ...
    def checkpoint(self, caller: Caller, asked: Checkpoint) -> Told: ...
    def resume(self, caller: Caller, asked: Resume) -> Told: ...
    def recall(self, caller: Caller, asked: Recall) -> Told: ...
    def show(self, caller: Caller, asked: Show) -> Told: ...
    def ground(self, caller: Caller, asked: Ground) -> Told: ...
    def ghost(self, caller: Caller, asked: Ghost) -> Told: ...
    def pivot(self, caller: Caller, asked: Pivot) -> Told: ...
    def task_add(self, caller: Caller, asked: TaskAdd) -> Told: ...
    def task_list(self, caller: Caller, asked: TaskList) -> Told: ...
    def task_update(self, caller: Caller, asked: TaskUpdate) -> Told: ...
    def task_close(self, caller: Caller, asked: TaskClose) -> Told: ...
    def clear_check(self, caller: Caller, asked: ClearCheck) -> Told: ...
    def handoff(self, caller: Caller, asked: Handoff) -> Told: ...

    def read(self, uri: str) -> Content:
        """Return what a resource holds; NotFound for one that is not there."""

    def prompt(self, name: str, arguments: dict[str, str]) -> str:
        """Return the text of a prompt; NotFound for one that is not there."""
