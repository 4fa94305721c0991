"""Names of hosts as requests give them: which is this machine's own and nobody else's.

A web page can make a browser ask any name, also one that its owner lets point to this machine. What
it cannot do is choose the `Host` that is sent along.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address


def has_port(host: str) -> bool:
    """Tell whether a `Host` names a port."""
    return ":" in host.rpartition("]")[2]


@lru_cache(maxsize=64)
def host_name(host: str) -> str | None:
    """Return the name in a `Host`, without its port; None when it is none."""
    name, port = host, ""
    if has_port(host):
        name, _, port = host.rpartition(":")
        if port and not (port.isascii() and port.isdigit()):
            return None
    if name.startswith("[") and name.endswith("]"):
        return name[1:-1].lower()
    return None if not name or ":" in name else name.lower().removesuffix(".")


@lru_cache(maxsize=64)
def is_loopback(name: str) -> bool:
    """Tell whether a name is this machine's own and nobody else's."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
