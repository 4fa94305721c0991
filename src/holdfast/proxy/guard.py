"""Who may ask what: decided before a byte goes up, or a page is shown.

Web pages of others must not reach the proxy through the user's browser, so the host has to be this
machine's and a page's origin the proxy's own. The seed's forbidden paths do not exist, however
they are spelled; the diagnostics' never go up.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote

from holdfast.proxy.headers import Headers
from holdfast.proxy.refusals import Refused
from holdfast.wire.events import Dialect
from holdfast.wire.hosts import has_port
from holdfast.wire.hosts import host_name as host_name
from holdfast.wire.hosts import is_loopback as is_loopback

FORBIDDEN: Final = frozenset(
    {"/memory", "/search", "/replay", "/summaries", "/similar", "/rewrite"}
)
HEALTH: Final = "/health"
DIAGNOSTICS: Final = frozenset({HEALTH, "/doctor", "/recent", "/state", "/debug/last-prompt"})

DIALECTS: Final[dict[str, Dialect]] = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
    "/v1/completions": "completions",
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
    "/completions": "completions",
    "/api/chat": "ollama-chat",
    "/api/generate": "ollama-generate",
}
"""Paths whose requests are conversations; without `/v1` as clients spell them whose base has it."""

Goes: TypeAlias = Literal["up", "diagnostics"]
_KEYS: Final = frozenset({b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key"})
"""Headers in which model servers are given keys."""
_DECODINGS_MAX: Final = 5
_FETCHED_FROM: Final = "sec-fetch-site"
_OTHERS: Final = "cross-site"
"""What browsers say of a request that a page of somebody else's made them send."""


class Guard:
    """Lets requests pass, or refuses them."""

    def __init__(self, token: str, *, names: Collection[str] = ()) -> None:
        """`names` are further names under which this proxy may be asked, loopback aside."""
        self._token = token.encode()
        self._names = frozenset(name.lower() for name in names)
        self.port = 0
        """Where the proxy listens; pages from there may ask it."""

    def look(self, method: str, target: str, headers: Headers) -> Goes:
        """Say where a request goes, or raise `Refused`."""
        path = target.partition("?")[0]
        plain = path if path in DIALECTS else canonical(path)
        if plain in FORBIDDEN:
            raise Refused(404, "There is no such path.")
        self._look_at_host(headers)
        if "upgrade" in headers and _upgrades(headers):
            raise Refused(
                426,
                "Connections are not upgraded here.",
                remedy="Ask with plain HTTP; answers are streamed.",
                headers=(("Upgrade", "HTTP/1.1"), ("Connection", "Upgrade")),
            )
        if plain in DIAGNOSTICS:
            self._look_at_diagnostics(method, path, headers)
            return "diagnostics"
        _look_at_target(method, target, headers)
        self._look_at_keys(headers)
        return "up"

    def _look_at_host(self, headers: Headers) -> None:
        host = headers.get("host")
        if not host or not self._is_ours(host):
            raise Refused(
                421,
                "This host is not answered for here.",
                remedy="Ask the proxy by its loopback address, such as 127.0.0.1.",
            )
        origin = headers.get("origin")
        foreign = headers.get(_FETCHED_FROM, "").strip().lower() == _OTHERS
        if foreign or (origin is not None and not self._is_own(origin)):
            raise Refused(
                403,
                "Pages of another origin may not ask here.",
                remedy="Ask from a program, not from a web page.",
            )

    def _is_ours(self, host: str) -> bool:
        name = host_name(host)
        return name is not None and (is_loopback(name) or name in self._names)

    def _is_own(self, origin: str) -> bool:
        scheme, found, host = origin.partition("://")
        if scheme != "http" or not found or not self._is_ours(host):
            return False
        return (host.rpartition(":")[2] if has_port(host) else "80") == str(self.port)

    def _look_at_diagnostics(self, method: str, path: str, headers: Headers) -> None:
        if path not in DIAGNOSTICS:
            raise Refused(404, "There is no such path.")
        if method != "GET":
            raise Refused(405, "This can only be looked at.", headers=(("Allow", "GET"),))
        if path != HEALTH and not self._knows_token(headers.get("authorization", "")):
            raise Refused(
                401,
                "This needs the proxy's token.",
                remedy="Send it as `Authorization: Bearer`; the proxy prints it when it starts.",
                headers=(("WWW-Authenticate", "Bearer"),),
            )

    def _look_at_keys(self, headers: Headers) -> None:
        """The proxy's own token is nobody else's: no model server gets to see it."""
        if any(self._is_token(value.rpartition(" ")[2]) for value in headers.all_of(_KEYS)):
            raise Refused(
                401,
                "The proxy's own token is no key of a model server; the request did not go up.",
                remedy="Send the key of the model server; the token is for the diagnostics.",
                headers=(("WWW-Authenticate", "Bearer"),),
            )

    def _is_token(self, given: str) -> bool:
        spelled = given.strip().encode(errors="surrogateescape")
        return bool(self._token) and hmac.compare_digest(spelled, self._token)

    def _knows_token(self, given: str) -> bool:
        scheme, _, token = given.partition(" ")
        return self._is_token(token) and scheme.lower() == "bearer"


def _look_at_target(method: str, target: str, headers: Headers) -> None:
    if method == "CONNECT" or not target.startswith("/") or "#" in target:
        raise Refused(
            400,
            "This is no path of a server.",
            remedy="The proxy stands before one model server: give it as the base address.",
        )
    if (name := headers.unreadable()) is not None:
        raise Refused(400, f"The header {name} is no UTF-8.", remedy="Send it as UTF-8.")


def _upgrades(headers: Headers) -> bool:
    return any(
        token.strip().lower() == "websocket" for token in headers.get("upgrade", "").split(",")
    )


def canonical(path: str) -> str:
    """Return what a path comes to, however it is spelled; or refuse one that comes to no end."""
    for _ in range(_DECODINGS_MAX):
        decoded = unquote(path)
        if decoded == path:
            break
        path = decoded
    else:
        if unquote(path) != path:
            raise Refused(404, "There is no such path.")
    parts: list[str] = []
    for part in _pathless(path).replace("\\", "/").split("/"):
        name = part.partition(";")[0].strip().rstrip("\0")
        if name == "..":
            del parts[-1:]
        elif name not in ("", "."):
            parts.append(name.casefold())
    return "/" + "/".join(parts)


def _pathless(path: str) -> str:
    """Leave scheme, host, query and fragment away, wherever they came out of."""
    path = path.partition("?")[0].partition("#")[0]
    if not path.startswith("/") and "://" in path:
        return "/" + path.partition("://")[2].partition("/")[2]
    return path
