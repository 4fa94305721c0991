"""What the data models are made of."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from holdfast.kernel.limits import NAME_CHARS_MAX


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """The known fields of a type's data. Unknown ones are kept in the entry and not shown here."""


class VaultRef(msgspec.Struct, frozen=True):
    """Stands in `data` for a value that went to the vault."""

    hash: str = msgspec.field(name="$artifact")
    bytes: int
    form: Literal["text", "json", "raw-text", "raw-json"]


Text: TypeAlias = str | VaultRef
Told: TypeAlias = Annotated[str, Meta(pattern=r"\S")] | VaultRef
"""Text that says something: more than blanks."""

Texts: TypeAlias = list[Text] | VaultRef
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Number: TypeAlias = float | VaultRef
"""A measured number; one that JSON readers disagree on stands in the vault."""

Name: TypeAlias = Annotated[str, Meta(max_length=NAME_CHARS_MAX, pattern=r"^\S(?:.*\S)?\Z")]
"""The id of something else: one line, without blanks at its ends."""

Names: TypeAlias = list[Name] | VaultRef
