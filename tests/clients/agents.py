"""A project that a real coding client works in, with a scripted model behind the proxy."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from holdfast.testing.model_server import ModelServer, Received, Reply, Said
from tests.proxy.running import Asking, proxy_process

CALC = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
SWAPPED = CALC.replace("a + b", "b + a")

Script = Callable[[Any], Said | Reply]
"""Says what the model answers to a request's body."""

_PERSON = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (("NAME", "Tester"), ("EMAIL", "tester@example.org"))
}


class Workplace:
    """A git repository with one file, a home of its own, and a proxy."""

    def __init__(self, folder: Path, server: ModelServer, proxy: Asking) -> None:
        self.server = server
        self.proxy = proxy
        self.url = proxy.listening.listening
        self.home = folder / "home"
        self.project = folder / "project"
        if os.environ.get("HOLDFAST_ALONE"):
            assert networks() == ["lo"]
        for made in (self.home, self.project):
            made.mkdir()
        self.write("calc.py", CALC)
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            self.git(*words)

    def run(self, *words: str | Path, env: Mapping[str, str], timeout_s: float = 180) -> str:
        """Run a client in the project, to its end; it knows nothing but what it is given here."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.project,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), **_PERSON, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
        told = done.stdout.decode(errors="replace")
        assert done.returncode == 0, told + done.stderr.decode(errors="replace")
        return told

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return self.run("git", *words, env={})

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        (self.project / path).write_text(text)

    def read(self, path: str) -> str:
        """Return a file of the project."""
        return (self.project / path).read_text()

    def within(self, name: str) -> str:
        """Return a name without the project's folder: a client that says where it works has it."""
        return name.removeprefix(f"{self.project}/")

    def state(self) -> dict[str, str]:
        """Return the state of every entity that is listed."""
        return {self.within(name): state for name, state in self.proxy.state().items()}

    def settled(self) -> dict[str, str | None]:
        """Return the SHA-256 of each file, as the proxy came to know it."""
        data: list[Any] = [entry.value() for entry in self.proxy.entries("file_settled")]
        return {self.within(one["path"]): one["digest"] for one in data}

    def hydrated(self) -> list[list[str]]:
        """Return what was put before the model in each exchange."""
        return [[self.within(name) for name in one["hydrated"]] for one in self.episodes()]

    def is_on_disk(self, *paths: str) -> bool:
        """Tell whether the disk has these files, and no others, just as the proxy knows them, and
        each definition that is true in its place."""
        on_disk = {path: sha256(self.read(path).encode()).hexdigest() for path in paths}
        entities = [name for name, state in self.proxy.state().items() if state == "AUTHORITATIVE"]
        texts = {name: self.proxy.true_text(name) for name in entities}
        return on_disk == self.settled() and all(
            text is not None and text in self.read(self.within(name).partition("::")[0])
            for name, text in texts.items()
        )

    def defined(self) -> list[str]:
        """Return every definition of the files on the disk, as `path::symbol`."""
        return [
            f"{file.relative_to(self.project)}::{name}"
            for file in sorted(self.project.rglob("*.py"))
            for name in re.findall(r"^def (\w+)", file.read_text(), re.MULTILINE)
        ]

    def changes(self) -> list[str]:
        """Return what is recorded of histories that shrank or changed."""
        return [str(entry.value()["change"]) for entry in self.proxy.entries("desk_changed")]

    def episodes(self) -> list[Any]:
        """Return what is recorded of the exchanges."""
        return [entry.value() for entry in self.proxy.entries("episode_recorded")]


def networks() -> list[str]:
    """Return the names of the networks that can be reached from here."""
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    return [line.partition(":")[0].strip() for line in lines]


@contextmanager
def workplace(folder: Path, script: Script) -> Iterator[Workplace]:
    """Let a client work with a model that answers as it is told to, however often it is asked."""
    numbers = count(1)

    def answer(received: Received) -> Said | Reply:
        said = script(received.json())
        if isinstance(said, Reply):
            return said
        return msgspec.structs.replace(said, id=str(next(numbers)))

    ledger = str(folder / "ledger" / "ledger.db")
    with ModelServer() as server:
        server.otherwise = answer
        given = ("--upstream", server.url, "--port", "0", "--ledger", ledger, "--audit", "off")
        with proxy_process(*given) as (proxy, _):
            yield Workplace(folder, server, proxy)
