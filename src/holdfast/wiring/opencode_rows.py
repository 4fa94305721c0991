"""opencode's database, opened to look at it only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

import holdfast.agents.transcripts as readers
from holdfast.agents.transcripts.opencode import Row, Session
from holdfast.index.queries import statements
from holdfast.kernel.errors import InvalidInput, StorageFailed

_SQL: Final = statements((Path(readers.__file__).parent / "opencode.sql").read_text("utf-8"))
_AT_ONCE: Final = 100
_WAIT_MS: Final = 5_000


class Rows:
    """The sessions, messages and parts of a database; a few are in memory at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def sessions(self) -> list[Session]:
        """Return every session, oldest first."""
        return [
            Session(
                id=str(name),
                parent=_text(parent),
                directory=_text(directory),
                title=_text(title),
                version=_text(version),
                created_ms=_number(created),
            )
            for name, parent, directory, title, version, created in self._ask("sessions")
        ]

    def messages(self, session: str) -> Iterator[Row]:
        """Yield the messages of a session, oldest first."""
        created_ms, name = -1, ""
        while found := self._messages(session, created_ms, name):
            yield from found
            created_ms, name = found[-1].created_ms, found[-1].id

    def _messages(self, session: str, created_ms: int, name: str) -> list[Row]:
        given = {"session": session, "created_ms": created_ms, "id": name, "count": _AT_ONCE}
        return [_row(*row) for row in self._ask("messages", **given)]

    def parts(self, message: str) -> list[Row]:
        """Return the parts of a message, in order."""
        return [_row(*row) for row in self._ask("parts", message=message)]

    def weight(self, session: str) -> int:
        """Return about how many bytes a session has."""
        return _number(self._ask("weight", session=session)[0][0])

    def _ask(self, name: str, **given: Any) -> list[tuple[Any, ...]]:
        try:
            return list(self._connection.execute(_SQL[name], given))
        except apsw.Error as error:
            raise StorageFailed(
                f"opencode's database cannot be read: {error}.",
                meaning="What was taken in before this is recorded.",
                remedy="Try again; what is recorded already is not recorded twice.",
            ) from error


@contextmanager
def opened(path: Path) -> Iterator[Rows]:
    """Open a database of opencode's; it is not changed."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(_WAIT_MS)
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    except apsw.Error as error:
        raise _refusal(path, str(error)) from error
    try:
        if not {"session", "message", "part"} <= tables:
            raise _refusal(path, "it has no sessions, messages and parts")
        yield Rows(connection)
    finally:
        connection.close()


def _refusal(path: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is no database of opencode's: {why}.",
        meaning="Nothing was recorded.",
        remedy="Name `opencode.db`, or the folder that holds it.",
    )


def _row(name: Any, created: Any, data: Any) -> Row:
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    return Row(id=str(name), created_ms=_number(created), data=text)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) else 0
