"""What a stretch of entries amounts to: counts, files, decisions, the last failing command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry, Prepared
from holdfast.views.wording import one_line


class Tally:
    """Entries of one session, or of all, taken in order."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.ranges: list[list[int]] = []
        self.raw_bytes = 0
        self.first_time = self.last_time = ""
        self.time_went_back = False
        self.decisions: dict[str, str] = {}
        self.superseded: set[str] = set()
        self.created: dict[str, None] = {}
        self.modified: dict[str, None] = {}
        self.decided = self.errors = self.commands = self.tool_calls = 0
        self.failing: tuple[str, str, int] | None = None
        """Id, words and exit code of the last command that failed."""
        self.checkpoint: tuple[str, Mapping[str, Any]] | None = None
        self.milestones: list[str] = []

    def take(self, entry: Entry, data: Mapping[str, Any]) -> None:
        """Count one entry."""
        self.ids.append(entry.id)
        self.raw_bytes += stored_bytes(entry)
        if self.ranges and self.ranges[-1][1] == entry.seq - 1:
            self.ranges[-1][1] = entry.seq
        else:
            self.ranges.append([entry.seq, entry.seq])
        self.time_went_back |= entry.timestamp < self.last_time
        self.first_time = self.first_time or entry.timestamp
        self.last_time = entry.timestamp
        self._take_data(entry, data)

    def _take_data(self, entry: Entry, data: Mapping[str, Any]) -> None:
        match entry.type:
            case "decision":
                self.decided += 1
                self.decisions[entry.id] = one_line(data["choice"])
                supersedes = data.get("supersedes")
                self.superseded.update(supersedes if isinstance(supersedes, list) else ())
            case "file_change":
                self._take_file(one_line(data["path"]), data["action"])
            case "error":
                self.errors += 1
            case "tool_called":
                self.tool_calls += 1
            case "command_ran":
                self.commands += 1
                if data["exit_code"]:
                    self.failing = (entry.id, one_line(data["command"]), data["exit_code"])
            case "checkpoint":
                self.checkpoint = (entry.id, data)
                progress = f"{data['completed']}/{data['total']}"
                self.milestones.append(f"{one_line(data['task'])} {progress}".strip())
            case "session_ended":
                self.milestones.append(f"{entry.session_id} ended: {one_line(data['reason'])}")
            case _:
                pass  # every other type is counted, and no more

    def _take_file(self, path: str, action: str) -> None:
        """Keep the paths in the order of their last change; a deleted one counts as modified."""
        created = path in self.created or (action == "create" and path not in self.modified)
        self.created.pop(path, None)
        self.modified.pop(path, None)
        target = self.created if created and action != "delete" else self.modified
        target[path] = None

    @property
    def files_changed(self) -> int:
        """How many files were created, modified or deleted."""
        return len(self.created) + len(self.modified)

    @property
    def current_decisions(self) -> list[tuple[str, str]]:
        """Id and choice of the decisions that nothing here supersedes, newest first."""
        found = [(key, text) for key, text in self.decisions.items() if key not in self.superseded]
        return found[::-1]


def stored_bytes(entry: Entry) -> int:
    """Return how many bytes an entry takes as stored."""
    sealed = Prepared(
        entry.id,
        entry.type,
        entry.v,
        entry.session_id,
        entry.timestamp,
        entry.actor,
        entry.span,
        bytes(entry.data),
        entry.hash,
    )
    return len(entries.encode(sealed, ledger=entry.ledger, prev=entry.prev, seq=entry.seq))
