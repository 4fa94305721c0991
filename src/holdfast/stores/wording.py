"""Text in items and views: bounded, and what is missing is counted."""

from __future__ import annotations

from holdfast.kernel.limits import ITEM_CHARS_MAX
from holdfast.kernel.types import VaultRef


def bounded(text: str, chars_max: int = ITEM_CHARS_MAX) -> str:
    """Cut a long text at its end, and say how much is gone."""
    if len(text) <= chars_max:
        return text
    return f"{text[:chars_max]}… +{len(text) - chars_max}"


def told(text: str | VaultRef, chars_max: int = ITEM_CHARS_MAX) -> str:
    """Bound a field of an entry; one that stands in the vault is named by its hash."""
    return text.hash if isinstance(text, VaultRef) else bounded(text, chars_max)
