"""What happens to kept things: bytes erased on request, imported lines that are no entries."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Text, Told, VaultRef


class ArtifactErased(Model, frozen=True, kw_only=True):
    """The bytes of an artifact were dropped because somebody asked; its hash stays."""

    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    bytes: Count
    reason: Told


class LineQuarantined(Model, frozen=True, kw_only=True):
    """A line of an import that is no entry, kept as it was found.

    `content` is the line: text where it is UTF-8, else base64 of its bytes.
    """

    source: Told
    line: Count
    reason: Told
    encoding: Literal["text", "base64"]
    content: str | VaultRef
    session: Text | None = None
