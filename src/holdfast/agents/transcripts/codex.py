"""Codex: `rollout-<time>-<session>.jsonl`, a line for each item of the conversation and each event.

Items of the conversation are read: what the user said, what the agent said, calls and their
outputs, compactions. Events repeat them for the screen; of those only how a command ended is used,
which its output says less well. All lines that are not read into an entry of their own are kept
whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from holdfast.agents.transcripts.making import (
    Call,
    Calls,
    Counted,
    Ended,
    Maker,
    Odd,
    Told,
    exit_code,
    place_of,
    says_something,
    text_of,
    texts_of,
)
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft

SHELLS: Final = frozenset({"exec_command", "shell", "shell_command", "local_shell"})

_NOT_TYPED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<skill>",
    "# AGENTS.md instructions",
)
"""How a user's message begins that the client wrote by itself."""

_BEGUN: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_ENDED: Final = frozenset({"function_call_output", "custom_tool_call_output"})


class Reader:
    """Reads the lines of one file, in order."""

    def __init__(
        self,
        session: str,
        worker: str | None = None,
        counted: Counted | None = None,
        *,
        model: str | None = None,
    ) -> None:
        self._session = session
        self._worker = worker
        self._maker = Maker("codex", counted)
        self._calls = Calls()
        self._turn = None if counted is None else counted.turn
        self._model = model
        self._begun = False
        self._last: Told | None = None
        self.usage: dict[str, Any] | None = None
        """The newest that was told of tokens."""

    @property
    def turn(self) -> str | None:
        """Return the turn that the lines are in, as far as they were read."""
        return self._turn

    def read(self, line: Line, *, origin: bool = True) -> list[Draft]:
        """Return the entries of a line; raise Odd for one that is none."""
        try:
            record = msgspec.json.decode(line.content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Odd(f"it is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise Odd("it is not a JSON object")
        held = record.get("payload")
        payload = held if isinstance(held, dict) else {}
        told = self._told(record, payload, line if origin else None)
        drafts = list(self._start(told, record, payload))
        match record.get("type"):
            case "response_item":
                read = list(self._item(told, payload))
            case "compacted":
                read = [self._compaction(told, payload)]
            case _:
                self._event(payload)
                read = []
        return [*drafts, *(read or [self._raw(told, record, payload, line)])]

    def finish(self) -> list[Draft]:
        """Return what is left to say when no line comes any more: nothing."""
        return []

    def session_ends(self) -> list[Draft]:
        """Return the end of the session, for one that says none itself."""
        return [] if self._last is None else [self._maker.ended(self._last)]

    def _told(self, record: dict[str, Any], payload: dict[str, Any], line: Line | None) -> Told:
        if record.get("type") == "session_meta" and not self._begun:
            self._session = text_of(payload.get("id")) or self._session
        about = payload.get("internal_chat_message_metadata_passthrough")
        about = about if isinstance(about, dict) else payload
        if says_something(about.get("turn_id")):
            self._turn = about["turn_id"]
        told = Told(
            session=self._session,
            turn=self._turn,
            worker=self._worker,
            at=text_of(record.get("timestamp")),
            origin=None if line is None else {"source": line.source, "line": line.number},
        )
        self._last = told
        return told

    def _start(
        self, told: Told, record: dict[str, Any], payload: dict[str, Any]
    ) -> Iterator[Draft]:
        """Begin the session with its first line, which tells where it worked."""
        if self._begun:
            return
        self._begun = True
        if record.get("type") != "session_meta":
            yield self._maker.started(told)
            return
        parent = text_of(payload.get("forked_from_id")) or text_of(payload.get("parent_thread_id"))
        more = {"cwd": payload.get("cwd"), "version": payload.get("cli_version")}
        yield self._maker.started(told, parent=None if parent == told.session else parent, **more)

    def _item(self, told: Told, item: dict[str, Any]) -> Iterator[Draft]:
        kind = item.get("type")
        if kind == "message":
            yield from self._message(told, item)
        elif kind in _BEGUN and (name := text_of(item.get("call_id"))):
            call = _call(item)
            self._calls.begin(name, call)
            yield self._maker.begun(told, name, call, model=self._model)
        elif kind in _ENDED and (name := text_of(item.get("call_id"))):
            yield from self._result(told, name, item.get("output"))

    def _message(self, told: Told, item: dict[str, Any]) -> Iterator[Draft]:
        role = item.get("role")
        if role == "assistant":
            text = texts_of(item.get("content"), ("output_text",))
            if says_something(text):
                more = {"message": item.get("id"), "model": self._model, "usage": self.usage}
                yield self._maker.said(told, text, **more)
        elif role == "user":
            text = texts_of(item.get("content"), ("input_text",))
            if says_something(text) and _is_typed(item, text):
                whole = item.get("content")
                alone = isinstance(whole, list) and len(whole) == 1
                yield self._maker.prompt(told, text, content=None if alone else whole)

    def _result(self, told: Told, name: str, output: Any) -> Iterator[Draft]:
        call = self._calls.end(name)
        ran = call.note if isinstance(call.note, dict) else {}
        text = texts_of(output, ("output_text", "input_text", "text"))
        if isinstance(output, dict):
            text = texts_of(output.get("content")) or text
        code = exit_code(text)
        if isinstance(ran.get("exit_code"), int):
            code = ran["exit_code"]
        shown = text_of(ran.get("aggregated_output"))
        ok = None if code is None else code == 0
        ended = Ended(
            call=name,
            ok=ok,
            response=output,
            output=text if shown is None else shown,
            exit_code=code,
        )
        yield from self._maker.finished(told, call, ended)

    def _compaction(self, told: Told, payload: dict[str, Any]) -> Draft:
        history = payload.get("replacement_history")
        summary = text_of(payload.get("message"))
        more = {"replacement_history": history} if history else {}
        return self._maker.compacted(
            told, None, summary if says_something(summary) else None, **more
        )

    def _event(self, payload: dict[str, Any]) -> None:
        """Note what an event tells about what comes: usage, the model, how a command ended."""
        if isinstance(payload.get("usage"), dict):
            self.usage = payload["usage"]
        if isinstance(payload.get("model"), str):
            self._model = payload["model"]
        item = payload.get("item")
        if isinstance(item, dict) and item.get("type") == "CommandExecution":
            self._calls.note(text_of(item.get("id")) or "", item)

    def _raw(
        self, told: Told, record: dict[str, Any], payload: dict[str, Any], line: Line
    ) -> Draft:
        item = payload.get("item")
        parts = [record.get("type"), payload.get("type")]
        parts.append(item.get("type") if isinstance(item, dict) else None)
        event = "/".join(part for part in parts if isinstance(part, str) and part)
        text = line.content.decode()
        return self._maker.raw(told, event or "unknown", text, place_of(line, text))


def _call(item: dict[str, Any]) -> Call:
    """Read the beginning of a call: its arguments are a text, of JSON or of the tool's own."""
    tool = text_of(item.get("name")) or ("local_shell" if "action" in item else "unknown")
    params = item.get("arguments", item.get("input", item.get("action")))
    if isinstance(params, str) and item.get("type") == "function_call":
        # or it stays the text that it is
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            params = msgspec.json.decode(params)
    if tool not in SHELLS or not isinstance(params, dict):
        return Call(tool=tool, params=params)
    command = params.get("cmd", params.get("command"))
    if isinstance(command, list):
        command = " ".join(str(word) for word in command)
    cwd = text_of(params.get("workdir"))
    return Call(tool=tool, params=params, command=text_of(command), cwd=cwd)


def _is_typed(item: dict[str, Any], text: str) -> bool:
    """Tell whether a person said this: the client tells, or the words do not look like its own."""
    about = item.get("internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds") if isinstance(about, dict) else None
    if isinstance(kinds, list) and kinds:
        return any(isinstance(kind, str) and kind.startswith("user.") for kind in kinds)
    return not text.startswith(_NOT_TYPED)
