"""Another ledger over HTTP on this machine. Every answer is bounded; none is believed.

Not here: what becomes of the answers. `holdfast.ledger.peers` proves them.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import (
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    SYNC_ANSWER_BYTES_MAX,
    SYNC_BYTES_PER_S_MIN,
    SYNC_PAGE_BYTES_MAX,
    SYNC_TIMEOUT_S,
)
from holdfast.ledger.peers.source import TreeHead, unproved
from holdfast.wiring.sync_reading import (
    check_address,
    check_token,
    read_head,
    read_pages,
    read_proof,
)

SCHEME: Final = "http://"
_OK: Final = 200
_NONE: Final = 404


class HttpSource:
    """What `holdfast sync --serve` of another project tells."""

    def __init__(self, address: str, token: str) -> None:
        self._host, self._port = check_address(address, "holdfast sync --serve")
        self._token = check_token(token)

    def head(self) -> TreeHead:
        """Ask what it holds."""
        return read_head(self._get("/v1/head", SYNC_ANSWER_BYTES_MAX))

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Ask for a proof."""
        path = f"/v1/proof?old={old_size}&new={new_size}"
        return read_proof(self._get(path, SYNC_ANSWER_BYTES_MAX))

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """Ask for entries, page by page, until it gives no more."""
        return read_pages(lambda page: self._get(f"/v1/{page}", SYNC_PAGE_BYTES_MAX), first, stop)

    def artifact(self, sha256: str) -> bytes | None:
        """Ask for an artifact."""
        return self._get(f"/v1/artifacts/{sha256}", CAMPAIGN_ARTIFACT_BYTES_MAX)

    def _get(self, path: str, bytes_max: int) -> bytes | None:
        """Ask for something; None when it says that there is no such thing."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SYNC_TIMEOUT_S)
        try:
            connection.connect()
            with _hung_up_after(connection.sock, SYNC_TIMEOUT_S + bytes_max / SYNC_BYTES_PER_S_MIN):
                connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
                answer = connection.getresponse()
                content = answer.read(bytes_max + 1)
            expected = answer.getheader("Content-Length")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._silent(str(error) or type(error).__name__) from error
        finally:
            connection.close()
        if answer.status == _NONE:
            return None
        if answer.status != _OK:
            raise self._silent(f"it answered {answer.status}")
        if len(content) > bytes_max:
            raise unproved("It answered with more than it was asked for.")
        if expected != str(len(content)):
            raise self._silent("its answer was cut short")
        return content

    def _silent(self, why: str) -> CouldNotLook:
        return CouldNotLook(
            f"The peer at {SCHEME}{self._host}:{self._port} did not answer as it should: {why}.",
            meaning="Nothing of ours changed; what came so far is kept for the next sync.",
            remedy="See that `holdfast sync --serve` runs there and that the token is its own; "
            "then sync again.",
        )


@contextmanager
def _hung_up_after(connected: socket.socket, seconds: float) -> Iterator[None]:
    """End a connection that is never silent for long, and never done either."""

    def hang_up() -> None:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
