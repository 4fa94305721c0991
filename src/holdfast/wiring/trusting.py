"""Which ledgers are the user's own: said by making one, or in so many words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.agents import trusting
from holdfast.kernel.errors import StorageFailed

if TYPE_CHECKING:
    from holdfast.wiring.places import Place


def is_trusted(place: Place, env: Mapping[str, str] = os.environ) -> bool:
    """Tell whether hooks heed a ledger; one that stands alone has none."""
    return place.project is None or trusting.is_trusted(str(place.folder), dict(env))


def trust(place: Place, env: Mapping[str, str] = os.environ) -> bool:
    """Let hooks heed a project's ledger; False when they do already."""
    if place.project is None or trusting.is_trusted(str(place.folder), _unnamed(env)):
        return False
    try:
        trusting.trust(str(place.folder), _unnamed(env))
    except OSError as error:
        raise _refused(env, error) from error
    return True


def distrust(place: Place, env: Mapping[str, str] = os.environ) -> bool:
    """Let hooks leave a project's ledger alone; False when they do already."""
    try:
        return trusting.distrust(str(place.folder), dict(env))
    except OSError as error:
        raise _refused(env, error) from error


def _unnamed(env: Mapping[str, str]) -> dict[str, str]:
    """Leave out which ledger is meant: what is noted should hold without that, too."""
    return {name: value for name, value in env.items() if name != "HOLDFAST_LEDGER"}


def _refused(env: Mapping[str, str], error: OSError) -> StorageFailed:
    return StorageFailed(
        f"{trusting.file(dict(env))} cannot be written: {error.strerror}.",
        meaning="It cannot be noted which ledgers are yours, so hooks go on as before.",
        remedy="Check its permissions; where there is no home that lasts, HOLDFAST_LEDGER names a "
        "ledger as yours.",
    )
