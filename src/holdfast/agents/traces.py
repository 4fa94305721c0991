"""What an agent leaves of its work by itself: when it last wrote a transcript, and its version.

Only the names, the times and a few bytes of its own transcripts are looked at. Agents that keep
theirs in a database leave nothing that could be told this way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from holdfast.agents.values import AgentName
from holdfast.kernel.limits import TRACE_BYTES_READ, TRACES_LOOKED_AT

_VERSION: Final = re.compile(rb'"(?:cli_)?version":"([0-9A-Za-z.+-]{1,40})"')
_CWD: Final = re.compile(rb'"cwd":("(?:[^"\\\\]|\\\\.){0,4096}")')


class Trace(msgspec.Struct, frozen=True):
    """What was found; null where it cannot be told."""

    worked_us: int | None = None
    version: str | None = None


def trace(agent: AgentName, root: Path, env: Mapping[str, str], home: Path) -> Trace:
    """Return what an agent left of its work in a project."""
    match agent:
        case "claude-code":
            base = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")
            folder = base / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
            return _of(next(_newest(folder), None), at_end=True)
        case "codex":
            base = Path(env.get("CODEX_HOME") or home / ".codex")
            return _of(_rollout(base / "sessions", root), at_end=False)
        case "opencode" | "gemini" | "cursor":
            return Trace()


def _rollout(sessions: Path, root: Path) -> Path | None:
    """Return the newest rollout of a project, among the newest of all."""
    seen = 0
    for day in _days(sessions):
        for path in _newest(day):
            seen += 1
            if seen > TRACES_LOOKED_AT:
                return None
            found = _CWD.search(_bytes(path, at_end=False))
            if found is not None and _text(found[1]) == str(root):
                return path
    return None


def _days(sessions: Path) -> Iterator[Path]:
    """Return the folders of the days, the newest first."""
    for year in _folders(sessions):
        for month in _folders(year):
            yield from _folders(month)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as listed:
            names = [one.name for one in listed if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(names, reverse=True) if name.isdigit()]


def _newest(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as listed:
            files = [
                (one.stat(follow_symlinks=False).st_mtime_ns, one.path)
                for one in listed
                if one.name.endswith(".jsonl") and one.is_file(follow_symlinks=False)
            ]
    except OSError:
        return
    yield from (Path(path) for _, path in sorted(files, reverse=True))


def _of(path: Path | None, *, at_end: bool) -> Trace:
    if path is None:
        return Trace()
    try:
        worked_us = path.stat().st_mtime_ns // 1000
    except OSError:
        return Trace()
    found = _VERSION.findall(_bytes(path, at_end=at_end))
    return Trace(worked_us, found[-1 if at_end else 0].decode() if found else None)


def _bytes(path: Path, *, at_end: bool) -> bytes:
    try:
        with path.open("rb") as file:
            if at_end:
                file.seek(max(0, path.stat().st_size - TRACE_BYTES_READ))
            return file.read(TRACE_BYTES_READ)
    except OSError:
        return b""


def _text(spelled: bytes) -> str | None:
    try:
        return msgspec.json.decode(spelled, type=str)
    except msgspec.DecodeError:
        return None
