"""Whether anything is to be recorded: a pause of the project or of a session, and private mode.

The pause is a file in `.holdfast`, `paused`, a line for each: `all`, or `session NAME`. What comes
meanwhile is counted, a byte each, and nothing of it is kept. Every hook process asks here first, so
this module loads next to nothing.
"""

import os
import stat
from binascii import hexlify

PAUSED = "paused"
ALL = "all"
PRIVATE = "HOLDFAST_PRIVATE"

PAUSED_BYTES_MAX = 64 * 1024
FOLDER = "intake"
_COUNTED = "unrecorded-"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # no hook waits for a pipe


def is_private(env: "dict[str, str] | os._Environ[str]") -> bool:
    """Tell whether the one who started this wants nothing recorded at all."""
    return env.get(PRIVATE, "") not in ("", "0")


def paused_by(folder: str, session: "str | None", *, unread: bool = False) -> "str | None":
    """Return what is paused that an event belongs to: `all`, or `session NAME`; else None.

    A file that cannot be read counts as a pause of all, and an event that cannot be read, so that
    nobody can tell whose it is, as one of any session that is paused: better a gap that is told
    than words that somebody did not want to be kept.
    """
    try:
        found = pauses(folder)
    except OSError:
        return ALL
    if ALL in found:
        return ALL
    if unread:
        return found[0] if found else None
    mine = f"session {session}"
    return mine if session and mine in found else None


def pauses(folder: str) -> "list[str]":
    """Return everything that is paused; raises OSError when that cannot be told."""
    try:
        handle = os.open(f"{folder}/{PAUSED}", _READ)
    except FileNotFoundError:
        return []
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(22, "it is no plain file", f"{folder}/{PAUSED}")
        content = os.read(handle, PAUSED_BYTES_MAX)
    finally:
        os.close(handle)
    return [line for line in content.decode("utf-8", "replace").split("\n") if line]


def count(folder: str, paused: str) -> None:
    """Count an event that is not recorded; fails silently, and the count is then too low."""
    if os.path.islink(f"{folder}/{FOLDER}"):  # noqa: PTH114
        return
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(_counted(folder, paused), flags, 0o600)
        try:
            os.write(handle, b".")
        finally:
            os.close(handle)
    except OSError:
        return


def counted(folder: str, paused: str) -> int:
    """Return how many events were counted since a pause began."""
    try:
        return os.lstat(_counted(folder, paused)).st_size
    except OSError:
        return 0


def forget(folder: str, paused: str) -> None:
    """Begin to count anew."""
    try:
        os.unlink(_counted(folder, paused))  # noqa: PTH108 - pathlib costs 8 ms
    except FileNotFoundError:
        return


def _counted(folder: str, paused: str) -> str:
    name = hexlify(paused.encode("utf-8", "surrogatepass"))[-120:].decode()
    return f"{folder}/{FOLDER}/{_COUNTED}{name}"


def notice(agent: str, event: str, words: str) -> str:
    """Return what a hook prints at the beginning of a session, so that the person sees it."""
    if event != "SessionStart" or agent not in ("claude-code", "codex", "gemini"):
        return ""
    spelled = words.replace("\\", "").replace('"', "'")
    return f'{{"systemMessage":"{spelled}"}}'


PRIVATE_SAID = f"holdfast records nothing: {PRIVATE} is set."
PAUSED_SAID = "holdfast records nothing: recording is paused. `holdfast pause --off` goes on."


PRIVATE_FOLDER = "private"
_BEGINS = ("SessionStart", "sessionStart", "session.created")
_ENDS = ("SessionEnd", "sessionEnd", "session.deleted")


def note_private(folder: str, session: str, event: str, at_us: int) -> None:
    """Keep when a session was private, so that its transcript is not taken in later.

    A file for each session, `+` and `-` with the time; of what was said and done, nothing.
    """
    if not session:
        return
    path = _private(folder, session)
    try:
        os.mkdir(f"{folder}/{PRIVATE_FOLDER}", 0o700)  # noqa: PTH102
    except FileExistsError:
        if os.path.islink(f"{folder}/{PRIVATE_FOLDER}"):  # noqa: PTH114
            return
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(path, flags, 0o600)
    try:
        size = os.fstat(handle).st_size
        mark = os.pread(handle, 1, max(0, size - _MARK_BYTES)) if size else b"-"
        if event in _ENDS:
            os.write(handle, b"-%016d\n" % at_us)
        elif event in _BEGINS or mark != b"+":
            os.write(handle, b"+%016d\n" % at_us)
        os.utime(handle)  # when it was last heard of, for one that ends without a word
    finally:
        os.close(handle)


def private_since(folder: str, session: str) -> "list[tuple[int, int | None]]":
    """Return when a session was private: from, and until when, None where that was not told."""
    return _times(_private(folder, session))


def _times(path: str) -> "list[tuple[int, int | None]]":
    try:
        handle = os.open(path, _READ)
    except OSError:
        return []
    try:
        content = os.read(handle, PAUSED_BYTES_MAX)
    finally:
        os.close(handle)
    found: list[tuple[int, int | None]] = []
    for line in content.decode("ascii", "replace").split("\n"):
        mark, digits = line[:1], line[1:]
        if not digits.isdecimal():
            continue
        if mark == "+" and not (found and found[-1][1] is None):
            found.append((int(digits), None))
        elif mark == "-" and found and found[-1][1] is None:
            found[-1] = (found[-1][0], int(digits))
    return found


def private_spans(folder: str, tail_s: int) -> "list[tuple[int, int]]":
    """Return when sessions were private, in microseconds; one that told no end ends some time after
    it was last heard of."""
    try:
        names = os.listdir(f"{folder}/{PRIVATE_FOLDER}")  # noqa: PTH208 - pathlib costs 8 ms
    except OSError:
        return []
    found = []
    for name in names:
        path = f"{folder}/{PRIVATE_FOLDER}/{name}"
        try:
            heard_us = os.lstat(path).st_mtime_ns // 1000
        except OSError:
            continue
        for start, stop in _times(path):
            found.append((start, heard_us + tail_s * 1_000_000 if stop is None else stop))
    return found


_MARK_BYTES = 18


def _private(folder: str, session: str) -> str:
    name = hexlify(session.encode("utf-8", "surrogatepass"))[-120:].decode()
    return f"{folder}/{PRIVATE_FOLDER}/{name}"
