"""Which ledger an event belongs to. Part of the shortest process there is: loads next to nothing.

The folder that this process runs in decides; a payload's word is taken only where that folder is in
no project. A `.holdfast` that is a link, or somebody else's, is none.
"""

import os
import stat

LEDGER = "HOLDFAST_LEDGER"
GIT_FILE_BYTES_MAX = 4096
LEVELS_MAX = 256


def find(claimed: str, env: "dict[str, str]") -> "str | None":
    """Return the `.holdfast` that an event belongs to, None when there is none."""
    named = env.get(LEDGER, "")
    if named:
        named = os.path.abspath(os.path.expanduser(named))
        for end in ("/ledger.db", "/.holdfast"):  # as commands take it: the database, its folder
            named = named[: -len(end)] if named.endswith(end) else named
        return _ledger(named)
    try:
        here = os.getcwd()
    except OSError:  # somebody took the folder away
        here = ""
    for start in (here, claimed):
        if start.startswith("/") and "\0" not in start:
            folder = above(os.path.normpath(start))
            if folder is not None:
                return folder
    return None


def above(start: str) -> "str | None":
    """Return the `.holdfast` of a folder or of the next one above it that has one."""
    at = start
    for _ in range(LEVELS_MAX):
        folder = _ledger(at) or _of_main_worktree(at)
        if folder is not None:
            return folder
        up = os.path.dirname(at)
        if up == at:
            break
        at = up
    return None


def _ledger(root: str) -> "str | None":
    """Return the `.holdfast` in a folder when it is a ledger's, and ours."""
    folder = f"{root.rstrip('/')}/.holdfast"
    try:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode):
            return None
        if found.st_uid != os.geteuid() and os.geteuid() != 0:
            return None
        return folder if stat.S_ISREG(os.lstat(f"{folder}/ledger.db").st_mode) else None
    except OSError:
        return None


def _of_main_worktree(root: str) -> "str | None":
    """Return the ledger of the main worktree that a linked one belongs to: both must say so."""
    git = f"{root.rstrip('/')}/.git"
    words = _read(git).split(maxsplit=1)
    if len(words) != 2 or words[0] != "gitdir:":
        return None
    gitdir = os.path.realpath(os.path.join(root, words[1].strip()))
    parent, _ = os.path.split(gitdir)
    if os.path.basename(parent) != "worktrees":
        return None
    back = os.path.join(gitdir, _read(f"{gitdir}/gitdir").strip())
    if os.path.realpath(back) != os.path.realpath(git):
        return None
    return _ledger(os.path.dirname(os.path.dirname(parent)))


def _read(path: str) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return ""
            return os.read(handle, GIT_FILE_BYTES_MAX).decode("utf-8", "replace")
        finally:
            os.close(handle)
    except OSError:
        return ""
