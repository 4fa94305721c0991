"""Processes that listen on loopback, as long as they are needed; and what they take of memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import create_connection, socket
from time import monotonic, sleep
from typing import Final

import msgspec

from bench.harness import CannotMeasureError
from bench.relays.asking import Order, Told

ROOT: Final = Path(__file__).parents[2]
_START_S: Final = 90.0
_END_S: Final = 20.0
_SEALS: Final = b"holdfast.wiring.sealing_apart"


@contextmanager
def listening(*module: str) -> Iterator[int]:
    """Run one of our modules that prints its port."""
    with running([sys.executable, "-m", *module], output=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())


@contextmanager
def running(
    command: Sequence[str],
    *,
    output: int = subprocess.DEVNULL,
    log: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """Run a command, and end it by its id."""
    errors = subprocess.DEVNULL if log is None else os.open(log, os.O_WRONLY | os.O_CREAT)
    process = subprocess.Popen(
        list(command), cwd=ROOT, stdin=subprocess.PIPE, stdout=output, stderr=errors, text=True,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if log is not None:
            os.close(errors)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[str], name: str) -> None:
    """Wait until a process listens."""
    until = monotonic() + _START_S
    while monotonic() < until and process.poll() is None:
        with suppress(OSError), create_connection(("127.0.0.1", port), 1):
            return
        sleep(0.2)
    raise CannotMeasureError(f"{name} did not start")


class Clients:
    """The clients' process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, order: Order) -> Told:
        """Have an order carried out."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(order).decode() + "\n")
        self._process.stdin.flush()
        told = msgspec.json.decode(self._process.stdout.readline(), type=Told)
        if told.failed:
            raise CannotMeasureError(f"{told.failed} requests were not answered")
        return told


@contextmanager
def clients() -> Iterator[Clients]:
    """Start the clients' process."""
    command = [sys.executable, "-m", "bench.relays.asking"]
    with running(command, output=subprocess.PIPE) as process:
        yield Clients(process)


def pss_mb(pid: int) -> float:
    """Return what the proxy and every process that it started take of memory, but for the one
    that seals now and then and is gone again; shared pages shared out, in MB."""
    return sum(map(_pss_kib, _family(pid))) * 1024 / 1e6


def _family(pid: int) -> Iterator[int]:
    with suppress(FileNotFoundError):  # it may end meanwhile
        if _SEALS not in Path(f"/proc/{pid}/cmdline").read_bytes():
            yield pid
            for child in _children(pid):
                yield from _family(child)


def _pss_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").split("\n"):
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def cpu_s(pid: int) -> float:
    """Return the time on a core that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
