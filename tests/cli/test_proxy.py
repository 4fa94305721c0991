"""`holdfast proxy`: one line when it is ready, its ledger, its settings, and how it refuses."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.testing.model_server import ModelServer, Said
from tests.cli.harness import Holdfast
from tests.proxy.running import Chat, end, fenced, proxy_process

CODE = fenced("a.py", "def f():\n    return 1\n")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def settings(home: Path, text: str) -> None:
    file = home / ".config/holdfast/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_it_says_where_it_listens_and_ends_cleanly(bare: Holdfast, server: ModelServer) -> None:
    database = bare.folder / "proxy.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    with proxy_process(*arguments, cwd=bare.folder, env=bare.env()) as (proxy, process):
        told = proxy.listening
        assert told.listening.startswith("http://127.0.0.1:")
        assert told.ledger == str(database)
        assert len(told.token) >= 24
        server.say(Said(CODE))
        Chat(proxy, server).say("write f")
        assert proxy.state() == {"a.py::f": "AUTHORITATIVE"}
        assert proxy.ask("/state").status == 401
        assert proxy.ask("/debug/last-prompt", headers=bearer(told.token)).status == 404
        assert end(process) == 0
    assert bare("--ledger", database, "verify", "--json").json()["ok"] is True


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.req("T4")
def test_a_save_and_a_boot_hold_what_the_proxy_showed(bare: Holdfast, server: ModelServer) -> None:
    database = bare.folder / "proxy.db"
    arguments = ("--upstream", server.url, "--port", "0", "--ledger", str(database))
    with proxy_process(*arguments, cwd=bare.folder, env=bare.env()) as (proxy, _):
        server.say(Said(CODE))
        Chat(proxy, server).say("write f")
        shown = proxy.look("/state")
    saved = bare("--ledger", database, "save", "--json")
    assert saved.code == 0, saved.err
    assert shown["digest"] in saved.text
    booted = bare("--ledger", database, "boot", "--json")
    assert booted.code == 0, booted.err


def test_without_a_ledger_it_keeps_one_in_the_users_data_folder(
    bare: Holdfast, server: ModelServer
) -> None:
    arguments = ("--upstream", server.url, "--port", "0")
    with proxy_process(*arguments, cwd=bare.folder, env=bare.env()) as (proxy, _):
        assert proxy.listening.ledger == str(bare.home / ".local/share/holdfast/proxy/ledger.db")
        assert Path(proxy.listening.ledger).parent.stat().st_mode & 0o777 == 0o700
    assert list(bare.folder.iterdir()) == []


def test_with_project_it_writes_into_the_projects_ledger(
    holdfast: Holdfast, server: ModelServer
) -> None:
    arguments = ("--upstream", server.url, "--port", "0", "--project")
    with proxy_process(*arguments, cwd=holdfast.folder, env=holdfast.env()) as (proxy, _):
        assert proxy.listening.ledger == str(holdfast.database)
        server.say(Said(CODE))
        Chat(proxy, server).say("write f")
        proxy.look("/state")
    types = [entry["type"] for entry in holdfast.entries()]
    assert "episode_recorded" in types
    [actor] = {json.dumps(entry["actor"], sort_keys=True) for entry in holdfast.entries()}
    assert json.loads(actor) == {"kind": "proxy", "name": "proxy"}


def test_the_users_settings_name_upstreams_and_debug(bare: Holdfast, server: ModelServer) -> None:
    text = f"[proxy]\nupstreams = ['{server.url}']\nport = 0\ndebug = true\n"
    settings(bare.home, text)
    with proxy_process("--token", "known", cwd=bare.folder, env=bare.env()) as (proxy, _):
        assert proxy.listening.token == "known"
        Chat(proxy, server).say("hello")
        assert "hello" in proxy.look("/debug/last-prompt")["prompt"]


def test_a_project_that_names_an_upstream_is_refused(
    holdfast: Holdfast, server: ModelServer
) -> None:
    holdfast.settings.write_text(f"[proxy]\nupstreams = ['{server.url}']\n")
    refused = holdfast.process("proxy", "--project", "--port", "0")
    assert refused.code == 2
    assert "only the user's own settings can" in refused.err
    assert refused.out == b""


def test_a_port_that_is_taken_is_said(bare: Holdfast, server: ModelServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = bare.process("proxy", "--upstream", server.url, "--port", port, "--json")
    assert refused.code == 2
    assert f"Port {port} cannot be listened on" in refused.json()["error"]["what"]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "http://", "nonsense", "http://u:p@host"])
def test_an_upstream_that_is_no_address_is_refused(bare: Holdfast, url: str) -> None:
    refused = bare.process("proxy", "--upstream", url, "--port", "0")
    assert refused.code == 2
    assert "cannot be used" in refused.err


def test_a_ledger_and_a_project_are_not_named_at_once(bare: Holdfast) -> None:
    refused = bare("proxy", "--project", "--ledger", "x.db")
    assert refused.code == 2
    assert "not both" in refused.err


def test_a_missing_extra_is_named(bare: Holdfast) -> None:
    probe = bare.folder / "probe.py"
    probe.write_text(
        "import sys\n"
        "sys.modules['httptools'] = None\n"
        "sys.argv = ['holdfast', 'proxy', '--upstream', 'http://127.0.0.1:1', '--port', '0']\n"
        "from holdfast.cli.main import main\n"
        "main()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", probe], capture_output=True, text=True, env=bare.env(), check=False
    )
    assert ran.returncode == 2
    assert "The proxy needs httptools" in ran.stderr
    assert "extras `proxy` and `code`" in ran.stderr
