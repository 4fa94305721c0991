"""Every bound of holdfast, named, with its unit. Nothing here is read from settings."""

from __future__ import annotations

from holdfast.kernel.limits.code import *  # noqa: F403
from holdfast.kernel.limits.ledger import *  # noqa: F403
from holdfast.kernel.limits.proxy import *  # noqa: F403
from holdfast.kernel.limits.units import *  # noqa: F403
from holdfast.kernel.limits.views import *  # noqa: F403
from holdfast.kernel.limits.work import *  # noqa: F403
