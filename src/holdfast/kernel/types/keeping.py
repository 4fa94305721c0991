"""What happens to the ledger itself: bytes erased, lines that are no entries, pins, going back."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Name, Text, Told, VaultRef


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


class PinRevised(Model, frozen=True, kw_only=True):
    """A pin has another value from now on, on purpose: saves made under the old one may boot."""

    pin: Name
    before: Text
    after: Text
    reason: Told


class RolledBack(Model, frozen=True, kw_only=True):
    """Facts, unlocks, story and decisions are again as they were right after entry `to`.

    Nothing is removed: what came between stays in the ledger, and going back can be gone back on.
    """

    to: Count
    reason: Told


class LedgerContinued(Model, frozen=True, kw_only=True):
    """The entries before this one were taken over from another ledger, which ended there."""

    ledger: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
    size: Count
    root: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    snapshot_id: Name
