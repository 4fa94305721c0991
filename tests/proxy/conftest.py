"""A proxy before a scripted model server, and a client that talks through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.testing.model_server import ModelServer
from tests.proxy.running import Chat, Running, options


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def proxy(server: ModelServer, tmp_path: Path) -> Iterator[Running]:
    with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
        yield proxy


@pytest.fixture
def chat(proxy: Running, server: ModelServer) -> Chat:
    return Chat(proxy, server)
