"""Whether a project's ledger is one that this user said is theirs.

A project is what somebody else may have written, its `.holdfast` included: a repository can bring a
ledger along, whose words would be told to a model as what was said and done here. So hooks do
nothing in a project until its user made the ledger, or said that it counts. That stands in a file
of the user's own, a line for each: the ledger's mark, the folder, and the folder's path. A mark is
a word by chance in `.holdfast/mark`; a folder that was moved is known by its inode, one on a disk
that was mounted anew by its path, and a copy is another one.

Every hook process asks here first, so this module loads next to nothing.
"""

import os
from binascii import hexlify

MARK = "mark"
FILE = "holdfast/trusted"
TRUSTED_BYTES_MAX = 256 * 1024
"""What is read of the list, its end; a longer one is shortened when something is added."""

_MARK_CHARS = 32
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

SAID = (
    "holdfast does nothing here: this project brought a ledger along that you did not make."
    " `holdfast agents trust` lets agents be told what is in it, and records into it."
)


def is_trusted(folder: str, env: "dict[str, str]") -> bool:
    """Tell whether a `.holdfast` is one that this user made or trusts.

    One that the environment names is the user's own choice.
    """
    if env.get("HOLDFAST_LEDGER"):
        return True
    mark = _mark(folder)
    if mark is None:
        return False
    wanted = mark.encode() + b" "
    own = [line[len(wanted) :] for line in _lines(env) if line.startswith(wanted)]
    if not own:
        return False
    inode, path = _inode(folder), None
    for line in own:
        known, _, place = line.partition(b" ")
        if known == inode:
            return True
        path = path or os.fsencode(os.path.realpath(folder))
        if place == path:
            return True
    return False


def trust(folder: str, env: "dict[str, str]") -> None:
    """Remember that a `.holdfast` is this user's; raises OSError where that cannot be written."""
    if not env.get("HOLDFAST_LEDGER") and is_trusted(folder, env):
        return
    mark = _mark(folder) or _new_mark(folder)
    inode = _inode(folder)
    if inode is None:
        raise FileNotFoundError(2, "there is no such folder", folder)
    line = b"%s %s %s\n" % (mark.encode(), inode, _spelled(folder))
    turn = _turn(env)
    try:
        if _append(env, line) > TRUSTED_BYTES_MAX:
            _write(env, [one for one in _lines(env) if _is_there(one)][-_HALF_LINES:])
    finally:
        os.close(turn)


def distrust(folder: str, env: "dict[str, str]") -> bool:
    """Forget that a `.holdfast` is this user's; False when it was not."""
    inode, path = _inode(folder), _spelled(folder)
    if not any(_is_of(line, inode, path) for line in _lines(env)):
        return False
    turn = _turn(env)
    try:
        _write(env, [line for line in _lines(env) if not _is_of(line, inode, path)])
    finally:
        os.close(turn)
    return True


def file(env: "dict[str, str]") -> str:
    """Return where it stands which ledgers are this user's."""
    base = env.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):
        base = f"{env.get('HOME') or os.path.expanduser('~')}/.local/state"
    return f"{base}/{FILE}"


_HALF_LINES = 1000


def _mark(folder: str) -> "str | None":
    try:
        handle = os.open(f"{folder}/{MARK}", _READ)
    except OSError:
        return None
    try:
        word = os.read(handle, 2 * _MARK_CHARS).decode("ascii", "replace").strip()
    except OSError:
        return None
    finally:
        os.close(handle)
    return word if len(word) == _MARK_CHARS and word.isalnum() else None


def _new_mark(folder: str) -> str:
    mark = hexlify(os.urandom(_MARK_CHARS // 2)).decode()
    draft = f"{folder}/{MARK}.{mark[:8]}.new"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, mark.encode())
    finally:
        os.close(handle)
    os.replace(draft, f"{folder}/{MARK}")
    return mark


def _lines(env: "dict[str, str]") -> "list[bytes]":
    try:
        handle = os.open(file(env), _READ)
    except OSError:
        return []
    try:
        size = os.fstat(handle).st_size
        content = os.pread(handle, TRUSTED_BYTES_MAX, max(0, size - TRUSTED_BYTES_MAX))
    except OSError:
        return []
    finally:
        os.close(handle)
    return [line for line in content.split(b"\n") if line]


def _turn(env: "dict[str, str]") -> int:
    """Wait until nobody else writes the list; what is returned is closed to let the next one."""
    from fcntl import LOCK_EX, flock

    path = file(env)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(f"{path}.lock", flags, 0o600)
    try:
        flock(handle, LOCK_EX)
    except OSError:  # a file system without locks: then two at once may lose a line
        return handle
    return handle


def _append(env: "dict[str, str]", line: bytes) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(file(env), flags, 0o600)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line  # somebody was torn away: their line ends here
        if os.write(handle, line) != len(line):
            raise OSError(28, "there is no room for it", file(env))
        return size + len(line)
    finally:
        os.close(handle)


def _write(env: "dict[str, str]", lines: "list[bytes]") -> None:
    path = file(env)
    draft = f"{path}.{os.getpid()}.new"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, b"".join(line + b"\n" for line in lines))
    finally:
        os.close(handle)
    os.replace(draft, path)


def _inode(folder: str) -> "bytes | None":
    try:
        found = os.lstat(folder)
    except OSError:
        return None
    return b"%d:%d" % (found.st_dev, found.st_ino)


def _spelled(folder: str) -> bytes:
    path = os.fsencode(os.path.realpath(folder))
    return b"-" if b"\n" in path else path  # such a folder is known by its inode alone


def _is_of(line: bytes, inode: "bytes | None", path: bytes) -> bool:
    _, _, rest = line.partition(b" ")
    known, _, place = rest.partition(b" ")
    return known == inode or (place == path and path != b"-")


def _is_there(line: bytes) -> bool:
    return os.path.isdir(line.split(b" ", 2)[-1])
