"""The entries that transcripts become, whichever agent wrote them."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.values import AgentName
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import TRANSCRIPT_CALLS_MAX
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft

ENDS_HERE: Final = "its transcript ends here"

_EXIT: Final = re.compile(r"\A(?:Error: )?(?:Exit code:?|Process exited with code) (\d{1,3})\b")


class Odd(Exception):
    """Leave the reading of a line: says why it is none of the agent's."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool that was begun."""

    tool: str
    params: Any = None
    command: str | None = None
    cwd: str | None = None
    note: Any = None
    """What else was told of it before its end."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a line says besides its matter: where and when it was written, in which turn."""

    session: str
    turn: str | None = None
    worker: str | None = None
    at: str | None = None
    origin: dict[str, Any] | None = None
    """Of an import: the file and the line."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a call came out."""

    call: str
    ok: bool | None
    response: Any = None
    output: str | None = None
    """Of a command: what it said."""
    exit_code: int | None = None
    duration_ms: int | None = None


class Counted(msgspec.Struct):
    """What was said so far in the turn, and how often; a later reading goes on from it."""

    turn: str | None = None
    times: dict[str, int] = {}

    def nth(self, turn: str | None, text: str) -> int:
        """Count a text, and return which time this is."""
        if turn != self.turn:
            self.turn, self.times = turn, {}
        times = self.times.get(text, 0) + 1
        self.times[text] = times
        return times


class Calls:
    """The calls whose end is not read yet, the newest of them."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Call] = OrderedDict()

    def begin(self, name: str, call: Call) -> None:
        """Remember a call."""
        self._calls[name] = call
        if len(self._calls) > TRANSCRIPT_CALLS_MAX:
            self._calls.popitem(last=False)

    def note(self, name: str, note: Any) -> None:
        """Remember something about a call that is not over."""
        if (call := self._calls.get(name)) is not None:
            self._calls[name] = msgspec.structs.replace(call, note=note)

    def end(self, name: str) -> Call:
        """Return a call, for the last time; of one that is not known only that is known."""
        return self._calls.pop(name, None) or Call(tool="unknown")


class Maker:
    """Makes drafts of what one agent's transcript tells."""

    def __init__(self, agent: AgentName, counted: Counted | None = None) -> None:
        self.agent = agent
        self.counted = Counted() if counted is None else counted
        self._prompts = Counted()
        self._compactions = Counted()
        self._user = Actor("user", agent)
        self._said = Actor("agent", agent)
        self._tool = Actor("tool", agent)

    def started(self, told: Told, **more: Any) -> Draft:
        """Make the beginning of a session."""
        key = keys.session_start(self.agent, told.session, None)
        return self._draft("session_started", told, self._said, key, **more)

    def ended(self, told: Told) -> Draft:
        """Make the end of a session, for one whose transcript goes no further."""
        key = keys.session_end(self.agent, told.session)
        return self._draft("session_ended", told, self._said, key, reason=ENDS_HERE)

    def prompt(self, told: Told, text: str, **more: Any) -> Draft:
        """Make what the user said."""
        nth = self._prompts.nth(told.turn, _digest(text))
        key = keys.prompt(self.agent, told.session, told.turn, text, nth)
        return self._draft("prompt_given", told, self._user, key, text=text, **more)

    def said(self, told: Told, text: str, **more: Any) -> Draft:
        """Make what the agent said."""
        nth = self.counted.nth(told.turn, _digest(text.strip()))
        key = keys.said(self.agent, told.session, told.turn, text, nth, worker=told.worker)
        return self._draft("agent_said", told, self._said, key, text=text, **more)

    def begun(self, told: Told, name: str, call: Call, **more: Any) -> Draft:
        """Make the beginning of a call."""
        key = keys.tool_begin(self.agent, told.session, name, told.turn, told.worker)
        fields = {"tool": call.tool, "call": keys.session_id(name), "params": call.params}
        return self._draft("tool_begun", told, self._said, key, **fields, **more)

    def finished(self, told: Told, call: Call, ended: Ended) -> list[Draft]:
        """Make the end of a call; of a shell's, its command too, which holds what was said."""
        key = keys.tool_end(self.agent, told.session, ended.call, told.turn, told.worker)
        fields: dict[str, Any] = {
            "tool": call.tool,
            "ok": ended.ok,
            "call": keys.session_id(ended.call),
            "params": call.params,
            "duration_ms": ended.duration_ms,
        }
        shown = {"error" if ended.ok is False else "response": ended.response}
        if call.command is None or not call.command.strip():
            return [self._draft("tool_called", told, self._tool, key, **fields, **shown)]
        ran = {
            "command": call.command,
            "exit_code": ended.exit_code,
            "output": ended.output,
            "cwd": call.cwd,
            "call": fields["call"],
            "duration_ms": ended.duration_ms,
        }
        command = self._draft("command_ran", told, self._tool, key, keys.COMMAND, **ran)
        return [self._draft("tool_called", told, self._tool, key, **fields), command]

    def compacted(self, told: Told, trigger: str | None, summary: str | None, **more: Any) -> Draft:
        """Make a compaction."""
        nth = self._compactions.nth(told.turn, _digest(keys.core_of(summary or "")))
        key = keys.compacted(self.agent, told.session, told.turn, summary, nth)
        fields: dict[str, Any] = {"trigger": trigger, "summary": summary}
        return self._draft("context_compacted", told, self._said, key, **fields, **more)

    def work_opened(self, told: Told, worker: str, title: str, **more: Any) -> Draft:
        """Make the beginning of a sub-agent."""
        key = keys.worker_start(self.agent, told.session, worker)
        fields = {"work": keys.session_id(worker), "title": title, "kind": "subagent"}
        return self._draft("work_opened", told, self._said, key, **fields, **more)

    def work_closed(self, told: Told, worker: str, outcome: str) -> Draft:
        """Make the end of a sub-agent."""
        key = keys.worker_stop(self.agent, told.session, worker)
        fields = {"work": keys.session_id(worker), "outcome": outcome}
        return self._draft("work_closed", told, self._said, key, **fields)

    def raw(self, told: Told, event: str, payload: str, name: str) -> Draft:
        """Keep a line that has no type of its own, as the text that it is.

        `name` is what it and nothing else in the session is called.
        """
        key = keys.other(self.agent, told.session, event, name)
        return self._draft(
            "hook_fired", told, self._said, key, event=f"transcript:{event}", payload=payload
        )

    def _draft(
        self, type_name: str, told: Told, actor: Actor, key: str, part: str = "", **fields: Any
    ) -> Draft:
        data = {
            name: value
            for name, value in fields.items()
            if value is not None or name == "exit_code"  # which must be said
        }
        data["agent"] = self.agent
        if told.at is not None:
            data["at"] = told.at
        if told.turn is not None:
            data["turn"] = told.turn
        if told.worker is not None:
            data["worker"] = told.worker
        if told.origin is not None:
            data["imported"] = told.origin
        session = keys.session_id(told.session)
        return Draft(type_name, data, session, actor, keys.entry_id(key, part))


def place_of(line: Line, text: str) -> str:
    """Name a line that has no id: files only grow, so its number and what it says never change."""
    return f"{line.number}:{text}"


def exit_code(text: str) -> int | None:
    """Return the exit code that a failure's words begin with."""
    found = _EXIT.match(text)
    return None if found is None else int(found[1])


def text_of(value: Any) -> str | None:
    """Return a text, of a value that ought to be one."""
    return value if isinstance(value, str) else None


def says_something(value: Any) -> bool:
    """Tell whether a value is a text of more than blanks."""
    return isinstance(value, str) and value != "" and not value.isspace()


def texts_of(content: Any, kinds: tuple[str, ...] = ("text",)) -> str:
    """Return the texts among the blocks of a message, a line each; a plain text is itself."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    return "\n".join(
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type") in kinds
        and isinstance(block.get("text"), str)
    )


def _digest(text: str) -> str:
    return keys.digest(text)[:24]
