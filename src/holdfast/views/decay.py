"""Decay: raw output becomes an identifier and one line; what it stands for opens again by it.

    entry 42: `pytest -q`, exit 1, 312 lines
    entry 57: Read ${PROJECT_ROOT}/src/queue.py:1-80

Raw is what a tool or a command put out and nobody wrote: output, parameters, contents of files,
and an agent's long explanations. What the user said is never raw. Small things stay as they are.
Nothing is taken from the ledger: `holdfast show 42 --full` has all of it, word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import DECAY_SUMMARY_CHARS, DECAY_TOKENS_MIN
from holdfast.kernel.tokens import estimate
from holdfast.views.wording import cut_middle, first_sentence, one_line

RAW: Final[Mapping[str, tuple[str, ...]]] = {
    "command_ran": ("output",),
    "tool_called": ("params", "detail"),
    "evidence_recorded": ("output",),
    "error": ("message", "context"),
    "file_change": ("diff_summary",),
    "agent_said": ("text",),
}
"""The fields of each type that hold what is raw."""

_PATHS: Final = ("file_path", "path", "file", "notebook_path")


class Decayed(msgspec.Struct, frozen=True):
    """Raw output, and what stands for it now."""

    seq: int
    identifier: str
    summary: str
    tokens_full: int
    """What it took."""
    tokens_kept: int
    """What its identifier takes."""
    tokens_line: int
    """What identifier and summary take together."""


class Decay(msgspec.Struct, frozen=True):
    """What decay comes to."""

    items: tuple[Decayed, ...]
    unseen: bool = False
    """There are older entries that were not looked at."""

    @property
    def tokens_full(self) -> int:
        """What all of it took."""
        return sum(one.tokens_full for one in self.items)

    @property
    def tokens_kept(self) -> int:
        """What the identifiers take."""
        return sum(one.tokens_kept for one in self.items)

    @property
    def tokens_lines(self) -> int:
        """What the identifiers with their summaries take."""
        return sum(one.tokens_line for one in self.items)


def decayed(entry: Entry, data: Mapping[str, Any]) -> Decayed | None:
    """Return what stands for an entry's raw output; None when it has none, or little."""
    names = RAW.get(entry.type)
    if names is None:
        return None
    full = sum(_tokens(data.get(name)) for name in names)
    if full < DECAY_TOKENS_MIN:
        return None
    identifier = f"entry {entry.seq}"
    summary = cut_middle(one_line(_summary(entry.type, data)), DECAY_SUMMARY_CHARS)
    line = f"{identifier}: {summary}"
    return Decayed(entry.seq, identifier, summary, full, estimate(identifier), estimate(line))


def is_raw(type_name: str) -> bool:
    """Tell whether entries of a type can hold raw output."""
    return type_name in RAW


def reduction(full: int, kept: int) -> float:
    """Return the share of tokens that is saved."""
    return 1 - kept / full if full else 0.0


def mean_reduction(items: Iterable[Decayed]) -> float | None:
    """Return the share that is saved at each reference, on average; None without any."""
    shares = [reduction(one.tokens_full, one.tokens_kept) for one in items]
    return sum(shares) / len(shares) if shares else None


def _tokens(value: Any) -> int:
    match value:
        case None:
            return 0
        case {"$artifact": str(), "bytes": int(size)}:
            return size // 4  # it was erased, or nobody looked: about so many
        case str():
            return estimate(value)
        case _:
            return estimate(one_line(value))


def _summary(type_name: str, data: Mapping[str, Any]) -> str:
    """Say in a few words what it was."""
    match type_name:
        case "command_ran" | "evidence_recorded":
            code, output = data.get("exit_code"), data.get("output")
            ended = "" if code is None else f", exit {code}"
            lines = f", {output.count(chr(10)) + 1} lines" if isinstance(output, str) else ""
            named = data.get("command") or data.get("path") or data.get("pattern") or ""
            return f"`{cut_middle(one_line(named), DECAY_SUMMARY_CHARS // 2)}`{ended}{lines}"
        case "tool_called":
            return f"{one_line(data.get('tool'))} {_target(data)}".rstrip()
        case "error":
            return f"{one_line(data.get('error_type'))}: {first_sentence(_text(data, 'message'))}"
        case "file_change":
            return f"{data.get('action')} {one_line(data.get('path'))}"
        case _:
            return first_sentence(_text(data, "text"))


def _target(data: Mapping[str, Any]) -> str:
    """Name the file that a tool was used on, with its lines where they are known."""
    params = data.get("params")
    if not isinstance(params, Mapping):
        return ""
    path = next((params[name] for name in _PATHS if isinstance(params.get(name), str)), None)
    if path is None:
        return ""
    first = params.get("offset") or params.get("start_line")
    count, last = params.get("limit"), params.get("end_line")
    if isinstance(first, int) and isinstance(count, int):
        last = first + count - 1
    lines = f":{first}-{last}" if isinstance(first, int) and isinstance(last, int) else ""
    return f"{path}{lines}"


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else one_line(value)
