"""What is recorded about changed files: entries of the type `file_change`, with their content.

Beside its own fields such an entry holds `hash_before`, `content`, `agent`, `call`, `at`, and
`seen_by`: `tool` where the tool named the file, `scan` where it was found changed after a command
or at the end of a turn, `baseline` where it was when a session began or went on. `content` is a
reference into the vault, or says why it was withheld: `secret` or `size`. `base` is `unrecorded`
where the file was last changed while nothing was to be recorded, and `own_part` is true where
holdfast itself wrote the file, too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.attaching import is_config, is_for_secrets
from holdfast.evidence.file_reading import ReadFile
from holdfast.evidence.seen_files import ANY, Pending, Record, SeenFiles, is_text
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import DIFF_BYTES_MAX, SCAN_SEEDED_MAX
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.vault import Content
from holdfast.storage.port import Selection
from holdfast.wiring.file_changes import ABSENT, Before, FileChanges, Remembered
from holdfast.wiring.opening import redactor_of
from holdfast.wiring.own_writes import OwnWrite, judge
from holdfast.wiring.places import FOLDER
from holdfast.wiring.scan_looking import Changed, Looked
from holdfast.wiring.watching import Root, Seen

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.ledger.redaction import Redactor
    from holdfast.wiring.project import Project

UNREAD: Final = "not read"
"""Stands for the hash of a file that was not read: too large, or a database."""


UNRECORDED: Final = "unrecorded"
"""Stands for what a file was before, where that was made while nothing was to be recorded."""


class Drafting:
    """Makes the entries of one event."""

    def __init__(self, project: Project, root: Path, event: Event) -> None:
        self._event = event
        self._root = root
        self._ledger = project.ledger
        self._place = project.place
        self._settings = project.settings
        self._redactor: Redactor | None = None
        self._bytes_max = project.settings.agents.file_bytes_max
        self._changes = FileChanges(Root(project.place), project.ledger, Remembered())
        self.pending: list[Pending] = []
        """What is to be recorded, in order."""

    def brought(
        self, seen: SeenFiles, attachments: Mapping[str, bytes], own: dict[str, OwnWrite]
    ) -> list[Draft]:
        """Return the entries of files that a tool brought along."""
        drafts = []
        for given, content in attachments.items():
            path = self._relative(given)
            if path is None:
                continue
            digest = sha256(content).digest()
            before = seen.get(path)
            # Its times are not known; the event's own tells apart a state that comes again.
            record = (len(content), ANY, self._event.at_us * 1000, 0, digest)
            seen.put(path, record)
            if before is not None and before[4] == digest:
                continue
            before = _before_tool(own, path, before, digest.hex())
            unkept = path in seen.unkept
            seen.unkept.discard(path)
            kept = content if len(content) <= self._bytes_max else None
            after = _State(len(content), digest, kept, "size")
            entry_id = keys.entry_id(self._event.key, f"file {path}")
            drafts.append(self._draft(path, before, after, "tool", entry_id, unkept=unkept))
        return drafts

    def found(self, looked: Looked, seen_by: str) -> list[Draft]:
        """Return the entries of what a look found."""
        left = _by_digest([one for one in looked.changed if one.after is None])
        drafts = []
        for one in looked.changed:
            after = None if one.after is None else _state_of(one.after)
            draft = self._draft(
                one.path, one.before, after, seen_by, _id_of(one), unkept=one.unkept
            )
            if one.mixed:
                draft = _with(draft, own_part=True)
            if one.before is None and after is not None and after.digest in left:
                draft = _with(draft, moved_from=spelled(left[after.digest]))
            drafts.append(draft)
        return drafts

    def _draft(
        self,
        path: str,
        before: Record | None,
        after: _State | None,
        seen_by: str,
        entry_id: str,
        *,
        unkept: bool = False,
    ) -> Draft:
        if after is not None and after.content is not None and self._is_secret(path, after.content):
            after = msgspec.structs.replace(after, content=None, why="secret")
        told = self._changes.between(
            spelled(path), self._before(before), None if after is None else after.seen()
        )
        if unkept or (before is not None and not before[4]):
            told["hash_before"] = None
        if unkept:
            told["base"] = UNRECORDED
        told |= _common(self._event) | {"seen_by": seen_by}
        told |= exact_name(path)
        if after is not None:
            told["content"] = after.kept()
            if after.executable:
                told["executable"] = True
        self.pending.append(Pending(entry_id, os.fsencode(path), before, unkept))
        return Draft("file_change", told, _session(self._event), _actor(self._event), entry_id)

    def _is_secret(self, path: str, content: bytes) -> bool:
        """Tell whether a file's bytes are not kept; certain formats are the vault's to find."""
        if is_for_secrets(path) or not is_config(path):
            return is_for_secrets(path)
        if self._redactor is None:
            self._redactor = redactor_of(self._place, self._settings)
        return self._redactor.finds_assigned(content) is not None

    def _before(self, record: Record | None) -> Before:
        """Return what a file was; its text, where the vault has it."""
        if record is None:
            return ABSENT
        if not record[4]:
            return Before(True, record[0], "")
        content = None
        if record[0] <= DIFF_BYTES_MAX:
            content = self._ledger.artifact(record[4].hex())
        text = None if content is None else _text(content)
        lines = None if text is None else len(text.splitlines())
        return Before(True, record[0], record[4].hex(), lines, text)

    def _relative(self, given: str) -> str | None:
        """Return where a file lies below the root, its folder's links followed; else None."""
        if "\0" in given:
            return None
        # As text throughout: a name need not be text to a Path.
        full = os.path.join(self._event.cwd or self._root, given)  # noqa: PTH118
        folder, name = os.path.split(full)
        real, root = os.path.realpath(folder), os.path.realpath(self._root)
        path = f"{real}/{name}"
        if not path.startswith(f"{root}/") or name in ("", ".", ".."):
            return None
        path = path[len(root) + 1 :]
        return None if {FOLDER, ".git"} & set(path.split("/")) else path


class _State(msgspec.Struct, frozen=True):
    """What a file is now."""

    size: int
    digest: bytes
    content: bytes | None
    why: str = ""
    executable: bool = False

    def seen(self) -> Seen:
        """Return it as what was seen."""
        text = None
        if self.content is not None and self.size <= DIFF_BYTES_MAX:
            text = _text(self.content)
        return Seen(self.size, self.digest.hex() or UNREAD, text)

    def kept(self) -> Content | dict[str, Any]:
        """Return its content, or why that is not kept."""
        if self.content is not None:
            return Content(self.content)
        told = {"withheld": self.why, "bytes": self.size}
        return told | ({"sha256": self.digest.hex()} if self.digest else {})


def _before_tool(
    own: dict[str, OwnWrite], path: str, before: Record | None, after: str
) -> Record | None:
    """Return what a file was before a tool wrote it: what we wrote, if nobody else did since."""
    if path not in own or own[path].before == after:
        return before  # or we wrote after the tool, which the next look finds
    return judge(own.pop(path), before, after).before


def _with(draft: Draft, **fields: object) -> Draft:
    return msgspec.structs.replace(draft, data={**draft.data, **fields})


def seeded(ledger: Ledger) -> SeenFiles:
    """Remember what the ledger says of files; a look then reads each of them again."""
    seen = SeenFiles()
    known: set[str] = set()
    newest = ledger.lines(Selection(type="file_change", newest_first=True))
    for stored in islice(newest, SCAN_SEEDED_MAX):
        try:
            change = _decoder.decode(stored.body).data
        except msgspec.DecodeError:
            continue  # damaged, or its fields are in the vault
        path = change.name()
        if change.seen_by is None or path is None or path in known:
            continue
        known.add(path)
        if change.hash_after is not None:
            seen.put(path, (change.size_after, ANY, stored.seq, 0, _digest(change.hash_after)))
    return seen


def trouble(
    event: Event, message: str, context: str | None = None, prevention: str | None = None
) -> Draft:
    """Return the entry that says what was not looked at; the same once for each session."""
    data = {
        "error_type": "files_not_looked_at",
        "message": message,
        "context": context,
        "resolution": None,
        "prevention": prevention,
        **_common(event),
    }
    parts = f"{event.agent}\x1f{event.session}\x1ffiles_not_looked_at"
    return Draft("error", data, _session(event), _actor(event), keys.entry_id(parts, message))


def spelled(path: str) -> str:
    """Spell a path so that it can stand in JSON, even when its name is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def exact_name(path: str) -> dict[str, str]:
    """Return the field that tells a name exactly which `spelled` cannot."""
    return {} if is_text(path) else {"path_bytes": os.fsencode(path).hex()}


def _id_of(change: Changed) -> str:
    """Name a change by what changed into what: whoever finds it gives it the same name."""
    before = "-" if change.before is None else change.before[4].hex()
    stamp: tuple[int, ...] = (0,)
    after = "gone"
    if change.after is not None:
        status = change.after.status
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        after = change.after.digest.hex()
    elif change.before is not None:
        stamp = change.before[2:4]
    return keys.entry_id(f"file\x1f{change.path}", f"{before} {after} {stamp}")


def _digest(hashed: str) -> bytes:
    try:
        return bytes.fromhex(hashed)
    except ValueError:
        return b""  # it was not read


def _by_digest(gone: list[Changed]) -> dict[bytes, str]:
    return {one.before[4]: one.path for one in gone if one.before is not None and one.before[4]}


def _state_of(file: ReadFile) -> _State:
    size = file.status.st_size if file.content is None else len(file.content)
    executable = bool(file.status.st_mode & 0o100)
    return _State(size, file.digest, file.content, file.why, executable)


def _common(event: Event) -> dict[str, Any]:
    at = datetime.fromtimestamp(event.at_us / 1e6, UTC).isoformat(timespec="microseconds")
    told: dict[str, Any] = {"agent": event.agent, "at": at.replace("+00:00", "Z")}
    if event.call is not None:
        told["call"] = event.call
    if event.worker is not None:
        told["worker"] = event.worker
    return told


def _session(event: Event) -> str | None:
    return None if event.session is None else keys.session_id(event.session)


def _actor(event: Event) -> Actor:
    return Actor("tool", event.agent)


def _text(content: bytes) -> str | None:
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


class _Change(msgspec.Struct):
    path: str
    size_after: int
    hash_after: str | None
    path_bytes: str | None = None
    seen_by: str | None = None

    def name(self) -> str | None:
        """Return the file's path from the root; None for what can be none."""
        try:
            raw = None if self.path_bytes is None else bytes.fromhex(self.path_bytes)
        except ValueError:
            return None
        path = self.path if raw is None else os.fsdecode(raw)
        return None if {"", ".", ".."} & set(path.split("/")) else path


class _Line(msgspec.Struct):
    data: _Change


_decoder: Final = msgspec.json.Decoder(_Line)
