"""opencode: a database with a row for each session, each message of it and each part of a message.

Rows are handed in, in order: a session, then each message with its parts. Parts change while the
agent works, so what is not over yet is left for the next time, and an id is made of what a row
says. What is neither said nor called is kept whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from holdfast.agents.transcripts.making import (
    Call,
    Ended,
    Maker,
    Odd,
    Told,
    says_something,
    text_of,
)
from holdfast.ledger.ledger import Draft

SHELLS: Final = frozenset({"bash", "shell"})


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the sessions."""

    id: str
    parent: str | None
    directory: str | None
    title: str | None
    version: str | None
    created_ms: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A message, or a part of one: its id and what it says."""

    id: str
    created_ms: int
    data: str


class Reader:
    """Reads the messages of one session, in order."""

    def __init__(self, source: str, session: Session) -> None:
        self._source = source
        self._session = session
        self._maker = Maker("opencode")
        self._last_ms = session.created_ms
        self._trigger: str | None = None

    def start(self) -> Draft:
        """Return the beginning of the session."""
        row = self._session
        told = self._told(row.id, row.created_ms, None)
        title = row.title if says_something(row.title) else None
        more = {"title": title, "parent": row.parent, "cwd": row.directory, "version": row.version}
        return self._maker.started(told, **more)

    def end(self) -> Draft:
        """Return the end of the session, for one that says none itself."""
        return self._maker.ended(self._told(self._session.id, self._last_ms, None))

    def read(self, message: Row, parts: Iterable[Row]) -> Iterator[Draft | Row]:
        """Yield the entries of a message; a row that cannot be read comes back as it is."""
        self._last_ms = message.created_ms
        try:
            about = _read(message)
        except Odd:
            about = {}
            yield message
        else:
            told = self._told(message.id, message.created_ms, message.id)
            name = f"{message.id}:{message.data}"
            yield self._maker.raw(told, f"message/{about.get('role')}", message.data, name)
        for part in parts:
            try:
                held = _read(part)
            except Odd:
                yield part
            else:
                yield from self._part(message, about, part, held)

    def _part(
        self, message: Row, about: dict[str, Any], part: Row, held: dict[str, Any]
    ) -> Iterator[Draft]:
        told = self._told(part.id, part.created_ms, message.id)
        kind, text = held.get("type"), held.get("text")
        own = says_something(text) and not held.get("synthetic") and not held.get("ignored")
        if kind == "text" and own and about.get("role") == "user":
            yield self._maker.prompt(told, str(text))
        elif kind == "text" and own and about.get("role") == "assistant":
            yield from self._said(told, about, held, str(text))
        elif kind == "tool" and text_of(held.get("callID")) and says_something(held.get("tool")):
            yield from self._tool(told, about, held)
        else:
            if kind == "compaction":
                self._trigger = "auto" if held.get("auto") is True else "manual"
            yield self._maker.raw(told, f"part/{kind}", part.data, f"{part.id}:{part.data}")

    def _said(
        self, told: Told, about: dict[str, Any], held: dict[str, Any], text: str
    ) -> Iterator[Draft]:
        if about.get("summary") is True:
            yield self._maker.compacted(told, self._trigger, text)
            return
        if not _over(held) and not _over(about):
            return  # still being said
        more = {"model": about.get("modelID"), "usage": about.get("tokens")}
        yield self._maker.said(told, text, **more)

    def _tool(self, told: Told, about: dict[str, Any], held: dict[str, Any]) -> Iterator[Draft]:
        name, state = held["callID"], held.get("state")
        state = state if isinstance(state, dict) else {}
        params, path = state.get("input"), about.get("path")
        command = params.get("command") if isinstance(params, dict) else None
        call = Call(
            tool=held["tool"],
            params=params,
            command=text_of(command) if held["tool"] in SHELLS else None,
            cwd=text_of(path.get("cwd")) if isinstance(path, dict) else None,
        )
        status = state.get("status")
        if status == "pending":
            return
        yield self._maker.begun(told, name, call)
        if status in ("completed", "error"):
            yield from self._maker.finished(told, call, _ended(name, state))

    def _told(self, row: str, at_ms: int, turn: str | None) -> Told:
        moment = datetime.fromtimestamp(max(at_ms, 0) / 1000, UTC)
        return Told(
            session=self._session.id,
            turn=turn,
            at=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            origin={"source": self._source, "row": row},
        )


def _read(row: Row) -> dict[str, Any]:
    try:
        held = msgspec.json.decode(row.data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Odd(str(error)) from error
    if not isinstance(held, dict):
        raise Odd("it is not a JSON object")
    return held


def _over(held: dict[str, Any]) -> bool:
    """Tell whether a part or a message says when it ended."""
    time = held.get("time")
    return isinstance(time, dict) and ("end" in time or "completed" in time)


def _ended(name: str, state: dict[str, Any]) -> Ended:
    more, time = state.get("metadata"), state.get("time")
    code = more.get("exit") if isinstance(more, dict) else None
    code = code if isinstance(code, int) else None
    ok = state.get("status") == "completed"
    spent = None
    if isinstance(time, dict):
        begun, over = time.get("start"), time.get("end")
        if isinstance(begun, int) and isinstance(over, int) and over >= begun:
            spent = over - begun
    response = {"output": state.get("output"), "metadata": more} if ok else state.get("error")
    return Ended(
        call=name,
        ok=ok and code in (None, 0),
        response=response,
        output=text_of(state.get("output") if ok else state.get("error")),
        exit_code=code,
        duration_ms=spent,
    )
