"""A real server in a process of its own, and somebody who asks it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

TIMEOUT_S = 30.0


class Answered(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return what the body spells."""
        return json.loads(self.body)


class Web:
    """A server that listens."""

    def __init__(self, listening: Mapping[str, str], pid: int) -> None:
        self.url = listening["url"]
        self.token = listening["token"]
        self.pid = pid
        self.port = urlsplit(listening["listening"]).port or 0

    @property
    def host(self) -> str:
        """What the `Host` of a good request is."""
        return f"127.0.0.1:{self.port}"

    def ask(
        self, target: str, method: str = "GET", *, cookie: bool = True, **headers: str
    ) -> Answered:
        """Ask for something, with the cookie unless told otherwise."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            given.setdefault("Cookie", f"holdfast-{self.port}={self.token}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            connection.request(method, target, headers=given)
            answer = connection.getresponse()
            return Answered(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def page(self, target: str) -> Any:
        """Return a page that must be there."""
        answer = self.ask(f"/api/{target}")
        assert answer.status == 200, answer.body
        return answer.json()

    def events(self, target: str) -> Generator[tuple[str, Any], None, None]:
        """Yield the events of a stream, until it ends or nobody wants more."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        try:
            cookie = f"holdfast-{self.port}={self.token}"
            connection.request("GET", target, headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            name = ""
            for read in iter(answer.readline, b""):
                line = read.decode().rstrip("\n")
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))
        finally:
            connection.close()


@contextmanager
def web(folder: Path, *, port: int = 0) -> Iterator[Web]:
    """Start the command on a project, and end it."""
    command = [sys.executable, "-m", "holdfast", "--ledger", str(folder), "web", "--json"]
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Web(json.loads(process.stdout.readline()), process.pid)
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)
        if process.stdout is not None:
            process.stdout.close()
