"""A proxy that runs, in a thread of this process or in one of its own, before a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

from holdfast.config import Settings
from holdfast.kernel.entry import Entry
from holdfast.proxy.lulls import IdleSelector
from holdfast.testing.model_server import ModelServer
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place
from holdfast.wiring.proxying import Listening, Options, open_proxy

TIMEOUT_S = 60.0


class Answer(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Read it."""
        return json.loads(self.body)


class Asking:
    """Asks a proxy that listens."""

    def __init__(self, listening: Listening) -> None:
        self.listening = listening
        self.port = urlsplit(listening.listening).port or 0
        self.place = Place(Path(listening.ledger))

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request and read all of the answer."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **(headers or {})} if data else headers or {}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)) as connection:
            method = method or ("GET" if data is None else "POST")
            connection.request(method, path, data, dict(given))
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())

    def look(self, path: str) -> Any:
        """Return a page of the diagnostics."""
        bearer = {"Authorization": f"Bearer {self.listening.token}"}
        answer = self.ask(path, headers=bearer)
        assert answer.status == 200, answer
        return answer.json()

    def state(self) -> dict[str, str]:
        """Return the state of every entity that is listed."""
        return {one["entity"]: one["state"] for one in self.look("/state")["entities"]}

    def true_text(self, entity: str) -> str | None:
        """Return the text that is authoritative for an entity."""
        for one in self.look("/state")["entities"]:
            if one["entity"] == entity and one["state"] == "AUTHORITATIVE":
                with closing(open_reader(self.place.database)) as reader:
                    data = reader.artifact(one["artifact"])
                return None if data is None else data.decode()
        return None

    def entries(self, *types: str) -> list[Entry]:
        """Return what is recorded."""
        self.look("/state")  # all that was said is settled then
        with open_ledger(self.place.database, create=False) as ledger:
            return [entry for entry in ledger.read() if not types or entry.type in types]

    def moves(self, entity: str) -> list[tuple[str | None, str, str | None, str]]:
        """Return how an entity moved: before, after, grant, reason."""
        path, _, symbol = entity.partition("::")
        found = []
        for entry in self.entries("artifact_moved"):
            data: Any = entry.value()
            if data["path"] == path and symbol in [one["symbol"] for one in data["symbols"]]:
                found.append((data["before"], data["after"], data["grant"], data["reason"]))
        return found

    def rebuilt(self) -> tuple[int, str]:
        """Return the last entry and the State Map's digest, worked out from the ledger alone."""
        with open_ledger(self.place.database, create=False) as ledger:
            return ledger.head().size - 1, ledger.fold().state("state_map").digest()


class Running(Asking):
    """A proxy in a thread of this process."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._problem: BaseException | None = None
        self.said: list[str] = []
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(TIMEOUT_S)
        if self._problem is not None:
            raise self._problem
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._over is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(TIMEOUT_S)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        idle = IdleSelector()
        try:
            with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(idle)) as runner:
                runner.run(self._serve(idle))
        except BaseException as problem:
            self._problem = problem
        finally:
            self._ready.set()

    async def _serve(self, idle: IdleSelector) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with open_proxy(self._options, self.said.append, idle=idle) as listening:
            super().__init__(listening)
            self._ready.set()
            await self._over.wait()


class Chat:
    """A client of chat completions with one conversation of its own."""

    def __init__(self, proxy: Asking, server: ModelServer) -> None:
        self.proxy = proxy
        self.server = server
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "You write code."}]

    def say(self, text: str, **more: Any) -> Any:
        """Say something; the answer is part of the conversation from then on."""
        self.messages.append({"role": "user", "content": text})
        return self.go_on(**more)

    def results(self, *results: tuple[str, str]) -> Any:
        """Send the results of tools, by the ids of their calls."""
        self.messages += [
            {"role": "tool", "tool_call_id": call, "content": content} for call, content in results
        ]
        return self.go_on()

    def go_on(self, **more: Any) -> Any:
        """Ask with the conversation as it is."""
        body = {"model": "scripted", "messages": self.messages, **more}
        answer = self.proxy.ask("/v1/chat/completions", body)
        assert answer.status == 200, answer
        message = answer.json()["choices"][0]["message"]
        self.messages.append(message)
        return message

    def seen(self, back: int = 1) -> str:
        """Return the last user message as the model server got it."""
        body = self.server.requests[-back].json()
        content = body["messages"][-1]["content"]
        return content if isinstance(content, str) else json.dumps(content)


def options(database: Path, *upstreams: str, **more: Any) -> Options:
    """Return the options of a proxy with a ledger of its own."""
    more.setdefault("settings", Settings())
    more.setdefault("audit", "off")
    return Options(place=Place(database), upstreams=upstreams, **more)


def fenced(path: str, text: str, language: str = "python") -> str:
    """Return a text as models write files."""
    return f"`{path}`\n```{language}\n{text}```\n"


@contextmanager
def proxy_process(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    code: str | None = None,
    preexec: Callable[[], None] | None = None,
) -> Iterator[tuple[Asking, subprocess.Popen[bytes]]]:
    """Run `holdfast proxy` in a process of its own, until it is ready; it is ended afterwards."""
    run = ["-c", code] if code is not None else ["-m", "holdfast"]
    process = subprocess.Popen(
        [sys.executable, "-P", *run, "proxy", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        preexec_fn=preexec,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read().decode())
        yield Asking(msgspec.json.decode(line, type=Listening)), process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes], *, number: int = signal.SIGTERM) -> int:
    """End a process that we started, and return its exit code."""
    if process.poll() is None:
        process.send_signal(number)
    try:
        return process.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
