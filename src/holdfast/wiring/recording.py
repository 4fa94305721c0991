"""What a StateManager records: one method for each thing that happens in a session."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.decisions import Asked
from holdfast.ledger.ledger import Ledger, Receipt
from holdfast.wiring.deciding import Evidence, Outcome, problems_of
from holdfast.wiring.file_changes import FileChanges, Given
from holdfast.wiring.own_types import check_recordable
from holdfast.wiring.tool_calls import Paths, Recording, ToolCall, error_data, wrap

P = ParamSpec("P")
R = TypeVar("R")


class Recorder(ABC):
    """Records what happens in the current session. Everything is durable when a method returns."""

    @property
    @abstractmethod
    def ledger(self) -> Ledger:
        """The ledger itself."""

    @property
    @abstractmethod
    def session_id(self) -> str | None:
        """The session that entries belong to, None outside any."""

    @property
    @abstractmethod
    def files(self) -> FileChanges:
        """What looks at the project's files."""

    @abstractmethod
    def after_call(self) -> None:
        """Do what is due after a tool call."""

    def append_entry(self, type: str, data: Mapping[str, Any], *, id: str | None = None) -> Receipt:
        """Record an entry; the same id is recorded once.

        Types that say holdfast itself looked at something are refused: the method or command that
        does so writes them.
        """
        check_recordable(type, id)
        return self.ledger.append(type, data, session_id=self.session_id, id=id)

    def log_decision(
        self,
        question: str,
        choice: str,
        reasoning: str,
        alternatives: Iterable[str] = (),
        confidence: float | None = None,
        *,
        supersedes: str | int | Iterable[str | int] = (),
        cites: str | int | Iterable[str | int] = (),
        subject: str | None = None,
        evidence: str | Iterable[str] = (),
        assumption: bool = False,
        task: str | None = None,
        scenarios: str | Iterable[str] = (),
        id: str | None = None,
    ) -> Receipt:
        """Record a choice and why. `supersedes` names decisions, by id or number, that it ends.

        `evidence` are citations, `scenarios` read `type: name: expected`. What it contradicts, or
        what does not prove it, is recorded as open and warned of; `decide` returns it.
        """
        outcome = self.decide(
            choice,
            because=reasoning,
            question=question,
            alternatives=alternatives,
            confidence=confidence,
            supersedes=supersedes,
            cites=cites,
            about=subject,
            evidence=evidence,
            assumption=assumption,
            task=task,
            scenarios=scenarios,
            id=id,
        )
        for problem in problems_of(outcome):
            warnings.warn(problem, RuntimeWarning, stacklevel=2)
        return outcome.decided.receipt

    def decide(
        self,
        what: str,
        *,
        because: str,
        question: str | None = None,
        alternatives: Iterable[str] = (),
        confidence: float | None = None,
        supersedes: str | int | Iterable[str | int] = (),
        cites: str | int | Iterable[str | int] = (),
        about: str | None = None,
        evidence: str | Iterable[str] = (),
        assumption: bool = False,
        task: str | None = None,
        scenarios: str | Iterable[str] = (),
        id: str | None = None,
    ) -> Outcome:
        """Record a decision as `holdfast decide` does, and return how it stands.

        That is what was decided before on its subject, whether its evidence proves it, and which
        forks it opened. Without a question it is the title of the current task.
        """
        asked = Asked(
            what,
            because,
            question if question is not None else self.question(task) or about or what,
            tuple(alternatives),
            confidence,
            about,
            self._numbers(supersedes, only="decision"),
            self._numbers(cites),
        )
        given = Evidence(
            citations=_each(evidence),
            assumption=assumption,
            task=task,
            scenarios=_each(scenarios),
        )
        return self.record_decision(asked, given, id)

    @abstractmethod
    def question(self, task: str | None) -> str | None:
        """Return the title of a task, else of what the session works on."""

    @abstractmethod
    def record_decision(self, asked: Asked, evidence: Evidence, id: str | None) -> Outcome:
        """Record a decision with everything that belongs to it."""

    def log_file_change(self, file: Given) -> Receipt:
        """Record that a file changed, given its path, or the fields in a mapping or an object.

        What is not told is found out: whether it came, changed or went, sizes, hashes, lines, and
        what differs from how the file was last recorded. Its content is not recorded.
        """
        return self.append_entry("file_change", self.files.describe(file))

    def log_error(
        self,
        error_type: str | BaseException,
        message: str | None = None,
        context: str | None = None,
        resolution: str | None = None,
        prevention: str | None = None,
    ) -> Receipt:
        """Record something that went wrong, in words or as an exception."""
        if isinstance(error_type, BaseException):
            data = error_data(error_type, context)
            data |= _given({"message": message})
        else:
            data = {"error_type": error_type, "message": message or "", "context": context}
        known = {"resolution": resolution, "prevention": prevention}
        return self.append_entry("error", data | known)

    def log_metric(
        self,
        name: str,
        value: float,
        threshold: float,
        passed: bool | None = None,
        components: Mapping[str, Any] | None = None,
    ) -> Receipt:
        """Record a measured number; it passed when it is at least the threshold, unless told."""
        data = {
            "name": name,
            "value": value,
            "threshold": threshold,
            "passed": value >= threshold if passed is None else passed,
            "components": dict(components or {}),
        }
        return self.append_entry("metric", data)

    def log_command(
        self,
        command: str,
        exit_code: int | None,
        output: str | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
    ) -> Receipt:
        """Record a command that somebody ran, and how it ended."""
        more = {"output": output, "cwd": None if cwd is None else os.fspath(cwd)}
        data = {"command": command, "exit_code": exit_code}
        return self.append_entry("command_ran", data | _given(more))

    def log_prompt(self, text: str) -> Receipt:
        """Record what the user asked for."""
        return self.append_entry("prompt_given", {"text": text})

    def log_words(self, text: str) -> Receipt:
        """Record what the agent said."""
        return self.append_entry("agent_said", {"text": text})

    def log_tool_call(
        self,
        tool: str,
        *,
        ok: bool | None = None,
        params: Any = None,
        detail: str | None = None,
        duration_ms: int | None = None,
    ) -> Receipt:
        """Record a tool call that is over. Every fifth one makes a checkpoint."""
        more = {"params": params, "detail": detail, "duration_ms": duration_ms}
        receipt = self.append_entry("tool_called", {"tool": tool, "ok": ok} | _given(more))
        self.after_call()
        return receipt

    def tool_call(self, tool: str, params: Any = None, files: Sequence[str] = ()) -> ToolCall:
        """Return a context in which a tool is used; files and folders are watched meanwhile."""
        recording = Recording(self.ledger, self.files, lambda: self.session_id, self.after_call)
        return ToolCall(recording, tool, params, files)

    def logged_tool(
        self, tool: str, files: Paths = ()
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Make a decorator that records each call of a tool, what it raised and what it changed."""

        def decorate(function: Callable[P, R]) -> Callable[P, R]:
            return wrap(function, lambda params, paths: self.tool_call(tool, params, paths), files)

        return decorate

    def logged_tool_call(
        self, execute_tool: Callable[[str, Any], R], files: Sequence[str] = ()
    ) -> Callable[[str, Any], R]:
        """Wrap the one function that runs all tools: `execute_tool(tool_name, params)`."""

        def logged_tool_call(tool_name: str, params: Any) -> R:
            with self.tool_call(tool_name, params, files) as call:
                result = execute_tool(tool_name, params)
                call.take(result)
            return result

        return logged_tool_call

    def _numbers(
        self, keys: str | int | Iterable[str | int], *, only: str | None = None
    ) -> tuple[str, ...]:
        """Return the numbers of entries that are there, by id or number."""
        wanted = [keys] if isinstance(keys, (str, int)) else keys
        found = [entries.read(self.ledger.get(key).body) for key in wanted]
        for entry in found:
            if only is not None and entry.type != only:
                raise InvalidInput(
                    f"Entry {entry.seq} is a {entry.type}, not a {only}.",
                    meaning="Nothing was recorded.",
                    remedy=f"Name a {only}.",
                )
        return tuple(str(entry.seq) for entry in found)


def _each(texts: str | Iterable[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not given. Zero is given."""
    return {name: value for name, value in fields.items() if value is not None}
