"""`holdfast mcp` as a command: what it refuses, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from holdfast.mcp_server.tools import TOOLS
from tests.cli.harness import Holdfast, running


def test_without_a_ledger_it_does_not_start(bare: Holdfast) -> None:
    done = bare("mcp", "--json")
    assert done.code == 2
    assert done.json()["error"]["kind"] == "NotALedger"


@pytest.mark.parametrize("arguments", [("--port", "8765"), ("--token", "x")])
def test_options_of_http_alone_are_refused(holdfast: Holdfast, arguments: tuple[str, ...]) -> None:
    done = holdfast("mcp", *arguments)
    assert done.code == 2
    assert "--port and --token go with --http." in done.err


def test_a_token_that_no_header_can_carry_is_refused(holdfast: Holdfast) -> None:
    done = holdfast("mcp", "--http", "--token", "ümlaut")
    assert done.code == 2
    assert "leave it out, and one is made" in done.err


def test_without_the_extra_it_says_which(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("holdfast.wiring.serving_mcp")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = holdfast("mcp")
    assert done.code == 2
    assert "extra `mcp`" in done.err


def test_it_ends_with_its_client_and_answers_rubbish_in_the_protocol(holdfast: Holdfast) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "codex-mcp-client", "version": "1"},
    }
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/burn"},
    ]
    rubbish = b'no json\n\xff\xfe\n{"jsonrpc": "2.0"}\n[1]\n\n'
    spoken = b"".join(json.dumps(one).encode() + b"\n" for one in asked)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": holdfast.env()}
    by_id: dict[Any, Any] = {}
    with running(holdfast, "mcp", **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(rubbish + spoken)
        process.stdin.flush()
        while 3 not in by_id:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            by_id[answer.get("id")] = answer
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert len(by_id[2]["result"]["tools"]) == len(TOOLS)
    assert by_id[3]["error"]
