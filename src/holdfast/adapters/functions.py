"""A decorator that records the calls of any function: plain, async, or a generator of either kind.

    from holdfast.adapters import recorded

    @recorded
    def search(query: str) -> list[str]: ...

    @recorded(name="crawl", path="my-project", files=["pages"])
    async def crawl(url: str): ...

A call becomes an entry `tool_called` when it is over, with its arguments, how it went and how long
it took; of a generator, when it is exhausted, closed or fails. Watched files that are other than
before become entries `file_change`, what was raised an `error`. Results are not recorded.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, ParamSpec, TypeVar, cast, overload

from holdfast.wiring.state_manager import StateManager
from holdfast.wiring.tool_calls import Paths, ToolCall, arguments_of, wrap

P = ParamSpec("P")
R = TypeVar("R")


@overload
def recorded(function: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def recorded(
    *,
    name: str | None = None,
    path: str | os.PathLike[str] | None = None,
    manager: StateManager | None = None,
    files: Paths = (),
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def recorded(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    path: str | os.PathLike[str] | None = None,
    manager: StateManager | None = None,
    files: Paths = (),
) -> Callable[P, R] | Callable[[Callable[P, R]], Callable[P, R]]:
    """Record each call of a function, in the ledger of a project or of a StateManager.

    Without either it is the current folder's project, when the function is first called. `files`
    are watched meanwhile: paths, or what names them from the arguments.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        called = name or function.__qualname__
        opened = _Manager(path, manager)

        def begin(params: Any, paths: Any) -> ToolCall:
            return opened.get().tool_call(called, params, paths)

        if inspect.isasyncgenfunction(function):
            return cast("Callable[P, R]", _wrap_async_generator(function, begin, files))
        if inspect.isgeneratorfunction(function):
            return cast("Callable[P, R]", _wrap_generator(function, begin, files))
        return wrap(function, begin, files)

    return decorate if function is None else decorate(function)


class _Manager:
    """The StateManager of a decorated function, opened when it is needed, once per process."""

    def __init__(self, path: str | os.PathLike[str] | None, manager: StateManager | None) -> None:
        self._path = path
        self._given = manager
        self._own: StateManager | None = None
        self._pid = 0

    def get(self) -> StateManager:
        """Return it; after a fork a new one."""
        if self._given is not None:
            return self._given
        if self._own is None or self._pid != os.getpid():
            self._own, self._pid = StateManager(self._path), os.getpid()
        return self._own


def _wrap_generator(
    function: Callable[..., Any], begin: Callable[[Any, Any], ToolCall], files: Paths
) -> Callable[..., Generator[Any, Any, Any]]:
    start = _starter(function, begin, files)

    @functools.wraps(function)
    def logged(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with _closable(start(*args, **kwargs)) as call:
            result = yield from function(*args, **kwargs)
            call.take(result)
        return result

    return logged


def _wrap_async_generator(
    function: Callable[..., Any], begin: Callable[[Any, Any], ToolCall], files: Paths
) -> Callable[..., AsyncGenerator[Any, Any]]:
    start = _starter(function, begin, files)

    @functools.wraps(function)
    async def logged(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        with _closable(start(*args, **kwargs)):
            inner = function(*args, **kwargs)
            step = inner.asend(None)
            while True:
                try:
                    item = await step
                except StopAsyncIteration:
                    return
                try:
                    step = inner.asend((yield item))
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as error:
                    step = inner.athrow(error)

    return logged


def _starter(
    function: Callable[..., Any], begin: Callable[[Any, Any], ToolCall], files: Paths
) -> Callable[..., ToolCall]:
    signature = inspect.signature(function)

    def start(*args: Any, **kwargs: Any) -> ToolCall:
        paths = files(*args, **kwargs) if callable(files) else files
        return begin(arguments_of(signature, args, kwargs), paths)

    return start


class _closable:
    """A call that a reader may leave before its end, which is no failure of it."""

    def __init__(self, call: ToolCall) -> None:
        self._call = call

    def __enter__(self) -> ToolCall:
        return self._call.__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, GeneratorExit):
            self._call.detail = self._call.detail or "closed before its end"
            kind = error = trace = None
        self._call.__exit__(kind, error, trace)
