"""Claude Code: `<session>.jsonl`, and `<session>/subagents/agent-<id>.jsonl` for each sub-agent.

A line for each block of a message. Only these are read: what the user said, what the agent said,
calls of tools and their results, compactions. Everything else is kept whole, also what a client of
next week adds. A compaction is a boundary and then the summary, which the model goes on from.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
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

SHELLS: Final = frozenset({"Bash", "PowerShell"})

_SYNTHETIC: Final = "<synthetic>"
_NOT_TYPED: Final = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-",
    "[Request interrupted by user",
    "Caveat: The messages below",
    "<task-notification>",
)
"""How a user's line begins that the client wrote by itself."""


class Reader:
    """Reads the lines of one file, in order."""

    def __init__(
        self,
        session: str,
        worker: str | None = None,
        counted: Counted | None = None,
        *,
        parent: str | None = None,
        copies: Container[str] = (),
    ) -> None:
        self._parent = parent
        self._copies = copies
        self.copied = 0
        """Lines that stand in the parent's file too, from which a fork copied them."""
        self._session = session
        self._worker = worker
        self._maker = Maker("claude-code", counted)
        self._calls = Calls()
        self._turn = None if counted is None else counted.turn
        self._boundary: tuple[Told, dict[str, Any]] | None = None
        self._begun: set[str] = set()
        self._last_words = ""
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
        if record.get("uuid") in self._copies:
            self.copied += 1
            return []
        told = self._told(record, line if origin else None)
        drafts = list(self._start(told, record))
        kind = record.get("type")
        match kind:
            case "user":
                drafts += self._user(told, record, line)
            case "assistant":
                drafts += self._assistant(told, record, line)
            case "system" if record.get("subtype") == "compact_boundary":
                drafts += self._flush()
                self._boundary = (told, record)
            case "attachment":
                drafts += self._attachment(told, record, line)
            case _:
                drafts.append(self._raw(told, record, line))
        return drafts

    def finish(self) -> list[Draft]:
        """Return what is left to say when no line comes any more."""
        drafts = list(self._flush())
        if self._last is not None and self._worker is not None:
            outcome = self._last_words.strip() or "it said nothing"
            drafts.append(self._maker.work_closed(self._last, self._worker, outcome))
        return drafts

    def session_ends(self) -> list[Draft]:
        """Return the ends of the sessions that were read, for those that say none themselves."""
        if self._last is None or self._worker is not None:
            return []
        return [
            self._maker.ended(msgspec.structs.replace(self._last, session=session))
            for session in sorted(self._begun)
        ]

    def _told(self, record: dict[str, Any], line: Line | None) -> Told:
        session = text_of(record.get("sessionId")) or self._session
        if isinstance(turn := record.get("promptId"), str):
            self._turn = turn
        told = Told(
            session=session,
            turn=self._turn,
            worker=text_of(record.get("agentId")) or self._worker,
            at=text_of(record.get("timestamp")),
            origin=None if line is None else {"source": line.source, "line": line.number},
        )
        self._last = told
        return told

    def _start(self, told: Told, record: dict[str, Any]) -> Iterator[Draft]:
        """Begin a session when something of it is read for the first time."""
        if told.session in self._begun or "uuid" not in record:
            return
        self._begun.add(told.session)
        if self._worker is not None:
            text = texts_of(_content(record))
            title = text if says_something(text) else self._worker
            yield self._maker.work_opened(told, self._worker, title)
            return
        more = {name: record.get(name) for name in ("cwd", "version", "gitBranch")}
        yield self._maker.started(told, parent=self._parent, **more)

    def _user(self, told: Told, record: dict[str, Any], line: Line) -> Iterator[Draft]:
        content = _content(record)
        if record.get("isCompactSummary") is True:
            yield self._compaction(told, texts_of(content))
            return
        yield from self._flush()
        results = _blocks(content, "tool_result")
        if results:
            yield from self._results(told, record, results)
            if len(results) == len(content):
                return
        text = texts_of(content)
        if results or not self._is_typed(record, text):
            yield self._raw(told, record, line)
        elif isinstance(content, str):
            yield self._maker.prompt(told, text)
        else:
            yield self._maker.prompt(told, text, content=content)

    def _is_typed(self, record: dict[str, Any], text: str) -> bool:
        """Tell whether a person said this, as far as the client tells."""
        return (
            says_something(text)
            and self._worker is None
            and not record.get("isMeta")
            and not record.get("isSidechain")
            and not text.startswith(_NOT_TYPED)
        )

    def _results(
        self, told: Told, record: dict[str, Any], results: list[dict[str, Any]]
    ) -> Iterator[Draft]:
        alone = record.get("toolUseResult") if len(results) == 1 else None
        for block in results:
            name = text_of(block.get("tool_use_id")) or ""
            call = self._calls.end(name)
            content, failed = block.get("content"), block.get("is_error") is True
            shown = content if alone is None or failed else alone
            ended = Ended(call=name, ok=not failed, response=shown)
            if call.command is not None:
                ended = _ran(ended, alone, texts_of(content))
            yield from self._maker.finished(told, call, ended)

    def _assistant(self, told: Told, record: dict[str, Any], line: Line) -> Iterator[Draft]:
        yield from self._flush()
        message = record.get("message")
        message = message if isinstance(message, dict) else {}
        if isinstance(message.get("usage"), dict):
            self.usage = message["usage"] | {"model": message.get("model")}
        more = {"model": message.get("model"), "message": message.get("id"), "usage": self.usage}
        content = message.get("content")
        # what the client writes in the model's place is nobody's words
        own = message.get("model") != _SYNTHETIC
        whole = content if isinstance(content, list) and own else []
        read = 0
        for block in whole:
            drafts = list(self._block(told, record, block, more)) if isinstance(block, dict) else []
            read += bool(drafts)
            yield from drafts
        if read < max(len(whole), 1):
            yield self._raw(told, record, line)

    def _block(
        self, told: Told, record: dict[str, Any], block: dict[str, Any], more: dict[str, Any]
    ) -> Iterator[Draft]:
        if block.get("type") == "text" and says_something(block.get("text")):
            self._last_words = block["text"]
            yield self._maker.said(told, block["text"], **more)
        elif block.get("type") == "tool_use" and says_something(block.get("name")):
            name = text_of(block.get("id"))
            if not name:
                return
            params = block.get("input")
            command = params.get("command") if isinstance(params, dict) else None
            call = Call(
                tool=block["name"],
                params=params,
                command=text_of(command) if block["name"] in SHELLS else None,
                cwd=text_of(record.get("cwd")),
            )
            self._calls.begin(name, call)
            yield self._maker.begun(told, name, call, **more)

    def _attachment(self, told: Told, record: dict[str, Any], line: Line) -> Iterator[Draft]:
        """Read a prompt that was typed while the agent was busy; keep any other attachment.

        Others stand also between the boundary of a compaction and its summary.
        """
        held = record.get("attachment")
        held = held if isinstance(held, dict) else {}
        typed = held.get("type") == "queued_command" and held.get("commandMode") == "prompt"
        text = texts_of(held.get("prompt"))
        if typed and self._is_typed(record, text):
            yield from self._flush()
            yield self._maker.prompt(told, text)
        else:
            yield self._raw(told, record, line)

    def _compaction(self, told: Told, summary: str) -> Draft:
        boundary, self._boundary = self._boundary, None
        metadata = {} if boundary is None else boundary[1].get("compactMetadata")
        trigger = metadata.get("trigger") if isinstance(metadata, dict) else None
        return self._maker.compacted(told, text_of(trigger), summary, boundary=metadata or None)

    def _flush(self) -> Iterator[Draft]:
        """Tell of a compaction of which no summary came."""
        if self._boundary is not None:
            (told, record), self._boundary = self._boundary, None
            metadata = record.get("compactMetadata")
            trigger = metadata.get("trigger") if isinstance(metadata, dict) else None
            # Nothing but its own id tells it from another one.
            told = msgspec.structs.replace(told, turn=text_of(record.get("uuid")))
            yield self._maker.compacted(told, text_of(trigger), None, boundary=metadata)

    def _raw(self, told: Told, record: dict[str, Any], line: Line) -> Draft:
        kind, more = text_of(record.get("type")) or "unknown", text_of(record.get("subtype"))
        held = record.get("attachment")
        if isinstance(held, dict):
            more = text_of(held.get("type"))
        text = line.content.decode()
        name = text_of(record.get("uuid")) or place_of(line, text)
        return self._maker.raw(told, kind if more is None else f"{kind}/{more}", text, name)


def _content(record: dict[str, Any]) -> Any:
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _blocks(content: Any, kind: str) -> list[dict[str, Any]]:
    blocks = content if isinstance(content, list) else ()
    return [one for one in blocks if isinstance(one, dict) and one.get("type") == kind]


def _ran(ended: Ended, result: Any, text: str) -> Ended:
    """Add how a command went, from what the client keeps of it or the model saw."""
    code, output = exit_code(text) if not ended.ok else 0, text
    if isinstance(result, dict):
        said = [result.get("stdout"), result.get("stderr")]
        output = "\n".join(part for part in said if isinstance(part, str) and part.strip())
        if result.get("interrupted") is True or result.get("backgroundTaskId"):
            code = None
    return msgspec.structs.replace(ended, exit_code=code, output=output)
