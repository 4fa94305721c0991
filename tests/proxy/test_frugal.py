"""What the proxy is made of, and how little it takes."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from holdfast.testing.model_server import ModelServer
from tests.proxy.running import Chat, Running, fenced, options, proxy_process

MEMORY_MB = 64
CODE = {
    "a.py": "def {0}(value):\n    return value + {1}\n\n\n",
    "b.ts": "export function {0}(value: number): number {{\n  return value + {1};\n}}\n\n",
    "c.go": "func {0}(value int) int {{\n\treturn {1}\n}}\n\n",
    "d.rs": "pub fn {0}(value: i64) -> i64 {{\n    value + {1}\n}}\n\n",
}
"""A definition of each of four languages."""


@pytest.mark.req("T16")
def test_the_ledger_is_in_wal_mode_and_code_is_read_by_tree_sitter(tmp_path: Path) -> None:
    database = tmp_path / "ledger.db"
    with ModelServer() as server, Running(options(database, server.url)) as proxy:
        Chat(proxy, server).say(fenced("a.py", "def one():\n    return 1\n"))
        assert proxy.true_text("a.py::one") == "def one():\n    return 1"
        connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
        with closing(connection):
            assert connection.pragma("journal_mode") == "wal"
        seen = [json.dumps(entry.value()) for entry in proxy.entries("artifact_seen")]
    assert any("tree-sitter" in one for one in seen)


@pytest.mark.req("T16")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how memory is shared")
def test_it_takes_less_than_64_mb_with_its_parser(tmp_path: Path) -> None:
    """The bench asks 5,000 times with 10,000 entities; this is the same in small."""
    arguments = ("--ledger", str(tmp_path / "ledger.db"), "--port", "0", "--audit", "off")
    with (
        ModelServer() as server,
        proxy_process("--upstream", server.url, *arguments) as (proxy, process),
    ):
        for path, definition in CODE.items():
            code = "".join(definition.format(f"handle_{n}", n) for n in range(100))
            Chat(proxy, server).say(fenced(path, code, path[2:]))
        chat = Chat(proxy, server)
        for turn in range(50):
            chat.say(f"And then, turn {turn}? " + "words " * 500)
        assert list(proxy.state().values()).count("AUTHORITATIVE") == 400
        taken = {pid: pss_mb(pid) for pid in (process.pid, *children(process.pid))}
    assert len(taken) >= 2, "there is no parser beside it"
    assert sum(taken.values()) < MEMORY_MB, taken


def pss_mb(pid: int) -> float:
    """Return what a process takes of memory, of shared pages its share."""
    told = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in told.split("\n") if line[:4] == "Pss:") / 1024


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(one) for task in tasks for one in (task / "children").read_text().split()]
