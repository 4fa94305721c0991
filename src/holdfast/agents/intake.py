"""What hooks were told and the ledger has not taken in yet: lines in a file, with checksums.

A line is durable before its hook process ends; whoever opens the project next records it. The
writing side is part of the shortest process there is, so this module loads next to nothing: no
typing, no json, no limits (`kernel/limits/agents.py` has the same figures, and a test compares).

A line holds no line feed but its last byte: the payload is JSON, where line feeds are blanks, and
everything else is spelled in letters. So where a line was torn, the next one still stands alone.

    hf1 CRC32 AGENT AT_US NOTE PAYLOAD-BYTES PAYLOAD [PATH-IN-HEX:CONTENT-IN-BASE64 …]

NOTE is `-`, or words that tell how it came, joined by commas (`pid=4711`, `raw`).
"""

import os
from binascii import Error, a2b_base64, b2a_base64, crc32, hexlify, unhexlify
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

TYPE_CHECKING = False  # typing itself would take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "intake"
EVENTS = "events"
TAKEN = "events.taken-"
ALONE = "events.alone-"
PROBLEMS = "problems"
TIMINGS = "timings"
RAW = "raw"
"""Note of a record whose payload is a text: the beginning of what could not be read."""

LOCK_WAIT_S = 2.0
"""How long a writer waits for another before it writes a file of its own."""

INTAKE_BYTES_MAX = 1024 * 1024
"""Waiting lines that a hook process still leaves to others; from here on it takes them in."""

PROBLEMS_BYTES_MAX = 64 * 1024
TIMINGS_BYTES_MAX = 128 * 1024
"""What is kept of problems and timings, the newer half when there is more."""

_MARK = b"hf1"
_BLANKS = bytes.maketrans(b"\n\r\t", b"   ")


class Record:
    """One thing a hook was told, as it waits."""

    __slots__ = ("agent", "at_us", "files", "note", "payload")

    def __init__(
        self,
        agent: str,
        at_us: int,
        payload: bytes,
        files: "tuple[tuple[str, bytes], ...]" = (),
        note: str = "-",
    ) -> None:
        self.agent = agent
        self.at_us = at_us
        self.payload = payload
        self.files = files
        """Files that the agent said it wrote, as they were then: path below the root, content."""
        self.note = note


def spell(record: Record) -> bytes:
    """Return a record's line."""
    payload = record.payload.translate(_BLANKS)
    head = f"{record.agent} {record.at_us} {record.note} {len(payload)} ".encode()
    parts = [head, payload]
    for path, content in record.files:
        parts += (b" ", hexlify(os.fsencode(path)), b":", b2a_base64(content, newline=False))
    body = b"".join(parts)
    return b"%s %08x %s\n" % (_MARK, crc32(body), body)


def read(line: bytes) -> "Record | None":
    """Return what a line holds, None when it is torn or altered."""
    mark, _, rest = line.rstrip(b"\n").partition(b" ")
    crc, _, body = rest.partition(b" ")
    try:
        if mark != _MARK or int(crc, 16) != crc32(body):
            return None
        agent, at_us, note, size, tail = body.split(b" ", 4)
        payload, files = tail[: int(size)], []
        for word in tail[int(size) :].split():
            path, _, content = word.partition(b":")
            files.append((os.fsdecode(unhexlify(path)), a2b_base64(content)))
        return Record(agent.decode(), int(at_us), payload, tuple(files), note.decode())
    except (ValueError, Error):
        return None


def append(folder: str, record: Record) -> int:
    """Make a record durable in a `.holdfast`; return how many bytes wait there now."""
    line, intake = spell(record), _made(folder)
    handle = _open_locked(intake)
    if handle is None:
        return _write_alone(intake, record.at_us, line)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line  # somebody was torn away: their line ends here
        try:
            _write(handle, line)
        except OSError:
            os.ftruncate(handle, size)
            raise
        flock(handle, LOCK_UN)  # others may write while this one waits for the disk
        _sync(handle)
        return size + len(line)
    finally:
        os.close(handle)


def check(folder: str) -> None:
    """Refuse an intake that is a link: what is written there would go elsewhere."""
    if os.path.islink(f"{folder}/{FOLDER}"):
        raise OSError(40, "a link stands in the place of a folder", f"{folder}/{FOLDER}")


def make(folder: str) -> None:
    """Make the intake's folder where it is not; what cannot be done is left to those who write."""
    try:
        _made(folder)
    except OSError:
        return


def size(folder: str) -> int:
    """Return how many bytes wait that nobody has set aside."""
    try:
        return os.lstat(f"{folder}/{FOLDER}/{EVENTS}").st_size
    except OSError:
        return 0


def waits(folder: str) -> bool:
    """Tell whether anything waits to be taken in."""
    try:
        names = os.listdir(f"{folder}/{FOLDER}")
    except OSError:
        return False
    return any(name == EVENTS or _is_taken(name) or name.startswith(ALONE) for name in names)


def take(folder: str) -> "list[str]":
    """Set aside what waits, so that no more comes to it; return the files, oldest first.

    Only for the one who holds `turn`.
    """
    intake = f"{folder}/{FOLDER}"
    names = sorted(os.listdir(intake))
    taken = [name for name in names if _is_taken(name)]
    handle = _open_locked(intake) if EVENTS in names else None
    if handle is not None:
        try:
            last = int(taken[-1][len(TAKEN) :]) if taken else 0
            taken.append(f"{TAKEN}{last + 1:09d}")
            os.rename(f"{intake}/{EVENTS}", f"{intake}/{taken[-1]}")
        finally:
            os.close(handle)
    alone = [name for name in names if name.startswith(ALONE)]
    return [f"{intake}/{name}" for name in taken + alone]


def _is_taken(name: str) -> bool:
    """Tell a file that was set aside from somebody else's copy of one."""
    return name.startswith(TAKEN) and name[len(TAKEN) :].isdecimal()


def lines(path: str) -> "Iterator[bytes]":
    """Yield the lines of a file that was set aside; blank ones are no lines."""
    with open(path, "rb", opener=_no_link) as file:
        for line in file:
            if line != b"\n":
                yield line


class Turn:
    """The right to take in what waits: one process at a time. False when another has it."""

    def __init__(self, folder: str, wait_s: float) -> None:
        self._path = f"{_made(folder)}/turn"
        self._wait_s = wait_s
        self._handle = -1

    def __enter__(self) -> bool:
        self._handle = os.open(self._path, _READ_WRITE, 0o600)
        return _lock(self._handle, self._wait_s)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def note_problem(folder: str, words: str, at_us: int) -> None:
    """Keep a line about something that went wrong, for `agents status` and `doctor`."""
    line = _harmless(" ".join(words.split())[:500])
    append_line(folder, PROBLEMS, f"{at_us} {line}\n", PROBLEMS_BYTES_MAX)


def note_timing(folder: str, agent: str, event: str, ms: float, way: str, at_us: int) -> None:
    """Keep how long a hook took."""
    name = _harmless("".join(event.split())[:64]) or "-"
    append_line(folder, TIMINGS, f"{agent} {name} {ms:.1f} {way} {at_us}\n", TIMINGS_BYTES_MAX)


def _harmless(words: str) -> str:
    """Return words that somebody else may have chosen, unless there could be a secret in them."""
    from holdfast.agents.looking import suspects_text

    return "withheld" if suspects_text(words) else words


def append_line(folder: str, name: str, line: str, bytes_max: int) -> None:
    """Add to a file of lines that may be lost, and keep it short; fails silently."""
    path = f"{folder}/{FOLDER}/{name}"
    try:
        check(folder)
        handle = os.open(path, _READ_WRITE | os.O_APPEND, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "backslashreplace"))
            size = os.fstat(handle).st_size
            if size > bytes_max:
                kept = os.pread(handle, bytes_max // 2, size - bytes_max // 2)
                draft = f"{path}.{os.getpid()}.new"
                with open(draft, "wb") as file:
                    file.write(kept[kept.find(b"\n") + 1 :])
                os.replace(draft, path)
        finally:
            os.close(handle)
    except OSError:
        return


def read_lines(folder: str, name: str) -> "list[str]":
    """Return the lines of a file of problems or timings, oldest first."""
    try:
        with open(f"{folder}/{FOLDER}/{name}", "rb", opener=_no_link) as file:
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


_READ_WRITE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _made(folder: str) -> str:
    """Return the intake's folder, made where it was not; a link in its place is an error."""
    intake = f"{folder}/{FOLDER}"
    try:
        os.mkdir(intake, 0o700)
    except FileExistsError:
        check(folder)
    else:
        _sync_folder(folder)
    return intake


def _lock(handle: int, wait_s: float) -> bool:
    """Hold a lock, or return False when another keeps it for too long: it may stand still."""
    from time import monotonic, sleep

    until = monotonic() + wait_s
    while True:
        try:
            flock(handle, LOCK_EX | LOCK_NB)
            return True
        except BlockingIOError:
            if monotonic() >= until:
                return False
        sleep(0.001)


def _write_alone(intake: str, at_us: int, line: bytes) -> int:
    """Make a line durable in a file of its own."""
    name = f"{at_us:020d}-{os.getpid()}"
    draft = f"{intake}/{name}.new"
    handle = os.open(draft, _READ_WRITE | os.O_EXCL, 0o600)
    try:
        _write(handle, line)
        _sync(handle)
    finally:
        os.close(handle)
    os.rename(draft, f"{intake}/{ALONE}{name}")
    _sync_folder(intake)
    return len(line)


def _open_locked(intake: str) -> "int | None":
    """Open the file of waiting lines and hold its lock; one that was just set aside is let go.

    None when another keeps it for too long.
    """
    path = f"{intake}/{EVENTS}"
    while True:
        handle = os.open(path, _READ_WRITE | os.O_APPEND, 0o600)
        try:
            if not _lock(handle, LOCK_WAIT_S):
                os.close(handle)
                return None
            there, mine = _look(path), os.fstat(handle)
            if there is not None and (there.st_ino, there.st_dev) == (mine.st_ino, mine.st_dev):
                if mine.st_size == 0:
                    _sync_folder(intake)  # a new name must outlive a power cut, too
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _look(path: str) -> "os.stat_result | None":
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _write(handle: int, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    """Force a file's bytes to the disk; on macOS plain fsync stops at the drive's cache."""
    try:
        os.fdatasync(handle)
    except AttributeError:
        from fcntl import F_FULLFSYNC, fcntl  # type: ignore[attr-defined]

        fcntl(handle, F_FULLFSYNC)
