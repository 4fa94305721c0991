"""What the proxy is told when it starts, and what it tells when it is ready.

Apart from the proxy itself, so that whoever starts it in another process need not load it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from holdfast.config import Settings
from holdfast.wiring.places import Place


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    place: Place
    settings: Settings
    upstreams: tuple[str, ...] = ()
    port: int = 0
    audit: Literal["auto", "on", "off"] = "auto"
    debug: bool = False
    token: str | None = None
    session: str | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The upstreams that the user named."""
        return self.upstreams or tuple(self.settings.proxy.upstreams)


class Listening(msgspec.Struct, frozen=True):
    """What a script is told when the proxy is ready."""

    listening: str
    ledger: str
    token: str


def spelled(options: Options) -> bytes:
    """Return options as they go from one process to another."""
    return msgspec.json.encode(options, enc_hook=str)


def read(given: bytes) -> Options:
    """Read what `spelled` made."""
    return _DECODER.decode(given)


def _path(kind: type, value: Any) -> Any:
    if kind is not Path:
        raise NotImplementedError(kind)
    return Path(value)


_DECODER: Final = msgspec.json.Decoder(Options, dec_hook=_path)
