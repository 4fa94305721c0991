"""A server that is asked: in this process, or as one of its own over stdio and HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.shared.exceptions import MCPError

R = TypeVar("R")
TIMEOUT_S = 60.0
FORMER = Path(sys.prefix) / "mcp1"
"""Where `make test` puts the former client."""


def asked(
    server: Server[Any] | Any, ask: Callable[[Client], Awaitable[R]], mode: str = "auto"
) -> R:
    """Connect a client to a server, let it ask, and return what it says."""

    async def run() -> R | MCPError:
        with anyio.fail_after(TIMEOUT_S):
            async with Client(server, mode=mode) as client:
                try:
                    return await ask(client)
                except MCPError as error:
                    return error

    answer = anyio.run(run)
    if isinstance(answer, MCPError):
        raise answer
    return answer


async def call(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Call a tool; return whether it failed, and its text."""
    answer = await client.call_tool(tool, arguments)
    [content] = answer.content
    assert content.type == "text"
    return bool(answer.is_error), content.text


def environment(home: Path) -> dict[str, str]:
    """Return an environment without this machine's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}


def command(project: Path, *arguments: str) -> list[str]:
    """Return how a server of a project is started."""
    return [sys.executable, "-m", "holdfast", "-C", str(project), "mcp", *arguments]


def over_stdio(project: Path, *arguments: str) -> Any:
    """Return a transport to a server of its own; it ends with the client."""
    program, *rest = command(project, *arguments)
    return stdio_client(
        StdioServerParameters(command=program, args=rest, env=environment(project.parent))
    )


@asynccontextmanager
async def over_http(told: dict[str, str]) -> AsyncIterator[Any]:
    """Yield a way to a server that listens, as the client of today goes it."""
    headers = {"Authorization": f"Bearer {told['token']}"}
    async with (
        httpx2.AsyncClient(headers=headers) as client,
        streamable_http_client(told["listening"], http_client=client) as streams,
    ):
        yield streams


@contextmanager
def listening(project: Path, *arguments: str) -> Iterator[dict[str, str]]:
    """Start a server that listens, say where, and end it."""
    process = subprocess.Popen(
        command(project, "--http", *arguments),
        env=environment(project.parent),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=TIMEOUT_S)
        assert (process.returncode, out, err) == (0, "", "")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def former(job: dict[str, Any]) -> tuple[str, str, str, list[Any]]:
    """Let the former client do a job, with none of our packages in reach."""
    assert FORMER.is_dir(), "The former client is not there; `make test` installs it."
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(Path(__file__).with_name("former_client.py")), FORMER],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr
    version, protocol, name, answers = json.loads(done.stdout)
    return version, protocol, name, answers
