"""A desk and a recorder on one ledger in memory, and requests in every dialect."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable
from typing import Any, TypeAlias

from holdfast.code import read_symbols
from holdfast.code.values import Reading
from holdfast.proxy.desk import Desk
from holdfast.proxy.judging import Judging
from holdfast.proxy.lulls import Lulls
from holdfast.proxy.names import Names
from holdfast.proxy.recording import Recorder
from holdfast.proxy.settling import Settler
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Answered, Asked, Job, Prepared
from holdfast.testing import open_memory_ledger
from holdfast.wire.events import Dialect
from tests.proxy.desks import FakeQueue, digest
from tests.proxy.exchanges import block, numbered

OLD = "def add(a, b):\n    return a + b\n"
NEW = "def add(a, b):\n    return b + a\n"
PATH = "calc.py"

Said: TypeAlias = tuple[str, str]
"""Who says something: `user`, `model`, `read`, `write`, `result` or `failed`; and what. Calls are
named by what they say, results say which call they are of, behind a bar."""


class Noting:
    """A parser that notes in which threads it was asked."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def read_symbols(self, text: str, language: str) -> Reading:
        self.threads.append(threading.get_ident())
        return read_symbols(text, language)


class Stage:
    """Requests are prepared at once, and settled when it is told so. One file is known."""

    def __init__(self, lulls: Lulls | None = None) -> None:
        self.ledger = open_memory_ledger()
        self.live = LiveMap(self.ledger.artifact)
        self.names = Names()
        self.live.watch(self.names)
        self.queue = FakeQueue()
        self.desk = Desk(self.live, self.names, self.queue)
        self.parser = Noting()
        self.owed: dict[str, bool] = {}
        self.settler = Settler(
            judge=Judging(),
            parser=self.parser,
            find=self.names.find,
            place=self.desk.place,
            lulls=lulls,
        )
        self.recorder = Recorder(
            self.ledger, self.live, self.settler, notice=self.owed.__setitem__, lulls=lulls
        )
        self.ask(spelled("seed", "chat", [("user", "take this:\n" + block(PATH, OLD))]))
        self.settle()
        self.parser.threads.clear()

    def ask(self, asked: Asked) -> Prepared:
        """Let a request come."""

        async def ask() -> Prepared:
            await self.desk.ready(asked)
            return self.desk.prepare(asked)

        return asyncio.run(ask())

    def is_plain(self, asked: Asked) -> bool:
        """Let a request come; tell whether nobody waits for it."""
        self.ask(asked)
        job = self.queue.jobs[-1]
        assert isinstance(job, Asked)
        assert job.episode == asked.episode
        return job.plain

    def answer(self, asked: Asked, *content: dict[str, Any], plain: bool = False) -> None:
        """Let an answer come, in Anthropic's dialect."""
        self.queue.submit(answered(asked, *content, plain=plain))

    def waiting(self) -> list[Job]:
        return self.queue.jobs[self.queue.settled :]

    def settle(self) -> None:
        """Settle what waits."""
        jobs = self.waiting()
        self.recorder(jobs)
        self.queue.settle()

    def size(self) -> int:
        return self.ledger.head().size

    def state(self) -> bytes:
        return self.ledger.fold().state("state_map").dump()


def answered(asked: Asked, *content: dict[str, Any], plain: bool = False) -> Answered:
    """Return an answer in Anthropic's dialect."""
    body = json.dumps({"type": "message", "content": content, "stop_reason": "end_turn"})
    prepared = Prepared(asked, asked.body, "")
    return Answered(
        prepared, 200, body.encode(), digest(body), "", False, "whole", "u", plain=plain
    )


def spelled(
    episode: str, dialect: Dialect, said: Iterable[Said], client: str | None = None
) -> Asked:
    """Spell a request as a client of some dialect does."""
    match dialect:
        case "completions" | "ollama-generate":
            body: dict[str, Any] = {"prompt": "\n\n".join(text for _, text in said)}
        case "responses":
            body = {"input": [_item(*one) for one in said]}
        case "messages":
            body = {"messages": [_anthropics(*one) for one in said]}
        case "chat" | "ollama-chat":
            body = {"messages": [_chats(*one) for one in said]}
    return Asked(episode, dialect, json.dumps({"model": "m", **body}).encode(), client)


def called(kind: str, call: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments of a call."""
    if kind == "read":
        return "Read", {"file_path": PATH}
    return "Write", {"file_path": PATH, "content": f"{NEW}# {call}\n"}


def shown(code: str = NEW) -> str:
    """Return a file as a tool shows it."""
    return numbered(code)


def _chats(who: str, text: str) -> dict[str, Any]:
    if who in ("read", "write"):
        tool, arguments = called(who, text)
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return {"role": "assistant", "tool_calls": [{"id": text, "function": function}]}
    if who in ("result", "failed"):
        call, _, result = text.partition("|")
        result = f"Error: {result}" if who == "failed" else result
        return {"role": "tool", "tool_call_id": call, "content": result}
    return {"role": {"model": "assistant"}.get(who, who), "content": text}


def _anthropics(who: str, text: str) -> dict[str, Any]:
    if who in ("read", "write"):
        tool, arguments = called(who, text)
        use = {"type": "tool_use", "id": text, "name": tool, "input": arguments}
        return {"role": "assistant", "content": [use]}
    if who in ("result", "failed"):
        call, _, result = text.partition("|")
        given = {"type": "tool_result", "tool_use_id": call, "content": result}
        return {"role": "user", "content": [given | {"is_error": who == "failed"}]}
    return {"role": {"model": "assistant"}.get(who, who), "content": text}


def _item(who: str, text: str) -> dict[str, Any]:
    if who in ("read", "write"):
        tool, arguments = called(who, text)
        given = {"name": tool, "arguments": json.dumps(arguments)}
        return {"type": "function_call", "call_id": text, **given}
    if who in ("result", "failed"):
        call, _, result = text.partition("|")
        status = "failed" if who == "failed" else "completed"
        given = {"call_id": call, "output": result, "status": status}
        return {"type": "function_call_output", **given}
    kind = "output_text" if who == "model" else "input_text"
    role = {"model": "assistant"}.get(who, who)
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
