"""What a check of the doctor is."""

from __future__ import annotations

import msgspec

from holdfast.kernel.errors import HoldfastError


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def checked(name: str, ok: bool, detail: str, remedy: str) -> Check:
    """Return a check; one that passed needs no remedy."""
    return Check(name, ok, detail, "" if ok else remedy)


def failed(name: str, problem: HoldfastError) -> Check:
    """Return the check that ended with an error."""
    return Check(name, False, f"{problem.what} {problem.meaning}".strip(), problem.remedy)
