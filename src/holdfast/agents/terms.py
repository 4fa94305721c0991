"""What the short way of a hook must know of the settings: kept ready, so that no file is parsed.

The long way writes it down beside the marks of the files it read; where a mark differs, it is asked
again. Derived, and made anew when it is gone. Loads next to nothing.
"""

import os
from binascii import crc32

FILE = "intake/terms"
FORMAT = "1"
TERMS_BYTES_MAX = 64 * 1024


class Terms:
    """What is to be heeded while events are kept."""

    __slots__ = ("deny", "entropy", "file_bytes_max", "names")

    def __init__(
        self, deny: bool, entropy: bool, file_bytes_max: int, names: "tuple[str, ...]"
    ) -> None:
        self.deny = deny
        """New tool calls may be refused, so each is asked about."""
        self.entropy = entropy
        self.file_bytes_max = file_bytes_max
        self.names = names
        """The user's own names of secrets, in lowercase."""


def read(folder: str, env: "dict[str, str]") -> "Terms | None":
    """Return the terms, None when they are not known or no longer what the settings say."""
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(f"{folder}/{FILE}", flags)
        try:
            words = os.read(handle, TERMS_BYTES_MAX).decode().split("\n")
        finally:
            os.close(handle)
        if words[0] != marks(folder, env) or words[-1] != "end":
            return None
        return Terms(words[1] == "deny", words[2] == "entropy", int(words[3]), tuple(words[4:-1]))
    except (OSError, ValueError, IndexError):
        return None


def write(folder: str, env: "dict[str, str]", terms: Terms) -> None:
    """Keep the terms; where that cannot be done they are asked for again."""
    words = [marks(folder, env), "deny" if terms.deny else "-"]
    words += ["entropy" if terms.entropy else "-", str(terms.file_bytes_max), *terms.names, "end"]
    draft = f"{folder}/{FILE}.{os.getpid()}.new"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, "\n".join(words).encode())
        finally:
            os.close(handle)
        os.replace(draft, f"{folder}/{FILE}")
    except OSError:
        return


def marks(folder: str, env: "dict[str, str]") -> str:
    """Return what tells these settings from others: their files, and what the environment sets."""
    base = env.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):
        base = f"{env.get('HOME', '')}/.config"
    root = os.path.dirname(folder)
    files = (f"{folder}/config.toml", f"{root}/.loa.config.yaml", f"{base}/holdfast/config.toml")
    told = "\n".join(sorted(f"{k}={v}" for k, v in env.items() if k.startswith("HOLDFAST_")))
    spelled = " ".join(map(_mark, files))
    return f"{FORMAT} {spelled} {crc32(told.encode('utf-8', 'surrogateescape')):08x}"


def _mark(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_size}:{found.st_ino}"
