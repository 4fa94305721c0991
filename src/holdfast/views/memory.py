"""What the newest entries of one session tell: decisions, files, commands, errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import ITEM_CHARS_MAX
from holdfast.views.wording import cut_middle, one_line


class Memory:
    """Taken entry by entry, oldest first; each list is in that order."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.decisions: list[dict[str, Any]] = []
        self.files: dict[str, dict[str, Any]] = {}
        self.commands: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []
        self._calls: deque[int] = deque()

    def take(self, entry: Entry, data: Mapping[str, Any]) -> None:
        """Take one entry in."""
        self.first = entry.seq if self.first is None else self.first
        self.last = entry.seq
        match entry.type:
            case "decision":
                self.decisions.append(
                    {"seq": entry.seq, "id": entry.id, "choice": _short(data["choice"])}
                )
            case "file_change":
                path = _short(data["path"])
                self.files.pop(path, None)
                self.files[path] = {"seq": entry.seq, "path": path, "action": data["action"]}
            case "command_ran":
                line = {"command": _short(data["command"]), "exit_code": data["exit_code"]}
                self.commands.append({"seq": entry.seq, **line})
            case "error":
                told = f"{one_line(data['error_type'])}: {one_line(data['message'])}"
                self.errors.append({"seq": entry.seq, "error": _short(told)})
            case "tool_called":
                self._calls.append(entry.seq)
            case "checkpoint":
                self._forget_calls(entry.seq, data.get("through"))
            case _:
                pass  # not repeated here

    def _forget_calls(self, checkpoint: int, through: object) -> None:
        upto = through if isinstance(through, int) else checkpoint
        while self._calls and self._calls[0] <= upto:
            self._calls.popleft()

    def calls_since(self) -> int:
        """Return how many tool calls no checkpoint has taken in."""
        return len(self._calls)


def _short(value: object) -> str:
    return cut_middle(one_line(value), ITEM_CHARS_MAX)
