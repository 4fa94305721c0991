"""A project whose agent has hooks installed, with a scripted model to ask."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from holdfast.testing.model_server import ModelServer, Received, Reply, Said
from tests.clients.agents import Script, networks


class Hooked:
    """A git repository with a ledger, and a home of its own."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.server = server
        self.home = folder / "home"
        self.project = folder / "project"
        if os.environ.get("HOLDFAST_ALONE"):
            assert networks() == ["lo"]
        for made in (self.home, self.project):
            made.mkdir()
        self.run("git", "init", "-q")
        self.holdfast("init")

    def run(
        self, *words: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = 180
    ) -> str:
        """Run a program in the project, to its end; it knows nothing but what it is given here."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.project,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
        told = done.stdout.decode(errors="replace")
        assert done.returncode == 0, told + done.stderr.decode(errors="replace")
        return told

    def holdfast(self, *words: str) -> str:
        """Run holdfast in the project."""
        return self.run(sys.executable, "-m", "holdfast", *words)

    def status(self, agent: str) -> Any:
        """Return what is known of an agent."""
        [found] = json.loads(self.holdfast("agents", "status", agent, "--json"))["agents"]
        return found

    def entries(self, type_name: str | None = None) -> list[Any]:
        """Return what the ledger holds."""
        lines = self.holdfast("log", "--json", "-n", "1000").splitlines()
        found = [json.loads(line) for line in lines]
        return [one for one in found if type_name is None or one["type"] == type_name]

    def data(self, type_name: str) -> list[Any]:
        """Return what the entries of a type say."""
        return [entry["data"] for entry in self.entries(type_name)]

    def calls(self) -> list[tuple[str, str, Any, bool | None]]:
        """Return the calls that are over: id, tool, input, and whether it went well, if told."""
        return [
            (one["call"], one["tool"], one["params"], one.get("ok"))
            for one in self.data("tool_called")
        ]

    def commands(self) -> list[tuple[str, int | None, str]]:
        """Return the commands that ran, how each ended and what it printed."""
        return [
            (one["command"], one["exit_code"], one["output"]) for one in self.data("command_ran")
        ]

    def states(self) -> list[tuple[str, str | None]]:
        """Return the states of files, in order, as `restore --file` gives them back.

        The notes are holdfast's own.
        """
        found = []
        for entry in self.entries("file_change"):
            path = entry["data"]["path"]
            if path != "NOTES.md":
                words = ("restore", "--file", path, "--at", str(entry["seq"]), "--out", "-")
                gone = entry["data"]["action"] == "delete"
                found.append((path, None if gone else self.holdfast(*words)))
        return found

    def open_work(self, seq: int | None = None) -> dict[str, tuple[str, str]]:
        """Return what was open right after an entry, else what is open now: kind and title."""
        at = self.entries()[-1]["seq"] if seq is None else seq
        items = json.loads(self.holdfast("at", str(at), "open_work", "--json"))["items"]
        return {work: (one["kind"], one["title"]) for work, one in items.items()}

    def lost(self, *words: str) -> dict[tuple[str, str], str]:
        """Return what became of each item of a session."""
        lines = self.holdfast("lost", *words, "--json").splitlines()
        items = [json.loads(line) for line in lines]
        return {(item["kind"], item["text"]): item["fate"] for item in items}

    def check(self) -> None:
        """Check that the ledger is whole, that nothing stands there twice and nothing went wrong.

        An agent names a call, and what it says in a turn, once.
        """
        assert self.holdfast("verify").startswith("ok")
        entries = self.entries()
        happened = [
            (entry["type"], entry["session_id"], data.get("call"), data.get("turn"), words)
            for entry in entries
            for data in (entry["data"],)
            for words in (data.get("text"),)
            if entry["type"] in _ONCE
        ]
        assert sorted({*happened}, key=str) == sorted(happened, key=str)
        assert [one for one in entries if one["type"] == "line_quarantined"] == []
        problems = self.project / ".holdfast/intake/problems"
        assert not problems.exists(), problems.read_text()

    def check_given(self, *sources: str, asked: Sequence[Any]) -> None:
        """Check that just so often something was given, and that each stands so in a request."""
        given = self.data("context_given")
        assert tuple(one["source"] for one in given) == sources
        said = [text for body in asked for text in _strings(body)]
        assert [one["text"] for one in given if not any(one["text"] in text for text in said)] == []

    def tree(self) -> dict[str, bytes]:
        """Return the files of the project that are neither git's nor the ledger's."""
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and not {".git", ".holdfast"} & set(path.parts)
        }

    def types(self) -> set[str]:
        """Return the types of what the ledger holds."""
        return {entry["type"] for entry in self.entries()}


_ONCE = frozenset(
    {"tool_begun", "tool_called", "command_ran", "prompt_given", "agent_said", "context_compacted"}
)


def _strings(value: Any) -> Iterator[str]:
    """Give every text within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


@contextmanager
def hooked(folder: Path, script: Script) -> Iterator[Hooked]:
    """Let a client work with a model that answers as it is told to, however often it is asked."""
    numbers = count(1)

    def answer(received: Received) -> Said | Reply:
        said = script(received.json())
        if isinstance(said, Reply):
            return said
        return msgspec.structs.replace(said, id=str(next(numbers)))

    with ModelServer() as server:
        server.otherwise = answer
        yield Hooked(folder, server)
