"""Where ledgers are kept: the port and its engines.

Loading it on a system that cannot keep the promises says so, before a missing module would.
"""

from __future__ import annotations

import sys

from holdfast.kernel.errors import Unsupported


def check_platform(platform: str) -> None:
    """Refuse a system without the file locks and syncs that everything rests on."""
    if platform not in ("linux", "darwin"):
        raise Unsupported(
            f"holdfast does not run on {platform}.",
            meaning="Its promises rest on file locks and syncs of Linux and macOS.",
            remedy="Use Linux, macOS or WSL 2.",
        )


check_platform(sys.platform)
