"""The process that the proxy lives in: begun anew, and with nothing but what serving takes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdfast.cli.serving import is_own_process
from holdfast.testing.model_server import ModelServer
from tests.cli.harness import Holdfast
from tests.proxy.running import end, proxy_process

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows what is loaded")


def test_the_process_of_somebody_else_is_not_begun_anew() -> None:
    assert not is_own_process()


@linux
def test_the_process_serves_under_its_own_id_without_the_command_line(bare: Holdfast) -> None:
    with (
        ModelServer() as server,
        proxy_process("--upstream", server.url, "--port", "0", cwd=bare.folder, env=bare.env()) as (
            _,
            process,
        ),
    ):
        told = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        assert b"holdfast.cli.serving" in told[told.index(b"-c") + 1]
        assert told[told.index(b"holdfast") + 1 :][:2] == [b"proxy", b"--upstream"]
        assert end(process) == 0


@linux
@pytest.mark.parametrize(
    ("upstream", "loaded"), [("http", False), ("https", True), ("HTTPS", True)]
)
def test_what_encrypts_is_loaded_only_for_upstreams_that_ask_for_it(
    bare: Holdfast, upstream: str, loaded: bool
) -> None:
    arguments = ("--upstream", f"{upstream}://127.0.0.1:9", "--port", "0")
    with proxy_process(*arguments, cwd=bare.folder, env=bare.env()) as (_, process):
        libraries = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        assert ("/_ssl." in libraries) is loaded
        assert "/httptools/parser/parser." in libraries  # what a library looks like there
