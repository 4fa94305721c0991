"""The wrapper around tool calls: what was called, how it went, which files are other than before.

The tool itself is the caller's; nothing here runs anything. Commands are recorded the moment they
are told, the call and its file changes together at its end.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast

import msgspec

from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import PARAM_CHARS_MAX, PARAM_DEPTH_MAX, UNLOOKED_NAMED_MAX
from holdfast.ledger.ledger import Draft, Ledger, Receipt
from holdfast.wiring.file_changes import FileChanges, Given, state_of
from holdfast.wiring.watching import Sights

P = ParamSpec("P")
R = TypeVar("R")

Paths: TypeAlias = Sequence[str] | Callable[..., Sequence[str]]
"""Files and folders to watch, or what names them from the tool's arguments."""

_NOTHING: Final = Sights({}, {})


class Recording(msgspec.Struct, frozen=True):
    """What a call needs to be recorded."""

    ledger: Ledger
    files: FileChanges
    session: Callable[[], str | None]
    after_call: Callable[[], None]


class ToolCall:
    """One use of a tool, while it goes on."""

    def __init__(
        self, recording: Recording, tool: str, params: Any = None, files: Sequence[str] = ()
    ) -> None:
        self.tool = tool
        self.ok: bool | None = True
        """How it went; set it to False for a failure that raises nothing, None when not known."""
        self.detail: str | None = None
        self.unlooked: dict[str, str] = {}
        """Paths that were not looked at, and why; complete when the call is over."""
        self._recording = recording
        self._params = params
        self._paths = list(files)
        self._told: list[Given] = []
        self._before = _NOTHING
        self._started_s = 0.0

    def __enter__(self) -> ToolCall:
        self._before = self._recording.files.root.look_all(self._paths)
        self._started_s = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._finish(error)
        except HoldfastError as problem:
            if error is None:
                raise
            # What the tool raised goes on; that it could not be recorded goes with it.
            error.add_note(f"holdfast could not record this call: {problem}")

    def command(
        self,
        command: str,
        exit_code: int | None,
        output: str | None = None,
        *,
        cwd: str | None = None,
        duration_ms: int | None = None,
    ) -> Receipt:
        """Record a command that the tool ran; it is durable when this returns."""
        told = {"output": output, "cwd": cwd, "duration_ms": duration_ms}
        data = {"command": command, "exit_code": exit_code}
        data |= {name: value for name, value in told.items() if value is not None}
        return self._recording.ledger.append(
            "command_ran", data, session_id=self._recording.session()
        )

    def changed(self, *files: Given) -> None:
        """Name files that the tool changed; watched ones need not be named."""
        self._told.extend(files)

    def take(self, result: Any) -> None:
        """Take from a result what it says about itself: `files_changed`."""
        changed = _part(result, "files_changed")
        if isinstance(changed, Iterable) and not isinstance(changed, (str, bytes, Mapping)):
            self._told.extend(changed)

    def _finish(self, error: BaseException | None) -> None:
        duration_ms = int((time.monotonic() - self._started_s) * 1000)
        ledger, session = self._recording.ledger, self._recording.session()
        call_id = ledger.new_id()
        changes = [one | {"call": call_id} for one in self._changes()]
        drafts = [Draft("file_change", one, session) for one in changes]
        if error is not None:
            drafts.append(Draft("error", error_data(error, f"tool {self.tool}"), session))
        # The call comes last: the checkpoint that it makes due holds what came before it.
        drafts.append(Draft("tool_called", self._call(error, duration_ms), session, id=call_id))
        ledger.append_many(drafts)
        self._recording.after_call()

    def _call(self, error: BaseException | None, duration_ms: int) -> dict[str, Any]:
        if error is not None:
            self.ok = False
            self.detail = self.detail or f"{type(error).__name__}: {error}"
        call: dict[str, Any] = {"tool": self.tool, "ok": self.ok, "duration_ms": duration_ms}
        if self._params is not None:
            call["params"] = self._params
        if self.detail is not None:
            call["detail"] = self.detail
        if self.unlooked:
            named = sorted(self.unlooked.items())[:UNLOOKED_NAMED_MAX]
            call["not_looked_at"] = dict(named)
            call["not_looked_at_more"] = len(self.unlooked) - len(named)
        return call

    def _changes(self) -> list[dict[str, Any]]:
        """Return what is other than before among the watched files, then what was told."""
        files = self._recording.files
        before, after = self._before.files, files.root.look_all(self._paths)
        self.unlooked = self._before.unlooked | after.unlooked
        found = {
            path: files.between(path, state_of(before.get(path)), after.files.get(path))
            for path in sorted(before.keys() | after.files.keys())
            if path not in self.unlooked and before.get(path) != after.files.get(path)
        }
        for given in self._told:
            try:
                told = files.describe(given)
            except InvalidInput as refusal:
                self.unlooked[refusal.what] = refusal.meaning  # the call is recorded all the same
            else:
                found.setdefault(told["path"], told)
        return list(found.values())


def error_data(error: BaseException, context: str | None) -> dict[str, Any]:
    """Return the fields of an error entry for an exception."""
    return {
        "error_type": type(error).__name__,
        "message": str(error),
        "context": context,
        "resolution": None,
        "prevention": None,
    }


def wrap(
    function: Callable[P, R],
    begin: Callable[[Any, Sequence[str]], ToolCall],
    files: Paths = (),
) -> Callable[P, R]:
    """Return a function that does the same and records each call."""
    signature = inspect.signature(function)

    def start(*args: Any, **kwargs: Any) -> ToolCall:
        paths = files(*args, **kwargs) if callable(files) else files
        return begin(arguments_of(signature, args, kwargs), paths)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def logged_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            with start(*args, **kwargs) as call:
                result = await function(*args, **kwargs)
                call.take(result)
            return result

        return cast("Callable[P, R]", logged_async)

    @functools.wraps(function)
    def logged(*args: P.args, **kwargs: P.kwargs) -> R:
        with start(*args, **kwargs) as call:
            result = function(*args, **kwargs)
            call.take(result)
        return result

    return logged


def arguments_of(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the arguments by name; None when they do not fit, which the call itself will say."""
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    return {name: plain(value) for name, value in bound.items() if name not in ("self", "cls")}


def plain(value: Any, depth: int = PARAM_DEPTH_MAX) -> Any:
    """Spell an argument for an entry. Long text is cut: it may be the content of a file."""
    match value:
        case None | bool() | int() | float():
            return value
        case str() if len(value) > PARAM_CHARS_MAX:
            said = f"[the first {PARAM_CHARS_MAX} of {len(value)} characters]"
            return f"{value[:PARAM_CHARS_MAX]} {said}"
        case str():
            return value
        case Mapping() if depth:
            return {str(key): plain(part, depth - 1) for key, part in value.items()}
        case list() | tuple() if depth:
            return [plain(part, depth - 1) for part in value]
        case _:
            return f"<{type(value).__name__}>"


def _part(result: Any, name: str) -> Any:
    return result.get(name) if isinstance(result, Mapping) else getattr(result, name, None)
