"""One look at a project's files: walk, leave out what is ignored, read what may have changed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from holdfast.config import Agents
from holdfast.evidence.file_reading import FileReader, ReadFile
from holdfast.evidence.file_scan import FileWalk, Suspect, Walked
from holdfast.evidence.seen_files import ANY, Record, SeenFiles, record_of
from holdfast.kernel.limits import (
    SCAN_CHANGES_MAX,
    SCAN_HASHED_BYTES_MAX,
    SCAN_KEPT_BYTES_MAX,
    SCAN_UNLOOKED_NAMED,
)
from holdfast.wiring.own_writes import OwnWrite, judge
from holdfast.wiring.scan_hush import Hush
from holdfast.wiring.scan_rules import LEFT_OUT, asking_git, git_rules


class Changed(msgspec.Struct, frozen=True):
    """A file that is not what it was. Without `after` it is gone, without `before` it is new."""

    path: str
    before: Record | None
    after: ReadFile | None
    record: Record | None
    """What is remembered of it from now on."""
    mixed: bool = False
    """Holdfast wrote it, too, and what is whose cannot be told."""
    unkept: bool = False
    """What it was before was made while nothing was to be recorded."""


class Looked(msgspec.Struct):
    """What a look came to."""

    changed: list[Changed] = []
    files: int = 0
    left: int = 0
    cut: bool = False
    unlooked: dict[str, str] = {}
    hidden: int = 0
    """Changes that are not recorded, as they were made while nothing was to be."""
    learned: bool = False
    """Whether anything is remembered otherwise than before."""


DATABASE: Final = "a database, which somebody may have locked"


class Look:
    """Looks once, and brings what is remembered up to date."""

    def __init__(
        self,
        root: Path,
        seen: SeenFiles,
        agents: Agents,
        began_ns: int,
        *,
        anew: bool = False,
        own: dict[str, OwnWrite] | None = None,
        hush: Hush = Hush(),  # noqa: B008 (frozen)
    ) -> None:
        """`own` is what holdfast wrote since the last look; what was looked at is taken out."""
        self._root = root
        self._seen = seen
        self._agents = agents
        self._began_ns = began_ns
        self._own = {} if own is None else own
        self._hush = hush
        self._first = seen.began_ns == 0
        """Whether files that nobody remembers are just there, not new."""
        self._partial = seen.cut
        """Whether some of them may be, as they were not looked at before."""
        self._anew = anew or self._first
        self._moved: set[bytes] = set()
        self._hashed_left = SCAN_HASHED_BYTES_MAX
        self._kept_left = SCAN_KEPT_BYTES_MAX
        self._looked = Looked()

    def run(self) -> Looked:
        """Look. Rules of what is ignored are asked for anew when they changed meanwhile."""
        walked = self._walk(anew=self._anew)
        if not self._anew and any(_is_rule(one.path) for one in walked.suspects):
            self._anew = True
            walked = self._walk(anew=True)
        self._partial |= self._anew
        self._looked.learned = self._first or bool(walked.suspects or walked.gone)
        self._forget(walked)
        self._take_gone(walked.gone)
        with closing(FileReader(self._root)) as reader:
            self._take_all(self._not_ignored(walked.suspects), reader)
        self._note(walked)
        return self._looked

    def _walk(self, *, anew: bool) -> Walked:
        if anew:
            self._seen.skipped = {}
            self._ask = git_rules(self._root)
        else:
            self._ask = asking_git(self._root) if self._seen.by_git else None
        return FileWalk(
            self._root,
            self._seen,
            files_max=self._agents.scan_files_max,
            left_out=LEFT_OUT,
            ask=self._ask,
            anew=anew,
        ).run()

    def _not_ignored(self, suspects: list[Suspect]) -> list[Suspect]:
        """Leave out what git ignores; files that are remembered are not asked about each time."""
        if self._ask is None:
            return suspects
        asked = [one.path for one in suspects if self._anew or not one.known]
        ignored = self._ask(asked)
        for path in ignored:
            folder, _, name = path.rpartition("/")
            self._seen.skipped.setdefault(folder, set()).add(name)
        return [one for one in suspects if one.path not in ignored]

    def _forget(self, walked: Walked) -> None:
        for path in walked.forgotten:
            self._seen.put(path, None)
        if self._anew and self._ask is not None:
            for path in self._ask(list(self._seen.paths())):
                self._seen.put(path, None)

    def _take_gone(self, paths: list[str]) -> None:
        for path in sorted(paths):
            before = self._seen.get(path)
            if before is None:
                continue
            verdict = judge(self._own.pop(path, None), before, None, lost=self._first)
            if verdict.own or self._hush.hides_gone(self._seen.began_ns):
                self._hide(path, None, own=verdict.own)
                continue
            if len(self._looked.changed) >= SCAN_CHANGES_MAX:
                self._looked.left += 1
                continue
            self._moved.add(before[4])
            self._change(Changed(path, verdict.before, None, None, verdict.mixed))

    def _take_all(self, suspects: list[Suspect], reader: FileReader) -> None:
        for one in sorted(suspects, key=lambda one: one.path):
            before = self._seen.get(one.path)
            if not self._has_room(one, before):
                continue
            try:
                after = reader.read(one.path, self._agents.file_bytes_max)
            except OSError as error:
                self._looked.unlooked[_spelled(one.path)] = str(error.strerror)
                continue
            if after is not None:
                self._take(one.path, before, after)

    def _has_room(self, one: Suspect, before: Record | None) -> bool:
        """Tell whether a file may still be read in this look; else it waits, and is counted."""
        baseline = self._first and before is None
        size = one.status.st_size
        hashed = 0 if size > SCAN_HASHED_BYTES_MAX or self._hush.everything else size
        full = len(self._looked.changed) >= SCAN_CHANGES_MAX or self._kept_left <= 0
        if hashed <= self._hashed_left and (baseline or not full or self._hush.everything):
            self._hashed_left -= hashed
            return True
        if baseline:
            self._seen.put(one.path, record_of(one.status, b"", self._began_ns))
        else:
            self._looked.left += 1
        return False

    def _take(self, path: str, before: Record | None, after: ReadFile) -> None:
        record = record_of(after.status, after.digest, self._began_ns)
        if after.torn:
            record = (record[0], ANY, *record[2:])
        if after.why == "database":
            self._looked.unlooked[_spelled(path)] = DATABASE
        elif not self._was_there(before, after):
            self._judge(path, before, after, record)
            return
        self._own.pop(path, None)
        self._seen.put(path, record)

    def _judge(self, path: str, before: Record | None, after: ReadFile, record: Record) -> None:
        """Tell whether a change is one to record."""
        digest = after.digest.hex()
        verdict = judge(self._own.pop(path, None), before, digest, lost=self._first)
        if verdict.own or self._hush.hides(after.status.st_ctime_ns):
            # one that was not read is not told by its bytes when it is looked at again
            stamped = (record[0], after.status.st_mtime_ns, *record[2:])
            self._hide(path, record if after.digest else stamped, own=verdict.own)
            return
        self._kept_left -= len(after.content or b"")
        self._change(Changed(path, verdict.before, after, record, verdict.mixed))

    def _hide(self, path: str, record: Record | None, *, own: bool) -> None:
        """Remember what a file is now, and nothing else of it."""
        self._seen.put(path, record)
        self._looked.hidden += not own
        if record is None or own:
            self._seen.unkept.discard(path)
        else:
            self._seen.unkept.add(path)

    def _was_there(self, before: Record | None, after: ReadFile) -> bool:
        """Tell whether a file is what it was at the last look, as far as that can be told."""
        if before is not None:
            return before[4] == after.digest != b""
        if self._first:
            return True
        is_older = after.status.st_ctime_ns < self._seen.began_ns
        return self._partial and is_older and after.digest not in self._moved

    def _change(self, change: Changed) -> None:
        if change.path in self._seen.unkept:
            self._seen.unkept.discard(change.path)
            change = msgspec.structs.replace(change, unkept=True)
        self._looked.changed.append(change)
        self._seen.put(change.path, change.record)

    def _note(self, walked: Walked) -> None:
        """Bring what is remembered of folders up to date."""
        seen, looked = self._seen, self._looked
        looked.files, looked.cut = walked.files, walked.cut
        for path, why in walked.unlooked.items():
            looked.unlooked[_spelled(path)] = why
        known = (set(seen.folders), seen.ignored, seen.unlooked, seen.cut)
        for path in walked.folders:
            seen.folders.setdefault(path, {})
        for path in [one for one in seen.folders if one not in walked.folders]:
            if not seen.folders[path]:
                del seen.folders[path]
        seen.ignored, seen.by_git = walked.ignored, self._ask is not None
        seen.files, seen.left, seen.cut = looked.files, looked.left, looked.cut
        seen.began_ns = self._began_ns
        seen.unlooked = dict(sorted(looked.unlooked.items())[:SCAN_UNLOOKED_NAMED])
        looked.learned |= known != (set(seen.folders), seen.ignored, seen.unlooked, seen.cut)


def _is_rule(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitignore"


def _spelled(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
