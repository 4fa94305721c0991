"""The model servers behind the proxy: which one a request goes to, and which ones are there.

    read_upstream("http://127.0.0.1:11434")                  # its kind is told by where it is
    read_upstream("claude-=https://api.anthropic.com")       # for models whose names begin so
    read_upstream("anthropic+http://127.0.0.1:4000")         # its kind is said

Only the user's own settings and flags name upstreams: nothing that crosses the proxy does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, get_args
from urllib.parse import urlsplit

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import PROXY_CONNECT_CHECK_S, UPSTREAM_CHARS_MAX
from holdfast.proxy.guard import is_loopback
from holdfast.proxy.refusals import Kind, Refused, kind_of
from holdfast.wire.events import Dialect

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
_OLLAMA_PORT: Final = 11434

USUAL: Final[tuple[tuple[int, str, Kind], ...]] = (
    (_OLLAMA_PORT, "Ollama", "ollama"),
    (1234, "LM Studio", "openai"),
    (8080, "llama.cpp", "openai"),
    (8000, "vLLM", "openai"),
)
"""Where local model servers usually listen."""


class Upstream(msgspec.Struct, frozen=True):
    """A model server."""

    name: str
    base: str
    """Its address, without the `/v1` that clients' paths begin with."""
    kind: Kind
    host: str
    port: int
    prefix: str = ""
    """Models whose names begin so are asked for here."""
    path: str = ""
    """What stands in its address behind the host: clients' paths go behind that."""

    @property
    def local(self) -> bool:
        """Tell whether it is on this machine, so that asking it costs nothing."""
        return is_loopback(self.host)


def read_upstream(spelled: str) -> Upstream:
    """Read `[prefix=][kind+]URL`, or raise `InvalidInput`."""
    if len(spelled) > UPSTREAM_CHARS_MAX:
        raise _unusable("it is too long")
    before, equals, after = spelled.partition("=")
    prefix, url = (before, after) if equals and "://" not in before else ("", spelled)
    said, plus, rest = url.partition("+")
    kind = next((one for one in _KINDS if plus and one == said), None)
    url = url if kind is None else rest
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (KeyError, ValueError) as problem:
        raise _unusable("it is no http or https address") from problem
    if not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
        raise _unusable("it has to be a scheme, a host, a port and a path, and nothing else")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise _unusable("it holds characters that no address holds")
    base, path = (one.rstrip("/").removesuffix("/v1") for one in (url, parts.path))
    name = (f"{prefix}=" if prefix else "") + f"{parts.hostname}:{port}"
    kind = kind or _guessed(parts.hostname, port)
    return Upstream(name, base, kind, parts.hostname, port, prefix, path)


def _unusable(why: str) -> InvalidInput:
    return InvalidInput(
        f"This upstream cannot be used: {why}.",
        meaning="Nothing was started.",
        remedy="Give it as URL, kind+URL or prefix=URL, such as http://127.0.0.1:11434.",
    )


def _guessed(host: str, port: int) -> Kind:
    if host == "anthropic.com" or host.endswith(".anthropic.com"):
        return "anthropic"
    return "ollama" if port == _OLLAMA_PORT else "openai"


class Upstreams:
    """Chooses: by the model's name, then by the dialect, then the first."""

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        self.all: Sequence[Upstream] = tuple(upstreams)
        prefixed = (one for one in self.all if one.prefix)
        self._by_model = sorted(prefixed, key=lambda one: len(one.prefix), reverse=True)
        self._plain = [one for one in self.all if not one.prefix] or list(self.all)

    @property
    def by_model(self) -> bool:
        """Tell whether the model's name matters, so that it is worth looking for."""
        return bool(self._by_model)

    def choose(self, kind: Kind, model: str | None) -> Upstream:
        """Return the upstream for a request, or raise `Refused` when there is none."""
        for one in self._by_model if model else ():
            if model is not None and model.startswith(one.prefix):
                return one
        if not self._plain:
            raise Refused(
                502,
                "The proxy has no model server to ask.",
                remedy="Start it again with `--upstream URL`.",
            )
        return next((one for one in self._plain if one.kind == kind), self._plain[0])


def kind_asked(path: str, dialect: Dialect | None, headers: Mapping[str, str]) -> Kind:
    """Return the kind of server that a request is meant for."""
    if dialect is not None:
        return kind_of(dialect)
    if path.startswith("/api/"):
        return "ollama"
    if path.startswith("/v1/messages") or "anthropic-version" in headers:
        return "anthropic"
    return "openai"


class _Named(msgspec.Struct):
    model: Any = None


_DECODER: Final = msgspec.json.Decoder(_Named)


def model_of(body: bytes) -> str | None:
    """Return the model that a request asks for, if it can be read."""
    try:
        found = _DECODER.decode(body).model
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


class Connect(Protocol):
    """Tries to connect to a place on this machine."""

    async def __call__(self, port: int) -> bool:
        """Tell whether somebody takes connections there; nothing is sent."""


async def discover(connect: Connect | None = None, *, but: int = 0) -> list[tuple[str, Upstream]]:
    """Look for model servers on this machine; return what each would be, and its upstream.

    `but` is a port not to look at: the proxy's own.
    """
    look = connect or _connects
    usual = [one for one in USUAL if one[0] != but]
    there = await asyncio.gather(*(look(port) for port, _, _ in usual))
    return [
        (name, read_upstream(f"{kind}+http://127.0.0.1:{port}"))
        for (port, name, kind), found in zip(usual, there, strict=True)
        if found
    ]


async def _connects(port: int) -> bool:
    try:
        async with asyncio.timeout(PROXY_CONNECT_CHECK_S):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def told(found: Sequence[tuple[str, Upstream]]) -> str:
    """Say what was found."""
    if not found:
        ports = ", ".join(f"{port} ({name})" for port, name, _ in USUAL)
        return f"No model server takes connections on this machine at the usual ports: {ports}."
    listed = ", ".join(f"{one.base} (where {name} usually is)" for name, one in found)
    return f"Found on this machine: {listed}."
