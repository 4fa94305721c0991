"""What a happening is called, however it is heard of: told by a hook, or read in a transcript.

The ids of entries come from these keys, so that what one way recorded the other adds nothing to.
A key names the agent and its session first: ids of calls and turns need not be anybody else's.
Where an agent gives a thing no id, its words are hashed; `nth` tells the same words said again
apart, and is for the caller to count. Keys are never shown; ids are hashes of them.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from holdfast.kernel.entry import check_name
from holdfast.kernel.errors import InvalidInput

_SEPARATOR: Final = "\x1f"

COMMAND: Final = "command"
"""The part of a finished call that its command is."""

# As Claude Code's hook tells a summary, and as it writes it for the model to go on from.
_TAGGED: Final = re.compile(r"<summary>(.*)</summary>", re.DOTALL)
_FRAMED: Final = re.compile(
    r"^This session is being continued[^\n]*\n\n"
    r"(?:<system-reminder>.*?</system-reminder>\n)?(?:Summary:\n)?(.*?)"
    r"(?:\n\nIf you need specific details|\n\n?Please continue|\n\n?Continue the conv|\Z)",
    re.DOTALL,
)


def entry_id(key: str, part: str = "") -> str:
    """Return the id of an entry of a happening; `part` tells apart the entries it becomes.

    The main one has none; the `command_ran` of a finished call has the part COMMAND.
    """
    digest = sha256(f"{key}{_SEPARATOR}{part}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"agent-{digest[:40]}"


def prompt(agent: str, session: str | None, turn: str | None, text: str, nth: int = 1) -> str:
    """Name what the user said. `turn` is the prompt's or the turn's own id."""
    return _key(agent, session, "prompt", turn, digest(text), nth)


def tool_begin(
    agent: str, session: str | None, call: str, turn: str | None = None, worker: str | None = None
) -> str:
    """Name the beginning of a call."""
    return _key(agent, session, "tool_begin", call, *_scope(call, turn, worker))


def tool_end(
    agent: str, session: str | None, call: str, turn: str | None = None, worker: str | None = None
) -> str:
    """Name the end of a call, good or bad: there is one."""
    return _key(agent, session, "tool_end", call, *_scope(call, turn, worker))


def _scope(call: str, turn: str | None, worker: str | None) -> tuple[str, ...]:
    """Return what tells calls apart whose id a model server may give again, such as
    `functions.Bash:0`: the turn and the sub-agent. Those of other servers are nobody else's."""
    if call.startswith("toolu_") or (call.startswith(_OWN) and len(call) >= _OWN_CHARS_MIN):
        return ()
    return turn or "", worker or ""


_OWN: Final = ("call_", "tooluse_", "fc_")
_OWN_CHARS_MIN: Final = 16
"""How the ids of calls begin that are chance, and how long they are at least."""


def said(
    agent: str,
    session: str | None,
    turn: str | None,
    text: str,
    nth: int = 1,
    *,
    worker: str | None = None,
) -> str:
    """Name what the agent said, or a sub-agent of it. `nth` is which time of the turn it was, as a
    transcript tells. A hook knows the words alone and says 1, or without a turn which time of the
    session it was."""
    return _key(agent, session, "said", turn, worker, digest(text.strip()), nth)


def compacted(
    agent: str, session: str | None, turn: str | None, summary: str | None, nth: int = 1
) -> str:
    """Name a compaction, by its turn and the words that are left, without what stands around them:
    an agent's hook and its transcript frame one summary differently."""
    return _key(agent, session, "compacted", turn, digest(core_of(summary or "")), nth)


def core_of(summary: str) -> str:
    """Return the words of a summary alone, each blank between them one blank."""
    told = _TAGGED.search(summary) or _FRAMED.search(summary)
    return " ".join((summary if told is None else told[1]).split())


def session_start(agent: str, session: str | None, source: str | None, nth: int = 1) -> str:
    """Name the start of a session. Its first one has one name, whatever the source: `nth` is 1;
    a transcript knows no other."""
    return _key(agent, session, "session_start", "first" if nth == 1 else source, nth)


def session_end(agent: str, session: str | None, nth: int = 1) -> str:
    """Name the end of a session; one that went on after it ends again."""
    return _key(agent, session, "session_end", nth)


def worker_start(agent: str, session: str | None, worker: str) -> str:
    """Name the start of a sub-agent or a background task."""
    return _key(agent, session, "worker_start", worker)


def worker_stop(agent: str, session: str | None, worker: str) -> str:
    """Name the end of a sub-agent or a background task."""
    return _key(agent, session, "worker_stop", worker)


def other(agent: str, session: str | None, name: str, told: str, nth: int = 1) -> str:
    """Name whatever has no maker of its own, by all that was told of it."""
    return _key(agent, session, "other", name, digest(told), nth)


def session_id(agent_session: str) -> str:
    """Return what the ledger calls an agent's session: the same, where it can be a name."""
    try:
        return check_name("The session id", agent_session)
    except InvalidInput:
        return digest(agent_session)[:32]


def _key(*parts: str | int | None) -> str:
    return _SEPARATOR.join("" if part is None else str(part) for part in parts)


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
