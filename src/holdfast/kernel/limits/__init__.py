"""Every bound of holdfast, named, with its unit. Nothing here is read from settings."""

from __future__ import annotations

from holdfast.kernel.limits.agents import *  # noqa: F403
from holdfast.kernel.limits.code import *  # noqa: F403
from holdfast.kernel.limits.frameworks import *  # noqa: F403
from holdfast.kernel.limits.imports import *  # noqa: F403
from holdfast.kernel.limits.ledger import *  # noqa: F403
from holdfast.kernel.limits.mcp import *  # noqa: F403
from holdfast.kernel.limits.peers import *  # noqa: F403
from holdfast.kernel.limits.proxy import *  # noqa: F403
from holdfast.kernel.limits.scanning import *  # noqa: F403
from holdfast.kernel.limits.transcripts import *  # noqa: F403
from holdfast.kernel.limits.units import *  # noqa: F403
from holdfast.kernel.limits.views import *  # noqa: F403
from holdfast.kernel.limits.web import *  # noqa: F403
from holdfast.kernel.limits.work import *  # noqa: F403
