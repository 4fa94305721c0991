"""The MCP server over stdio: how long until it answers, what a call takes, what memory it needs.

Beside it, in turns, a server of the same SDK with one tool that answers a constant: what is above
that is holdfast's. Requests are plain lines of JSON, one after the other; the ledger holds 1,000
entries. `decide` is durable when it is answered. Memory is what the process holds after its calls.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from bench import ledgers
from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    percentile,
    ratios,
    scratch_folder,
    side_by_side,
    spread_of,
)

NAME = "mcp"
TITLE = "Calls of the MCP server"
BARE: Final = "the SDK alone"
SIZE: Final = 1_000

_BARE: Final = """
from mcp.server import MCPServer
server = MCPServer("bare", log_level="ERROR")
@server.tool()
def constant() -> str:
    return "constant"
server.run("stdio")
"""
_CALLS: Final[Mapping[str, dict[str, Any]]] = {
    "resume": {},
    "show": {"key": 10},
    "task_list": {},
    "decide": {"what": "this way", "because": "it is the shorter one"},
}
_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def run(options: Options) -> Result:
    """Measure."""
    calls = options.pick(50, 5)
    bare = [sys.executable, "-c", _BARE]
    ours = [sys.executable, "-m", "holdfast", "mcp", "--session", "bench"]
    with scratch_folder() as folder:
        root = ledgers.copy(SIZE, folder)
        subjects: dict[str, Callable[[], Measured]] = {
            BARE: partial(_measure, bare, root, "constant", {}, calls)
        }
        for tool, arguments in _CALLS.items():
            subjects[tool] = partial(_measure, ours, root, tool, arguments, calls)
        found = side_by_side(subjects, options.rounds)
    figures = [
        Figure(f"`{tool}` : {BARE}", ratios(found[tool], found[BARE], "p50_ms")) for tool in _CALLS
    ]
    rows = [
        Row(name, measure, unit, spread_of(rounds, key))
        for name, rounds in found.items()
        for measure, unit, key in (
            ("start to first answer", "ms", "start_ms"),
            ("call, median", "ms", "p50_ms"),
            ("call, 95 of 100", "ms", "p95_ms"),
            ("memory", "MB", "rss_mb"),
        )
    ]
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def _measure(
    command: list[str], root: Path, tool: str, arguments: dict[str, Any], calls: int
) -> Measured:
    """Start a server, greet it, call one tool some times, and let it end."""
    begin = time.perf_counter()
    server = subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with server:
        try:
            _ask(server, 0, "initialize", _HELLO)
            started_s = time.perf_counter() - begin
            _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            took = [_call(server, number, tool, arguments) for number in range(1, calls + 2)]
            memory = _memory_mb(server.pid)
        finally:
            server.kill()
    warm = took[1:]  # the first one imports what it needs
    return {
        "start_ms": started_s * 1e3,
        "p50_ms": percentile(warm, 0.5) * 1e3,
        "p95_ms": percentile(warm, 0.95) * 1e3,
        "rss_mb": memory,
    }


def _call(
    server: subprocess.Popen[bytes], number: int, tool: str, arguments: dict[str, Any]
) -> float:
    begin = time.perf_counter()
    answer = _ask(server, number, "tools/call", {"name": tool, "arguments": arguments})
    took_s = time.perf_counter() - begin
    if answer["result"].get("isError"):
        raise CannotMeasureError(f"`{tool}` answers {answer['result']['content']}")
    return took_s


def _ask(server: subprocess.Popen[bytes], number: int, method: str, params: Any) -> Any:
    _send(server, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        raise CannotMeasureError(f"the server ended at `{method}`")
    return msgspec.json.decode(line)


def _send(server: subprocess.Popen[bytes], message: Any) -> None:
    assert server.stdin is not None
    server.stdin.write(msgspec.json.encode(message) + b"\n")
    server.stdin.flush()


def _memory_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise CannotMeasureError("this system does not tell what memory a process holds") from error
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1_000
