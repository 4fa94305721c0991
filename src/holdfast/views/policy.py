"""The policy of a working set: its id and its numbers.

A save carries it, so that a boot compiles the same bytes however the defaults have changed since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import (
    WORKING_SET_ITEM_TOKENS,
    WORKING_SET_LOOKED_AT,
    WORKING_SET_TOKENS,
    WORKING_SET_TOKENS_FLOOR,
    WORKING_SET_TOKENS_MAX,
)

WORKING_SET_ID: Final = "working-set/1"
"""Changes whenever the same stores and numbers would give other bytes."""


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a working set is compiled: tokens, and how many things of each kind are looked at."""

    id: str = WORKING_SET_ID
    tokens: int = WORKING_SET_TOKENS
    item_tokens: int = WORKING_SET_ITEM_TOKENS
    pending: int = 256
    facts: int = 256
    decisions: int = 128
    open_work: int = 64
    sessions: int = 32
    compactions: int = 16

    def __post_init__(self) -> None:
        if self.id != WORKING_SET_ID:
            raise _unknown(self.id)
        for name, (low, high) in _BOUNDS.items():
            if not low <= getattr(self, name) <= high:
                raise _refused(f"{name} is {getattr(self, name)}; it may be {low} to {high}.")

    def value(self) -> dict[str, Any]:
        """Return it as it stands in saves and working sets."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def policy_of(value: Mapping[str, Any]) -> Policy:
    """Read a policy back; one that this code does not know, to the field, is refused."""
    given = dict(value)
    if given.get("id") != WORKING_SET_ID:
        raise _unknown(given.get("id"))
    if missing := [name for name in Policy.__struct_fields__ if name not in given]:
        raise _refused(f"The policy of a working set lacks {', '.join(missing)}.")
    try:
        return msgspec.convert(given, Policy)
    except msgspec.ValidationError as error:
        raise _refused(f"This is no policy of a working set: {error}.") from error


_BOUNDS: Final = {
    "tokens": (WORKING_SET_TOKENS_FLOOR, WORKING_SET_TOKENS_MAX),
    "item_tokens": (1, WORKING_SET_TOKENS_MAX),
    "pending": (1, WORKING_SET_LOOKED_AT),
    "facts": (0, WORKING_SET_LOOKED_AT),
    "decisions": (0, WORKING_SET_LOOKED_AT),
    "open_work": (0, WORKING_SET_LOOKED_AT),
    "sessions": (0, WORKING_SET_LOOKED_AT),
    "compactions": (0, WORKING_SET_LOOKED_AT),
}


def _unknown(policy_id: object) -> InvalidInput:
    return _refused(
        f"The policy {str(policy_id)[:60]!r} of a working set is not known.",
        f"Known: {WORKING_SET_ID}.",
    )


def _refused(what: str, remedy: str = "Give a whole policy of this version.") -> InvalidInput:
    return InvalidInput(what, meaning="No working set was compiled.", remedy=remedy)


WORKING_SET_POLICY: Final = Policy()
