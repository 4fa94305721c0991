"""Where agents keep their transcripts, and which of them are about a project.

A path in a transcript is a claim. It decides only which files are taken for this project's; who
names a file or a folder gets what is in it, wherever it was written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.agents.values import AgentName
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import TRANSCRIPT_FILES_MAX
from holdfast.ledger.importing.lines import Unread, read_lines

LINES_LOOKED_AT: Final = 50
"""Lines in which the folder that a session worked in is looked for."""

_WORKER: Final = re.compile(r"(?:\A|/)([^/]+)/subagents/(?:.*/)?agent-([^/]+)\.jsonl\Z")
_ROLLOUT: Final = re.compile(r"rollout-.*?([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl\Z")


class Source(msgspec.Struct, frozen=True):
    """A file of one session, or of a sub-agent in it."""

    folder: Path
    name: str
    """Below the folder."""
    session: str
    worker: str | None
    bytes: int
    written_ns: int

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / self.name


def home_of(agent: AgentName, env: Mapping[str, str] | None = None) -> Path:
    """Return the folder in which an agent keeps its transcripts."""
    env = os.environ if env is None else env
    home = Path(env.get("HOME") or Path.home())
    match agent:
        case "claude-code":
            return Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
        case "codex":
            return Path(env.get("CODEX_HOME") or home / ".codex") / "sessions"
        case "opencode":
            return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
        case _:
            raise InvalidInput(
                f"{agent} keeps no transcripts that can be read.",
                meaning="Nothing was recorded.",
                remedy="Its hooks record what comes: `holdfast agents install`.",
            )


def sources_in(agent: AgentName, place: Path) -> tuple[list[Source], list[Unread]]:
    """Return the transcripts in a folder, or the one that is named; oldest first."""
    if place.is_file() and not place.is_symlink():
        return [_source(agent, place.parent, place.name)], []
    if not place.is_dir():
        raise NotFound(
            f"{place} is neither a file nor a folder.",
            meaning="Nothing was recorded.",
            remedy="Name a transcript, or the folder of transcripts.",
        )
    found: list[Source] = []
    unread: list[Unread] = []
    beyond = 0
    for name in _names(place, unread):
        if len(found) == TRANSCRIPT_FILES_MAX:
            beyond += 1
            continue
        if agent == "codex" and not _ROLLOUT.search(name):
            unread.append(Unread(name, "its name is not that of a rollout"))
            continue
        found.append(_source(agent, place, name))
    if beyond:
        said = f"{beyond:,} files beyond the first {TRANSCRIPT_FILES_MAX:,} of it"
        unread.append(Unread(".", said))
    return sorted(found, key=lambda one: (one.written_ns, one.name)), unread


def sources_of(agent: AgentName, home: Path, root: Path) -> tuple[list[Source], list[Unread]]:
    """Return the transcripts of sessions that worked in a project, or below it."""
    if not home.is_dir():
        raise NotFound(
            f"There are no transcripts of {agent} here: {home} is not there.",
            meaning="Nothing was recorded.",
            remedy="Name the file or the folder that holds them.",
        )
    found, unread = sources_in(agent, home)
    sessions = set()
    for one in found:
        folder = worked_in(one) if one.worker is None else None
        if isinstance(folder, Unread):
            unread.append(folder)
        elif is_below(folder, root):
            sessions.add(one.session)
    return [one for one in found if one.session in sessions], unread


def worked_in(source: Source) -> str | Unread | None:
    """Return the folder that a session says it began in, None for one that says none."""
    for line in read_lines(source.folder, source.name):
        if isinstance(line, Unread):
            return line
        if line.number > LINES_LOOKED_AT:
            return None
        try:
            record: Any = msgspec.json.decode(line.content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        payload = record.get("payload")
        cwd = record.get("cwd", payload.get("cwd") if isinstance(payload, dict) else None)
        if isinstance(cwd, str):
            return cwd
    return None


def is_below(folder: str | None, root: Path) -> bool:
    """Tell whether a folder is a project's root or below it; it need not be there any more."""
    if folder is None or "\0" in folder or not Path(folder).is_absolute():
        return False
    places = {Path(os.path.normpath(folder)), Path(folder).resolve()}
    roots = {Path(os.path.normpath(root)), root.resolve()}
    return any(place.is_relative_to(one) for place in places for one in roots)


def _names(place: Path, unread: list[Unread]) -> Iterator[str]:
    """Yield the files of lines below a folder; no link is followed, but named."""

    def unlisted(error: OSError) -> None:
        where = os.path.relpath(error.filename, place)
        unread.append(Unread(where, f"it cannot be listed: {error.strerror}"))

    for folder, folders, files in os.walk(place, onerror=unlisted, followlinks=False):
        folders.sort()
        links = [Path(folder) / name for name in folders if (Path(folder) / name).is_symlink()]
        unread += [Unread(str(one.relative_to(place)), "it is a link") for one in links]
        for name in sorted(files):
            if name.endswith(".jsonl"):
                yield str((Path(folder) / name).relative_to(place))


def _source(agent: AgentName, folder: Path, name: str) -> Source:
    path = folder / name
    try:
        found = path.lstat()
        size, written_ns = found.st_size, found.st_mtime_ns
    except OSError:
        size = written_ns = 0
    if worker := _WORKER.search(str(path)):
        return Source(folder, name, worker[1], worker[2], size, written_ns)
    rollout = _ROLLOUT.search(name) if agent == "codex" else None
    session = path.stem if rollout is None else rollout[1]
    return Source(folder, name, session, None, size, written_ns)
