"""Pins: which formats, stores, policies, hash and token counter the code that runs works with.

A save carries them, and a boot holds its own against them. Types of entries have no pin: an old
version is upcast, and the stores, which have one, say what comes of it.
"""

from __future__ import annotations

from typing import Final

from holdfast.kernel import snapshot
from holdfast.kernel.tokens import COUNTER
from holdfast.stores.registry import STORES
from holdfast.views.compactions import POLICIES
from holdfast.views.working_set import WORKING_SET_ID

ENTRY_FORMAT: Final = "1"
"""Which fields an entry has and what is hashed; the versions of its types are not part of it."""


def environment_pins() -> dict[str, str]:
    """Return the pins of the code that runs, by name."""
    policies = (WORKING_SET_ID, *POLICIES)
    return {
        "canonical": "rfc8785",
        "entry": ENTRY_FORMAT,
        "hash": "sha256",
        "snapshot": str(snapshot.FORMAT),
        "tokens": COUNTER,
        "tree": "rfc9162",
        **{f"store.{store.name}": str(store.version) for store in STORES},
        **{f"policy.{policy.partition('/')[0]}": policy for policy in policies},
    }
