"""Who may look: this machine's own browser, by the link that was printed.

The link carries a token, which becomes a cookie at the first look. Pages of others cannot get at
anything here: the host has to be this machine's, the request must not come from another site, and
there is nothing but looking.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final

from holdfast.kernel.errors import HoldfastError
from holdfast.wire.hosts import has_port, host_name, is_loopback

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "Server": "holdfast",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""What goes with every answer."""

_LOOKING: Final = ("GET", "HEAD")
_OTHERS: Final = ("cross-site", "same-site")


class Refused(Exception):
    """A request that is not answered."""

    def __init__(self, status: int, what: str, *, meaning: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.meaning = meaning or "Nothing was shown."
        self.remedy = remedy


class Guard:
    """Lets those look who have the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self.port = 0
        """Where the server listens."""

    @property
    def cookie(self) -> str:
        """The name of the cookie: another server on this machine has another one."""
        return f"holdfast-{self.port}"

    def look(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuse what comes from elsewhere, or wants more than to look."""
        if method not in _LOOKING:
            raise Refused(405, "This can only be looked at.")
        if not self._is_ours(headers.get("Host", "")):
            raise Refused(
                421,
                "This host is not answered for here.",
                remedy="Open the link that `holdfast web` prints.",
            )
        origin = headers.get("Origin")
        foreign = headers.get("Sec-Fetch-Site", "").strip().lower() in _OTHERS
        navigates = headers.get("Sec-Fetch-Mode", "").strip().lower() == "navigate"
        if (foreign and not navigates) or (origin is not None and not self._is_own(origin)):
            raise Refused(403, "Pages of another site may not look.")

    def check(self, cookie: str | None) -> None:
        """Refuse who does not have the token."""
        if not self.knows(cookie or ""):
            raise Refused(
                403,
                "This page needs the link with its token.",
                remedy="Open the link that `holdfast web` printed, or start it again.",
            )

    def knows(self, token: str) -> bool:
        """Tell whether this is the token."""
        return hmac.compare_digest(token.encode(errors="surrogateescape"), self._token)

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        port = host.rpartition(":")[2] if has_port(host) else "80"
        return name is not None and is_loopback(name) and port == str(self.port)

    def _is_own(self, origin: str) -> bool:
        scheme, found, host = origin.partition("://")
        return scheme == "http" and bool(found) and self._is_ours(host)


def told(problem: HoldfastError | Refused) -> dict[str, dict[str, str]]:
    """Spell why there is no answer."""
    return {
        "error": {
            "what": problem.what,
            "meaning": problem.meaning,
            "remedy": problem.remedy,
        }
    }
