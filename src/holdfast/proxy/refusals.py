"""What the proxy itself answers: in the shape that errors have in the client's dialect."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.wire.events import Dialect

Kind: TypeAlias = Literal["openai", "anthropic", "ollama"]

_KINDS: Final[dict[Dialect, Kind]] = {
    "chat": "openai",
    "completions": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "ollama-chat": "ollama",
    "ollama-generate": "ollama",
}


def kind_of(dialect: Dialect) -> Kind:
    """Return the kind of server that speaks a dialect."""
    return _KINDS[dialect]


class Refused(Exception):
    """The proxy answers by itself, with an error: what happened, what it means, what to do."""

    def __init__(
        self,
        status: int,
        what: str,
        *,
        meaning: str = "Nothing was sent to a model.",
        remedy: str = "",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.meaning = meaning
        self.remedy = remedy
        self.headers = headers

    def body(self, kind: Kind = "openai") -> bytes:
        """Spell the error as a client of this kind expects it."""
        told = " ".join(part for part in (self.what, self.meaning, self.remedy) if part)
        return msgspec.json.encode(_shaped(kind, self.status, told)) + b"\n"


def _shaped(kind: Kind, status: int, told: str) -> Any:
    name = "api_error" if status >= 500 else "invalid_request_error"
    match kind:
        case "openai":
            code = f"holdfast_{status}"
            return {"error": {"message": told, "type": name, "param": None, "code": code}}
        case "anthropic":
            return {"type": "error", "error": {"type": name, "message": told}}
        case "ollama":
            return {"error": told}
