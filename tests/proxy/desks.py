"""A State Map in memory, requests in every dialect, and a queue that settles when it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from holdfast.proxy.names import Names
from holdfast.proxy.values import Asked, Entity, Job
from holdfast.wire.events import Dialect

# Behind a completion's prompt there is no place for anything: the model goes on with it.
DIALECTS: tuple[Dialect, ...] = (
    "chat",
    "messages",
    "responses",
    "ollama-chat",
    "ollama-generate",
)


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class FakeMap:
    """Entities by name; a text of None is one that is not kept."""

    def __init__(self, texts: Mapping[str, str | None] = {}) -> None:
        self.names = Names()
        self.entities: dict[str, Entity] = {}
        self.texts: dict[str, str] = {}
        for name, text in texts.items():
            self.put(name, text)

    def put(self, name: str, text: str | None, **changed: Any) -> None:
        path, _, symbol = name.partition("::")
        artifact = digest(text or "")
        fields = {"state": "AUTHORITATIVE", "withheld": False, "stale": False, **changed}
        self.entities[name] = Entity(
            name, path, symbol, artifact, "e/1", updated=1, nodes=1, tokens=1, **fields
        )
        if text is not None:
            self.texts[artifact] = text
        self.names.add(name)

    def __len__(self) -> int:
        return len(self.entities)

    def entity(self, name: str) -> Entity | None:
        return self.entities.get(name)

    def text(self, digest: str) -> str | None:
        return self.texts.get(digest)


class FakeQueue:
    """Jobs wait until `settle`; who waits for one that is not settled runs out of time at once."""

    def __init__(self, *, room: int = 1000) -> None:
        self.jobs: list[Job] = []
        self.waited: list[int] = []
        self.settled = 0
        self.room = room
        self.on_wait: Callable[[], object] = dict

    def submit(self, job: Job) -> bool:
        if len(self.jobs) - self.settled >= self.room:
            return False
        self.jobs.append(job)
        return True

    def ticket(self, episode: str) -> int | None:
        places = [
            place
            for place, job in enumerate(self.jobs, 1)
            if place > self.settled and isinstance(job, Asked) and job.episode == episode
        ]
        return places[-1] if places else None

    def idle(self) -> bool:
        return self.settled == len(self.jobs)

    def calm(self) -> bool:
        waiting = self.jobs[self.settled :]
        return all(isinstance(job, Asked) and job.plain for job in waiting)

    async def give_way(self) -> None:
        """There is always room."""

    async def reached(self, ticket: int, timeout_s: float) -> bool:
        self.waited.append(ticket)
        self.on_wait()
        return self.settled >= ticket

    def settle(self) -> None:
        self.settled = len(self.jobs)


def body_of(dialect: Dialect, *turns: tuple[str, str]) -> bytes:
    """Spell a request; turns are (role, text)."""
    if dialect in ("completions", "ollama-generate"):
        prompt = "\n".join(text for _, text in turns)
        return json.dumps({"model": "m", "prompt": prompt, "seed": 1}, indent=1).encode()
    field = "input" if dialect == "responses" else "messages"
    messages = [{"role": role, "content": text} for role, text in turns]
    return json.dumps({"model": "m", field: messages, "temperature": 0.5}, indent=1).encode()


def asked(episode: str, *turns: tuple[str, str], dialect: Dialect = "chat") -> Asked:
    return Asked(episode, dialect, body_of(dialect, *turns))
