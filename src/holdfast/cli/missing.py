"""What a command says when an extra that it needs is not installed."""

from __future__ import annotations

from holdfast.kernel.errors import Unsupported


def not_installed(what: str, missing: ModuleNotFoundError, *extras: str) -> Unsupported:
    """Say which module is missing for what, and with which extras it comes."""
    named = [f"`{extra}`" for extra in extras]
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    return Unsupported(
        f"{what} needs {missing.name}, which is not installed.",
        meaning="Nothing was started.",
        remedy=f"Install holdfast with its extra{'s' if len(extras) > 1 else ''} {listed}.",
    )
