"""Telling other ledgers of this one, over HTTP on this machine: read-only, with a token.

    GET /v1/head                         {"ledger", "size", "root"}
    GET /v1/proof?old=N&new=M            {"proof": [hashes in hex]}
    GET /v1/entries?first=N&stop=M       the bytes of entries, a line each, as many as fit a page
    GET /v1/artifacts/SHA256             an artifact

A request with an `Origin` comes from a web page and is refused, as is any host but this machine's.
"""

from __future__ import annotations

import hmac
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from holdfast.kernel.errors import HoldfastError, InvalidInput, StorageFailed
from holdfast.kernel.limits import SYNC_PAGE_BYTES, SYNC_TIMEOUT_S
from holdfast.ledger.peers.source import ReaderSource
from holdfast.storage.files import make_folder, replace
from holdfast.storage.port import Reader
from holdfast.wire.hosts import host_name, is_loopback
from holdfast.wiring.places import Place
from holdfast.wiring.sync_answers import answer

LOOPBACK: Final = "127.0.0.1"
TOKEN_BYTES: Final = 32
_TOKEN_CHARS_MAX: Final = 1_000
_VERSION: Final = "/v1/"


def token_of(place: Place) -> str:
    """Return what others must show to read this ledger; made where there is none."""
    path = place.peers / "sync.token"
    try:
        return _read_token(path)
    except FileNotFoundError:
        make_folder(str(place.peers))
        replace(str(path), os.urandom(TOKEN_BYTES).hex().encode() + b"\n")
        return _read_token(path)


def serve(reader: Reader, token: str, port: int) -> Server:
    """Listen on this machine; port 0 takes any. The caller lets it run and closes it."""
    try:
        return Server(reader, token, port)
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise StorageFailed(
            f"Port {port} of this machine cannot be listened on: {why}.",
            meaning="Nobody can read this ledger over it.",
            remedy="Choose another port, or let holdfast choose one.",
        ) from error


class Server(ThreadingHTTPServer):
    """Answers questions about one ledger."""

    daemon_threads = True

    def __init__(self, reader: Reader, token: str, port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.source = ReaderSource(reader)
        self.token = token

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when somebody hangs up: whoever asks again is answered again."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    timeout = SYNC_TIMEOUT_S
    server_version = "holdfast"
    sys_version = ""

    def do_GET(self) -> None:  # the name is the library's
        """Answer, or refuse without saying more than the status."""
        status = self._refusal()
        if status is not None:
            self._answer(status, b"")
            return
        try:
            content = _content(self.server.source, self.path)
        except (HoldfastError, ValueError):
            self._answer(400, b"")
            return
        self._answer(404 if content is None else 200, content or b"")

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: what is asked is nobody else's affair."""

    def _refusal(self) -> int | None:
        name = host_name(self.headers.get("Host", ""))
        if name is None or not is_loopback(name) or "Origin" in self.headers:
            return 403
        given = self.headers.get("Authorization", "").encode("latin-1", "replace")
        return None if hmac.compare_digest(given, f"Bearer {self.server.token}".encode()) else 401

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)


def _content(source: ReaderSource, target: str) -> bytes | None:
    """Return the answer to a question, None when there is no such thing."""
    parts = urlsplit(target)
    if not parts.path.startswith(_VERSION):
        return None
    path = parts.path.removeprefix(_VERSION)
    return answer(source, path, parts.query, page_bytes=SYNC_PAGE_BYTES)


def _read_token(path: Path) -> str:
    """Return the token in a file; one that can be guessed, or that no header carries, is none."""
    token = path.read_bytes()[:_TOKEN_CHARS_MAX].decode("ascii", "replace").strip()
    if len(token) >= TOKEN_BYTES and token.isascii() and token.isprintable() and " " not in token:
        return token
    raise InvalidInput(
        f"{path} holds no token.",
        meaning="Nobody can read this ledger: who knows nothing must not be answered.",
        remedy=f"Move the file away, and a new one is made; or write {TOKEN_BYTES} or more "
        "letters and digits into it.",
    )
