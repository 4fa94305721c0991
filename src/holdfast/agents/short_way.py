"""The short way of a hook: what it was told is made durable, and that is all.

Nothing of the ledger is loaded here, for an agent waits on every call. What needs an answer or a
look at the project goes the long way afterwards (`wiring/hooking.py`). Every word of a payload is a
claim: it chooses no ledger and no file that this process would not look at anyway.
"""

import os
import sys
from time import monotonic, process_time, time_ns

from holdfast.agents import attaching, finding, intake, looking, pausing, terms, trusting

PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
"""The longest payload that is read; of a longer one the beginning is kept, and that is said."""

RAW_BYTES_MAX = 64 * 1024
"""What is kept of a payload that is no JSON object, the beginning."""

SILENT = {
    "claude-code": "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification Setup"
    " UserPromptSubmit UserPromptExpansion PermissionRequest PermissionDenied StopFailure"
    " TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange"
    " WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded"
    " MessageDisplay PreModelSwitch PostModelSwitch",
    "codex": "PreToolUse PostToolUse PermissionRequest UserPromptSubmit",
    "opencode": "tool.execute.before tool.execute.after chat.message permission.ask file.edited"
    " message.updated message.part.updated",
    "gemini": "BeforeTool AfterTool BeforeAgent BeforeModel AfterModel BeforeToolSelection"
    " Notification",
    "cursor": "beforeSubmitPrompt preToolUse postToolUse postToolUseFailure beforeShellExecution"
    " beforeMCPExecution afterMCPExecution beforeReadFile afterFileEdit afterAgentResponse"
    " afterAgentThought beforeTabFileRead afterTabFileEdit workspaceOpen",
}
"""Events that nothing is answered to, by agent; all others go the long way."""

_ENDED_WORDS = (
    "PostToolUse PostToolUseFailure tool.execute.after AfterTool postToolUse postToolUseFailure"
    " afterShellExecution"
)
_ENDED = frozenset(_ENDED_WORDS.split())
_BEGUN_WORDS = (
    "PreToolUse tool.execute.before BeforeTool preToolUse beforeShellExecution beforeMCPExecution"
    " beforeReadFile"
)
_BEGUN = frozenset(_BEGUN_WORDS.split())
_PROMPTED_WORDS = "UserPromptSubmit UserPromptExpansion chat.message BeforeAgent beforeSubmitPrompt"
_PROMPTED = frozenset(_PROMPTED_WORDS.split())
_PID_VARIABLES = {"claude-code": "CLAUDE_PID"}


class Told:
    """What a hook process knows when the short way ends."""

    __slots__ = (
        *("agent", "at_us", "env", "event", "folder", "kept", "notice", "payload", "settled"),
        "since",
    )

    def __init__(self, agent: str, payload: bytes, env: "dict[str, str]") -> None:
        self.agent = agent
        self.payload = payload
        self.env = env
        self.at_us = time_ns() // 1000
        self.since = monotonic() - process_time()
        """When the process began, by the processor's time until here."""
        self.folder: str | None = None
        """The `.holdfast` it belongs to."""
        self.event = ""
        self.kept = False
        """It is durable in the intake."""
        self.settled = False
        """Nothing is left to do."""
        self.notice = ""
        """What the person is told, as the agent expects it."""

    def settle(self) -> "Told":
        """Say that nothing is left to do."""
        self.settled = True
        return self

    def note(self) -> str:
        """Return how it came: from the process that the agent says it is, else from our parent."""
        pid = self.env.get(_PID_VARIABLES.get(self.agent, ""), "")
        return f"pid={pid if pid.isdecimal() and len(pid) < 12 else os.getppid()}"


def pass_on(agent: str, payload: bytes, env: "dict[str, str]") -> Told:
    """Make an event durable, as far as that can be done here, and tell what is left to do."""
    told = Told(agent, payload, env)
    value = parse(payload)
    told.folder = finding.find(_word(value.get("cwd")) if isinstance(value, dict) else "", env)
    if told.folder is None:
        return told.settle()
    event = _word(value.get("hook_event_name")) if isinstance(value, dict) else ""
    if not trusting.is_trusted(told.folder, env):
        told.folder = None  # nothing is written there, and nothing of it is said
        told.notice = pausing.notice(agent, event, trusting.SAID)
        return told.settle()
    intake.check(told.folder)
    session = _session(agent, value) if isinstance(value, dict) else ""
    if pausing.is_private(env):
        pausing.note_private(told.folder, session, event, told.at_us)
        told.folder = None  # not even how long it took
        told.notice = pausing.notice(agent, event, pausing.PRIVATE_SAID)
        return told.settle()
    paused = pausing.paused_by(told.folder, session, unread=not isinstance(value, dict))
    if paused is not None:
        pausing.count(told.folder, paused)
        told.notice = pausing.notice(agent, event, pausing.PAUSED_SAID)
        return told.settle()
    heeded = terms.read(told.folder, env)
    if not isinstance(value, dict) or heeded is None:
        return told
    told.event = _word(value.get("hook_event_name"))
    try:
        waiting = _keep(told, value, heeded)
    except Exception:  # the long way has other means: it may write to the ledger itself
        return told
    silent = is_silent(agent, value, deny=heeded.deny)
    return told.settle() if told.kept and silent and waiting < intake.INTAKE_BYTES_MAX else told


def _keep(told: Told, value: "dict[str, object]", heeded: terms.Terms) -> int:
    """Write an event down, without its secrets; return how much waits then."""
    assert told.folder is not None
    payload, redactor = told.payload, None
    if looking.suspects(value, heeded.names):
        from holdfast.agents import cleaning

        redactor = cleaning.redactor(told.folder, heeded)
        if redactor is None:
            return 0
        payload = cleaning.spelled(value, redactor)
    files = attached(told.folder, value, heeded, redactor)
    record = intake.Record(told.agent, told.at_us, payload, files, told.note())
    waiting = intake.append(told.folder, record)
    told.kept = True
    return waiting


def attached(
    folder: str, value: "dict[str, object]", heeded: terms.Terms, redactor: object
) -> "tuple[tuple[str, bytes], ...]":
    """Return the files that an event says were written, but for those that hold a secret."""
    if _word(value.get("hook_event_name")) in _BEGUN:
        return ()
    found = []
    root, cwd = folder.rpartition("/")[0] or "/", _word(value.get("cwd"))
    for path in attaching.written(value):
        held = attaching.content(root, cwd, path, heeded.file_bytes_max)
        if held is None:
            continue
        config = attaching.is_config(path)
        if looking.suspects_file(held) or (config and looking.suspects_config(held, heeded.names)):
            from holdfast.agents import cleaning

            redactor = redactor or cleaning.redactor(folder, heeded)
            if redactor is None or cleaning.holds_secret(redactor, path, held):  # type: ignore[arg-type]
                continue
        found.append((path, held))
    return tuple(found)


def parse(payload: bytes) -> object:
    """Return what JSON says, None when it is none."""
    from _json import make_scanner

    if len(payload) > PAYLOAD_BYTES_MAX:
        return None
    try:
        text = payload.decode("utf-8").strip(" \t\r\n")
        value, end = make_scanner(_Context)(text, 0)  # type: ignore[arg-type]
    except (ValueError, StopIteration, RecursionError, SystemError):
        return None  # the scanner's own error is of the json package, which is not loaded here
    return value if end == len(text) else None


class _Context:
    """How JSON is read: as the json package does, but for its constants, which JSON has not."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = str
    memo: "dict[str, str]" = {}  # noqa: RUF012 - what the scanner asks for


def is_silent(agent: str, value: "dict[str, object]", *, deny: bool) -> bool:
    """Tell whether nothing is answered to an event, and no files are looked for after it."""
    event = _word(value.get("hook_event_name"))
    if event not in SILENT.get(agent, "").split() or (deny and event in _BEGUN):
        return False
    if event in _PROMPTED:
        command = _word(value.get("command_name")).lstrip("/")
        return command != "clear" and not _word(value.get("prompt")).lstrip().startswith("/clear")
    _, given = attaching.call(value)
    runs = any(isinstance(given.get(name), (str, list)) for name in ("command", "cmd", "script"))
    return not (event in _ENDED and runs and not attaching.written(value))


def _session(agent: str, value: "dict[str, object]") -> str:
    """Return the session of an event, which not every agent calls so."""
    named = [value.get("session_id")]
    given = value.get("input")
    if agent == "cursor":
        named.insert(0, value.get("conversation_id"))
    elif agent == "opencode" and isinstance(given, dict):
        named.append(given.get("sessionID"))
    return next((one for one in map(_word, named) if one.strip()), "")


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_stdin() -> bytes:
    """Read what the agent says, to its end; of too much, a byte more than is kept."""
    payload = sys.stdin.buffer.read(PAYLOAD_BYTES_MAX + 1)
    if len(payload) > PAYLOAD_BYTES_MAX:
        while sys.stdin.buffer.read(1024 * 1024):
            pass
    return payload
