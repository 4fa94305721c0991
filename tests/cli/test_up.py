"""`holdfast up`: the proxy and the page together, and what to tell each client."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from holdfast.testing.model_server import ModelServer, Said
from holdfast.wiring.clients import CLIENTS, find_clients, lines_for, servers_of
from tests.cli.harness import Holdfast

CODE = "`a.py`\n```python\ndef f():\n    return 1\n```\n"


@contextmanager
def up(holdfast: Holdfast, *args: str, **env: str) -> Iterator[tuple[Any, subprocess.Popen[str]]]:
    """Run it on free ports, and end it by its id."""
    process = subprocess.Popen(
        holdfast.command("up", "--port", "0", "--web-port", "0", "--json", *args),
        cwd=holdfast.folder,
        env=holdfast.env(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline()), process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def ask(url: str, words: str) -> Any:
    body = {"model": "any", "messages": [{"role": "user", "content": words}]}
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)


def folder_with(path: Path, *programs: str) -> str:
    path.mkdir()
    for program in programs:
        (path / program).write_text("#!/bin/sh\n")
        (path / program).chmod(0o755)
    return str(path)


def test_what_crosses_the_proxy_is_on_the_page(holdfast: Holdfast) -> None:
    with ModelServer(Said(CODE)) as model, up(holdfast, "--upstream", model.url) as (told, process):
        ask(f"{told['proxy']['listening']}/v1/chat/completions", "write f")
        bearer = {"Authorization": f"Bearer {told['proxy']['token']}"}
        with urlopen(Request(f"{told['proxy']['listening']}/state", headers=bearer)) as state:
            assert json.load(state)["entities"][0]["entity"] == "a.py::f"
        browser = build_opener(HTTPCookieProcessor())
        with browser.open(told["web"]["url"], timeout=30) as first:
            assert b"<!doctype html" in first.read().lower()
        with browser.open(f"{told['web']['listening']}/api/now", timeout=30) as page:
            assert json.load(page)["entries"] == len(holdfast.entries()) > 0
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert holdfast("verify").code == 0


def test_each_client_that_is_here_gets_one_line(holdfast: Holdfast, tmp_path: Path) -> None:
    path = folder_with(tmp_path / "bin", "claude", "codex")
    with up(holdfast, PATH=f"{path}{os.pathsep}/nowhere") as (told, _):
        url = told["proxy"]["listening"]
        lines = {one["client"]: one["line"] for one in told["clients"]}
        assert lines["Claude Code"] == f"ANTHROPIC_BASE_URL={url} claude"
        assert lines["Codex"] == f"codex -c openai_base_url={url}/v1"
        assert lines["others, OpenAI's way"] == f"export OPENAI_BASE_URL={url}/v1"
        assert "aider" not in lines
        assert told["upstreams"][-2:] == [
            "anthropic+https://api.anthropic.com",
            "openai+https://api.openai.com",
        ]


def test_a_person_is_told_where_both_are(holdfast: Holdfast) -> None:
    with ModelServer() as model:
        command = holdfast.command("up", "--port", "0", "--web-port", "0", "--upstream", model.url)
        process = subprocess.Popen(
            command, cwd=holdfast.folder, env=holdfast.env(), stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(5)]
        finally:
            process.terminate()
            process.communicate(timeout=60)
    assert said[0].startswith("page   http://127.0.0.1:")
    assert "/?token=" in said[0]
    assert said[1].startswith("proxy  http://127.0.0.1:")
    assert said[2] == f"  asks {model.url}\n"
    assert said[4] == "To go through it:\n"


def test_without_a_ledger_it_says_how_to_make_one(bare: Holdfast) -> None:
    done = bare("up")
    assert done.code == 2
    assert "holdfast init" in done.err


def test_a_taken_port_is_told_and_nothing_is_left_running(holdfast: Holdfast) -> None:
    with ModelServer() as model, socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for name, free in (("--port", "--web-port"), ("--web-port", "--port")):
            done = holdfast.process("up", "--upstream", model.url, name, port, free, "0")
            assert done.code == 2
            assert f"Port {port} cannot be listened on" in done.err


@pytest.mark.parametrize("found", [(), ("claude",), ("claude", "codex", "aider", "ollama")])
def test_only_what_is_on_the_path_is_found(found: tuple[str, ...]) -> None:
    clients = find_clients(lambda name: name if name in found else None)
    assert [client.program for client in clients] == list(found)
    told = lines_for(clients, "http://127.0.0.1:1")
    assert len(told) == len(found) + 2
    assert all("http://127.0.0.1:1" in one.line and "{" not in one.line for one in told)


def test_two_clients_of_one_server_name_it_once() -> None:
    assert servers_of(list(CLIENTS)) == (
        "anthropic+https://api.anthropic.com",
        "openai+https://api.openai.com",
    )
