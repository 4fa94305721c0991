"""Conversations with a model, as they cross: requests and answers in, the State Map out.

Everything is real but the network: the ledger is in memory, the parser is a worker.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from holdfast.proxy.judging import Judging
from holdfast.proxy.names import Names
from holdfast.proxy.placing import Places
from holdfast.proxy.recording import Recorder
from holdfast.proxy.resolving import Parser
from holdfast.proxy.settling import Settler
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Answered, Asked, Audited, Ended, Job, Prepared, Unsure
from holdfast.testing import open_memory_ledger
from holdfast.wire.events import Dialect

ROOT = "# Environment\n - Primary working directory: /home/me/app\n"


class Room:
    """A proxy without its network; `say` and `answer` settle at once unless told to wait."""

    def __init__(self, parser: Parser, project: str | None = "/home/me/app") -> None:
        self.ledger = open_memory_ledger()
        self.live = LiveMap(self.ledger.artifact)
        self.names = Names(project=project)
        self.live.watch(self.names)
        self.places = Places()
        self.owed: dict[str, bool] = {}
        self.unsure: list[Unsure] = []
        self.settler = Settler(
            judge=Judging(),
            parser=parser,
            find=self.names.find,
            place=self.places.place,
            project=project,
        )
        self.recorder = Recorder(
            self.ledger,
            self.live,
            self.settler,
            notice=self.owed.__setitem__,
            unsure=self.unsure.append,
        )
        self.episodes = 0
        self.waiting: list[Job] = []
        self.together = False

    def ask(self, dialect: Dialect, client: str = "c", **body: Any) -> Asked:
        """Let a request come."""
        self.episodes += 1
        spelled = json.dumps({"model": "m", **body}).encode()
        asked = Asked(f"e{self.episodes}", dialect, spelled, client)
        self.places.arrive(asked)
        self.settle(asked)
        return asked

    def answer(
        self,
        asked: Asked,
        body: object,
        *,
        hydrated: tuple[str, ...] = (),
        ended: Ended = "whole",
        **more: Any,
    ) -> Answered:
        """Let an answer come back."""
        added = "".join(self._shown(name) for name in hydrated)
        prepared = Prepared(asked, asked.body, "", hydrated, added=added)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields: dict[str, Any] = {"status": 200, "encoding": "", "streamed": False, **more}
        answered = Answered(
            prepared,
            content=content,
            content_hash=sha256(content).hexdigest(),
            ended=ended,
            upstream="u",
            **fields,
        )
        self.settle(answered)
        return answered

    def audit(self, episode: str, late: bool = False, **found: Any) -> None:
        """Let an audit come to its end."""
        self.settle(Audited(episode, "c", "m", late, tuple(found.items())))

    def settle(self, job: Job) -> None:
        self.waiting.append(job)
        if not self.together:
            self.flush()

    def flush(self) -> None:
        """Settle what waits, all of it with one write."""
        jobs, self.waiting = self.waiting, []
        self.recorder(jobs)

    def state(self) -> dict[str, str]:
        """Return the text of every authoritative entity."""
        found = {}
        for name in self.listed("AUTHORITATIVE"):
            entity = self.live.entity(name)
            assert entity is not None
            found[name] = self.live.text(entity.artifact or "") or ""
        return found

    def tombstones(self) -> list[str]:
        return self.listed("TOMBSTONED")

    def listed(self, state: str) -> list[str]:
        """Return the entities that are in a state, by name."""
        return [one.entity for one in self.live.standing()[2] if one.state == state]

    def seen(self) -> list[dict[str, Any]]:
        """Return what was recorded of every code that crossed."""
        return [dict(e.value()) for e in self.ledger.read() if e.type == "artifact_seen"]

    def types(self) -> list[str]:
        return [entry.type for entry in self.ledger.read()]

    def _shown(self, name: str) -> str:
        entity = self.live.entity(name)
        assert entity is not None
        return f"[CURRENT STATE: AUTHORITATIVE]\nEntity: {name}\nArtifact: {entity.artifact}\n"


class Chat:
    """One conversation in Anthropic's dialect, as Claude Code has it."""

    def __init__(self, room: Room, client: str = "c", system: str = ROOT) -> None:
        self.room = room
        self.client = client
        self.system = system
        self.messages: list[dict[str, Any]] = []
        self._calls = 0

    def user(self, text: str) -> Asked:
        """Let the user say something."""
        self.messages.append({"role": "user", "content": text})
        return self._send()

    def says(self, asked: Asked, *content: dict[str, Any], **more: Any) -> Answered:
        """Let the model answer."""
        self.messages.append({"role": "assistant", "content": list(content)})
        body = {"type": "message", "content": list(content), "stop_reason": "end_turn"}
        return self.room.answer(asked, body, **more)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return a call of a tool."""
        self._calls += 1
        name = f"{self.client}-call-{self._calls}"
        return {"type": "tool_use", "id": name, "name": tool, "input": arguments}

    def result(self, call: dict[str, Any], text: str, *, failed: bool = False) -> Asked:
        """Let a tool give something back."""
        content = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        if failed:
            content["is_error"] = True
        self.messages.append({"role": "user", "content": [content]})
        return self._send()

    def exchange(self, text: str, *content: dict[str, Any], **more: Any) -> Answered:
        """Let the user say something and the model answer."""
        return self.says(self.user(text), *content, **more)

    def _send(self) -> Asked:
        return self.room.ask(
            "messages", self.client, system=self.system, messages=list(self.messages)
        )


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def block(path: str, code: str) -> str:
    return f"{path}\n```python\n{code}```\n"


def numbered(code: str, form: str = "{:6}→{}") -> str:
    """Show a file as Claude Code's Read does."""
    return "\n".join(form.format(number, line) for number, line in enumerate(code.split("\n"), 1))
