"""A disk that refuses: an SQLite VFS whose n-th operation fails, once or from then on."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import Final, Literal, TypeAlias, get_args

import apsw

Error: TypeAlias = Literal["io", "full", "torn"]
"""EIO; ENOSPC; EIO after half of the bytes were written."""

ERRORS: Final[tuple[Error, ...]] = get_args(Error)

Kind: TypeAlias = Literal[
    "open", "read", "write", "sync", "truncate", "delete", "size", "access", "lock"
]

_CODES: Final[dict[Kind, int]] = {
    "open": apsw.SQLITE_CANTOPEN,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "size": apsw.SQLITE_IOERR_FSTAT,
    "access": apsw.SQLITE_IOERR_ACCESS,
    "lock": apsw.SQLITE_IOERR_LOCK,
}


class Plan:
    """Which operation fails, and how; with `only`, operations of other kinds do not count.

    Without `at` nothing fails, and `kinds` shows what there is.
    """

    def __init__(
        self,
        at: int | None = None,
        error: Error = "io",
        *,
        lasting: bool = False,
        only: Kind | None = None,
        on_failed_sync: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.at = at
        self.error = error
        self.kinds: list[Kind] = []
        self.fired = 0
        self._lasting = lasting
        self._only = only
        self._on_failed_sync = on_failed_sync

    def repair(self) -> None:
        """Let nothing fail from here on."""
        self.at = None

    def step(self, kind: Kind, path: str) -> None:
        """Count an operation that is about to happen; raise when it is to fail."""
        if self.due(kind, path):
            raise self.failure(kind)

    def due(self, kind: Kind, path: str) -> bool:
        """Count an operation and tell whether it is to fail."""
        if self._only not in (None, kind):
            return False
        number = len(self.kinds)
        self.kinds.append(kind)
        if self.at is None or number < self.at or (number > self.at and not self._lasting):
            return False
        if self.error != "io" and kind != "write":
            return False
        self.fired += 1
        if kind == "sync":
            self._on_failed_sync(path)
        return True

    def failure(self, kind: Kind) -> Exception:
        """Return the error that SQLite is given."""
        if self.error == "full":
            return apsw.FullError("no room left, on purpose")
        return apsw.exception_for(_CODES[kind])


class FailingVfs(apsw.VFS):
    """Does what `base` does until the plan says otherwise."""

    def __init__(self, name: str, *, base: str = "unix") -> None:
        self.plan = Plan()
        self._base = base
        super().__init__(name, base)

    def excepthook(
        self,
        etype: type[BaseException] | None,  # noqa: ARG002
        evalue: BaseException | None,
        etraceback: TracebackType | None,  # noqa: ARG002
    ) -> bool:
        return isinstance(evalue, apsw.Error)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.plan.step("open", path or "")
        return FailingFile(self, path or "", (self._base, name, flags))

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.plan.step("delete", filename)
        super().xDelete(filename, syncdir)

    def xAccess(self, pathname: str, flags: int) -> bool:
        self.plan.step("access", pathname)
        return super().xAccess(pathname, flags)


class FailingFile(apsw.VFSFile):
    """An open file of SQLite."""

    def __init__(
        self,
        vfs: FailingVfs,
        path: str,
        opening: tuple[str, str | apsw.URIFilename | None, list[int]],
    ) -> None:
        self._vfs = vfs
        self._path = os.path.realpath(path)
        super().__init__(*opening)

    def excepthook(
        self,
        etype: type[BaseException] | None,  # noqa: ARG002
        evalue: BaseException | None,
        etraceback: TracebackType | None,  # noqa: ARG002
    ) -> bool:
        return isinstance(evalue, apsw.Error)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._vfs.plan.step("read", self._path)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._vfs.plan.due("write", self._path):
            if self._vfs.plan.error == "torn":
                super().xWrite(bytes(data)[: len(data) // 2], offset)
            raise self._vfs.plan.failure("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._vfs.plan.step("sync", self._path)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:
        self._vfs.plan.step("truncate", self._path)
        super().xTruncate(newsize)

    def xFileSize(self) -> int:
        self._vfs.plan.step("size", self._path)
        return super().xFileSize()

    def xLock(self, level: int) -> None:
        self._vfs.plan.step("lock", self._path)
        super().xLock(level)
