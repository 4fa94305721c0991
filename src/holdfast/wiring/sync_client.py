"""Another ledger over HTTP on this machine. Every answer is bounded; none is believed.

Not here: what becomes of the answers. `holdfast.ledger.peers` proves them.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import msgspec

from holdfast.kernel.errors import CouldNotLook, InvalidInput
from holdfast.kernel.limits import (
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    SYNC_ANSWER_BYTES_MAX,
    SYNC_PAGE_BYTES_MAX,
    SYNC_TIMEOUT_S,
)
from holdfast.kernel.merkle import PROOF_HASHES_MAX
from holdfast.ledger.peers.source import TreeHead, unproved
from holdfast.wire.hosts import is_loopback

SCHEME: Final = "http://"
_OK: Final = 200
_NONE: Final = 404


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a question for a proof: hashes in hex."""

    proof: list[str]


class HttpSource:
    """What `holdfast sync --serve` of another project tells."""

    def __init__(self, address: str, token: str) -> None:
        self._host, self._port = _checked(address)
        self._token = token

    def head(self) -> TreeHead:
        """Ask what it holds."""
        answer = self._get("/v1/head", SYNC_ANSWER_BYTES_MAX)
        try:
            return msgspec.json.decode(answer or b"", type=TreeHead)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise unproved("What it says of itself cannot be read.") from error

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Ask for a proof."""
        answer = self._get(f"/v1/proof?old={old_size}&new={new_size}", SYNC_ANSWER_BYTES_MAX)
        try:
            given = msgspec.json.decode(answer or b"", type=Proof).proof[: PROOF_HASHES_MAX + 1]
            return [bytes.fromhex(one) for one in given]
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            raise unproved("Its proof cannot be read.") from error

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """Ask for entries, page by page, until it gives no more."""
        while first < stop:
            answer = self._get(f"/v1/entries?first={first}&stop={stop}", SYNC_PAGE_BYTES_MAX)
            lines = (answer or b"").split(b"\n")
            if lines.pop():
                raise unproved(f"What it gives behind entry {first} is torn.")
            if not lines:
                return
            yield from lines
            first += len(lines)

    def artifact(self, sha256: str) -> bytes | None:
        """Ask for an artifact."""
        return self._get(f"/v1/artifacts/{sha256}", CAMPAIGN_ARTIFACT_BYTES_MAX)

    def _get(self, path: str, bytes_max: int) -> bytes | None:
        """Ask for something; None when it says that there is no such thing."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SYNC_TIMEOUT_S)
        try:
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


def _checked(address: str) -> tuple[str, int]:
    """Return host and port of this machine, or refuse."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = host is not None and parts.path in ("", "/") and not (parts.query or parts.fragment)
    if host is None or port is None or not plain or parts.username or not is_loopback(host):
        raise InvalidInput(
            f"{address[:200]!r} is not an address of this machine.",
            meaning="Nothing was asked, and nothing of ours changed.",
            remedy="Give http://127.0.0.1:PORT as `holdfast sync --serve` prints it; to reach "
            "another machine, forward a port of it to one of this.",
        )
    return host, port
