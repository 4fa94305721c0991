"""The proxy itself, as the command runs it, with a State Map of many entities."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from bench.relays.processes import pss_mb, running
from holdfast.storage.port import Selection
from holdfast.wiring.looking import open_reader

FILES: Final = 100
DEFINITIONS: Final = 100
_TIMEOUT_S: Final = 60.0

_SHAPES: Final = {
    "py": "def {0}(value):\n    if value is None:\n        return 0\n    return value + {1}\n\n\n",
    "ts": "export function {0}(value: number): number {{\n  return value + {1};\n}}\n\n",
    "go": "func {0}(value int) int {{\n\tif value < 0 {{\n\t\treturn 0\n\t}}\n\treturn {1}\n}}\n\n",
    "rs": "pub fn {0}(value: i64) -> i64 {{\n    value + {1}\n}}\n\n",
}
"""By ending of the file: how a definition looks there."""
NAMED: Final = "src/part0/module0.py::handle_0_7"

OTHERS: Final = {
    "a.js": "function plain(a) {\n  return a;\n}\n",
    "a.tsx": "export function Plain() {\n  return <p>one</p>;\n}\n",
    "A.java": "class A {\n  int plain(int a) {\n    return a;\n  }\n}\n",
    "a.c": "int plain(int a) {\n  return a;\n}\n",
    "a.cpp": "int plain(int a) {\n  return a;\n}\n",
    "a.cs": "class A {\n  int Plain(int a) {\n    return a;\n  }\n}\n",
    "a.rb": "def plain(a)\n  a\nend\n",
    "a.php": "<?php\nfunction plain($a) {\n  return $a;\n}\n",
    "a.sh": "plain() {\n  echo one\n}\n",
    "a.lua": "function plain(a)\n  return a\nend\n",
    "a.kt": "fun plain(a: Int): Int {\n  return a\n}\n",
    "a.swift": "func plain(a: Int) -> Int {\n  return a\n}\n",
    "a.scala": "object A {\n  def plain(a: Int): Int = a\n}\n",
}


class Ours:
    """A proxy that listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        ready = msgspec.json.decode(process.stdout.readline())
        self.pid = process.pid
        self.port = urlsplit(ready["listening"]).port or 0
        self._token, self._ledger = ready["token"], Path(ready["ledger"])

    def look(self, path: str) -> Any:
        """Return a page of the diagnostics; `/recent` waits until all is recorded."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_S)) as connection:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
            return msgspec.json.decode(connection.getresponse().read())

    def settle(self) -> None:
        """Wait until all that crossed is recorded."""
        while "unsettled" in self.look("/recent?n=1"):
            pass

    def say(self, text: str) -> None:
        """Say something as the user."""
        body = {"model": "now", "stream": True, "messages": [{"role": "user", "content": text}]}
        self.send(msgspec.json.encode(body))

    def send(self, body: bytes) -> None:
        """Send a request, and read its answer."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_S)) as connection:
            connection.request("POST", "/v1/chat/completions", body)
            connection.getresponse().read()

    def recorded(self) -> int:
        """Return how many exchanges the ledger holds."""
        reader = open_reader(self._ledger)
        try:
            return sum(1 for _ in reader.read(Selection(type="episode_recorded")))
        finally:
            reader.close()

    def memory_mb(self) -> float:
        """Return what it takes of memory, its parser's process included."""
        return pss_mb(self.pid)


@contextmanager
def proxy(folder: Path, upstream: int) -> Iterator[Ours]:
    """Start the command with a ledger of its own."""
    command = [
        str(Path(sys.executable).with_name("holdfast")), "proxy", "--port", "0",
        "--upstream", f"http://127.0.0.1:{upstream}", "--ledger", str(folder / "proxy.db"),
        "--audit", "off",
    ]  # fmt: skip
    with running(command, output=subprocess.PIPE, log=folder / "proxy.log") as process:
        yield Ours(process)


def fill(ours: Ours, files: int = FILES) -> int:
    """Paste files until there are many entities; return how many there are."""
    kinds = list(_SHAPES)
    for number in range(files):
        kind = kinds[number % len(kinds)]
        head = "package part\n\n" if kind == "go" else ""
        code = head + "".join(
            _SHAPES[kind].format(f"handle_{number}_{place}", place) for place in range(DEFINITIONS)
        )
        ours.say(f"`src/part{number % 7}/module{number}.{kind}`\n\n```{kind}\n{code}```\n")
    ours.settle()
    states = [one["state"] for one in ours.look("/state")["entities"]]
    return states.count("AUTHORITATIVE")


def paste_others(ours: Ours) -> int:
    """Paste a file of every other language; return how many there are."""
    for path, code in OTHERS.items():
        ours.say(f"`other/{path}`\n\n```\n{code}```\n")
    ours.settle()
    return len(OTHERS)
