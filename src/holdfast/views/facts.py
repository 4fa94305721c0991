"""Facts: what entries say about where the work stands. Gathered, never guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import FACT_LINE_CHARS_MAX
from holdfast.views.wording import Resolve, cut_middle, one_line, stored


class Command(msgspec.Struct, frozen=True):
    """A command that ran, word for word; its code is null when that is not known."""

    command: str
    exit_code: int | None
    seq: int | None = None

    @property
    def failed(self) -> bool:
        """Whether it is known to have failed."""
        return self.exit_code not in (None, 0)


class Facts(msgspec.Struct, frozen=True):
    """What the entries since the last checkpoint of a session say, that checkpoint included.

    Lists of files, commands and open work are newest first.
    """

    session_id: str | None = None
    first: int | None = None
    last: int | None = None
    entries: int = 0
    """Entries since the checkpoint that were looked at, and the first and last of them."""
    unseen: bool = False
    """There are older ones since the checkpoint that nobody looked at."""
    before: Mapping[str, Any] | None = None
    """The data of the last checkpoint."""
    prompt: str | None = None
    said: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    """Path and last action of each file that changed."""
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    failing: Command | None = None
    """The last command that failed."""
    passed_since: bool = False
    """The very command that failed last went well later."""
    tests: str | None = None
    """The summary line of the last test run."""
    errors: int = 0
    error: str | None = None
    decisions: tuple[tuple[str, str], ...] = ()
    """Id and choice of each decision that still holds, newest first."""
    decided: int = 0
    tool_calls: int = 0
    tool: str | None = None
    open_work: tuple[str, ...] = ()


def gather(
    entries: Iterable[Entry],
    *,
    resolve: Resolve = stored,
    open_work: Iterable[str] | None = None,
    superseded: Callable[[str], bool] = lambda _: False,
    before: Mapping[str, Any] | None = None,
    unseen: bool = False,
) -> Facts:
    """Gather facts from a session's entries, oldest first.

    Whatever stands before the last checkpoint among them is left out; `before` is the data of a
    checkpoint that is not among them. `open_work` are the titles of work that is open now, newest
    first; by default it is read off the entries. `superseded` tells of a decision's id whether it
    no longer holds.
    """
    gathering = _Gathering(before)
    for entry in entries:
        gathering.take(entry, resolve(entry))
    return gathering.facts(open_work, superseded, unseen)


class _Gathering:
    def __init__(self, before: Mapping[str, Any] | None) -> None:
        self.session_id: str | None = None
        self.last: int | None = None
        self.work: dict[str, str] = {}
        self._begin(before)

    def _begin(self, checkpoint: Mapping[str, Any] | None) -> None:
        """Forget what an earlier checkpoint already tells; open work stays open."""
        self.before = checkpoint
        self.first: int | None = None
        self.entries = self.errors = self.decided = self.tool_calls = 0
        self.prompt: str | None = None
        self.said: str | None = None
        self.error: str | None = None
        self.tests: str | None = None
        self.tool: str | None = None
        self.files: dict[str, tuple[str, str]] = {}
        self.commands: list[Command] = []
        self.decisions: dict[str, str] = {}

    def take(self, entry: Entry, data: Mapping[str, Any]) -> None:
        if entry.type == "context_given":
            return  # all of it is from the ledger, and none of it is work
        self.session_id, self.last = entry.session_id, entry.seq
        if entry.type == "checkpoint":
            self._begin(data)
            return
        self.entries += 1
        self.first = entry.seq if self.first is None else self.first
        match entry.type:
            case "file_change":
                self._take_file(one_line(data["path"]), data["action"])
            case "command_ran":
                self._take_command(entry.seq, data)
            case "decision":
                self._take_decision(entry.id, data)
            case "work_opened":
                self.work[data["work"]] = one_line(data["title"])
            case "work_closed":
                self.work.pop(data["work"], None)
            case _:
                self._take_words(entry.type, data)

    def _take_words(self, type_name: str, data: Mapping[str, Any]) -> None:
        match type_name:
            case "prompt_given":
                self.prompt = one_line(data["text"])
            case "agent_said":
                self.said = one_line(data["text"])
            case "error":
                self.errors += 1
                self.error = f"{one_line(data['error_type'])}: {one_line(data['message'])}"
            case "tool_called":
                self.tool_calls += 1
                detail = data.get("detail") or data.get("params")
                self.tool = f"{one_line(data['tool'])} {one_line(detail)}".rstrip()
            case _:
                pass  # counted; it says nothing about where the work stands

    def _take_file(self, path: str, action: str) -> None:
        born = self.files.pop(path, ("", action))[1]
        self.files[path] = (action, born)

    def _take_command(self, seq: int, data: Mapping[str, Any]) -> None:
        said = data["command"]
        line = said.strip() if isinstance(said, str) else one_line(said)
        self.commands.append(Command(line, data["exit_code"], seq))
        if found := results_of(data.get("output")):
            self.tests = found

    def _take_decision(self, decision_id: str, data: Mapping[str, Any]) -> None:
        self.decided += 1
        supersedes = data.get("supersedes")
        for gone in supersedes if isinstance(supersedes, list) else ():
            self.decisions.pop(gone, None)
        self.decisions[decision_id] = one_line(data["choice"])

    def facts(
        self, open_work: Iterable[str] | None, superseded: Callable[[str], bool], unseen: bool
    ) -> Facts:
        open_work = list(self.work.values())[::-1] if open_work is None else open_work
        failing, passed_since = _last_failing(_commands_of(self.before) + self.commands)
        alive = [(key, text) for key, text in self.decisions.items() if not superseded(key)]
        files = list(self.files.items())[::-1]
        return Facts(
            session_id=self.session_id,
            first=self.first,
            last=self.last,
            entries=self.entries,
            unseen=unseen,
            before=self.before,
            prompt=self.prompt,
            said=self.said,
            files=tuple((path, action) for path, (action, _) in files),
            created=_paths(files, born_here=True),
            modified=_paths(files, born_here=False),
            commands=tuple(self.commands[::-1]),
            failing=failing,
            passed_since=passed_since,
            tests=self.tests,
            errors=self.errors,
            error=self.error,
            decisions=tuple(alive[::-1]),
            decided=self.decided,
            tool_calls=self.tool_calls,
            tool=self.tool,
            open_work=tuple(one_line(title) for title in open_work),
        )


def _paths(files: list[tuple[str, tuple[str, str]]], *, born_here: bool) -> tuple[str, ...]:
    """Name the files that were created, or those changed otherwise, deleted ones too."""
    return tuple(
        path
        for path, (action, born) in files
        if (born == "create" and action != "delete") is born_here
    )


def _commands_of(checkpoint: Mapping[str, Any] | None) -> list[Command]:
    """Read back the commands that an earlier checkpoint repeats, oldest first."""
    kept = checkpoint.get("commands") if checkpoint else None
    found = []
    for one in kept if isinstance(kept, list) else ():
        match one:
            case {"command": str(line), "exit_code": int() | None as code}:
                found.append(Command(line, code))
            case _:
                pass  # another program's field of the same name
    return found[::-1]


def _last_failing(commands: list[Command]) -> tuple[Command | None, bool]:
    """Find the last command that failed, and whether the same one went well later."""
    passed = set()
    for one in reversed(commands):
        if one.failed:
            return one, cut_middle(one.command, FACT_LINE_CHARS_MAX) in passed
        if one.exit_code == 0:
            passed.add(cut_middle(one.command, FACT_LINE_CHARS_MAX))
    return None, False


def results_of(output: object) -> str | None:
    """Find the line in which a test run sums itself up, in the last lines of its output."""
    if not isinstance(output, str):
        return None
    for line in reversed(output[-_OUTPUT_CHARS:].splitlines()):
        if _RESULTS.search(line):
            return one_line(_DURATION.sub("", line).strip("=- \t"))
    return None


_OUTPUT_CHARS: Final = 20_000
_DURATION: Final = re.compile(r" in [0-9.]+ ?m?s\b.*")
_RESULTS: Final = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|failed|passing|failing)\b|^(?:FAILED|OK) \(|^Ran \d+ tests? in ",
)
