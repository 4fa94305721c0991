"""PRISM state folders: STATE_LOG.jsonl and archives/*.jsonl, oldest first.

An entry of one of the six types becomes an entry here, with where it came from in `imported`. Its
id follows from its content, so that the same folder again adds nothing, nor does a line that
PRISM moved from its log into an archive. Hashes are compared, in all spellings that PRISM's
versions used, and the answer is kept; none is a reason to refuse.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.ledger.importing.intake import Found, Imported, Intake
from holdfast.ledger.importing.lines import Line, Unread, read_lines
from holdfast.ledger.importing.reading import Odd, digest, is_naive, parse
from holdfast.ledger.ledger import Draft
from holdfast.ledger.verify import Progress, no_progress

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger

LOG: Final = "STATE_LOG.jsonl"
ARCHIVES: Final = "archives"
PRISM_TYPES: Final = frozenset(
    {"decision", "file_change", "checkpoint", "error", "metric", "compression"}
)
_ACTOR: Final = Actor("tool", "prism")


def import_prism(ledger: Ledger, folder: Path, *, progress: Progress = no_progress) -> Imported:
    """Take in a PRISM state folder. Harmless to repeat."""
    folder = _state_folder(folder)
    sources, unread = _sources(folder)
    total = sum(_size(folder / source) for source in sources)
    reader = _PrismReader(ledger)
    done = 0
    for source in sources:
        for line in read_lines(folder, source):
            if isinstance(line, Unread):
                unread.append(line)
                continue
            reader.take(line)
            done += len(line.content) + 1
            progress(min(done, total), total)
    reader.intake.flush()
    return reader.intake.report(unread)


# The folder


def _state_folder(folder: Path) -> Path:
    """Return the folder that holds the log: the one given, or `state` in it."""
    for place in (folder, folder / "state"):
        if _is_plain_file(place / LOG) or _is_plain_folder(place / ARCHIVES):
            _refuse_our_own(place)
            return place
    raise InvalidInput(
        f"{folder} is not a PRISM state folder: it has neither {LOG} nor {ARCHIVES}.",
        meaning="Nothing was recorded.",
        remedy=f"Name the folder that holds {LOG}.",
    )


def _refuse_our_own(folder: Path) -> None:
    first = next(iter(read_lines(folder, LOG)), None)
    if not isinstance(first, Line):
        return
    try:
        ledger = entries.read(first.content).ledger
    except Damaged:
        return
    raise InvalidInput(
        f"{folder} holds the views of the ledger {ledger}, not a PRISM log.",
        meaning="Nothing was recorded.",
        remedy="Its entries are in that ledger already.",
    )


def _sources(folder: Path) -> tuple[list[str], list[Unread]]:
    """Return the files in the order their entries were made, and those that are not looked at."""
    archives, unread = [], []
    if (folder / ARCHIVES).is_symlink():
        unread.append(Unread(ARCHIVES, "it is a link"))
    elif (folder / ARCHIVES).is_dir():
        for path in sorted((folder / ARCHIVES).iterdir()):
            source = f"{ARCHIVES}/{path.name}"
            if path.suffix == ".jsonl":
                archives.append(source)
            else:
                unread.append(Unread(source, "its name does not end with .jsonl"))
    return [*archives, *([LOG] if (folder / LOG).exists() else [])], unread


def _is_plain_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_plain_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


# A line


class _PrismReader:
    """Makes drafts of lines."""

    def __init__(self, ledger: Ledger) -> None:
        self.intake = Intake(ledger, _ACTOR)
        self._redact = ledger.redact
        self._seen: Counter[str] = Counter()

    def take(self, line: Line) -> None:
        """Turn one line into an entry, or into a quarantined line."""
        try:
            draft = self._entry(line)
        except Odd as odd:
            draft = self.intake.quarantine(line, str(odd), self._id_of_odd(line))
        self.intake.take(Found(line, draft))

    def _entry(self, line: Line) -> Draft:
        record = parse(line)
        kind, data = record.get("type"), record.get("data")
        if not isinstance(kind, str) or kind not in PRISM_TYPES:
            raise Odd(f"its type is {_shown(kind)}, which is none of PRISM's")
        if not isinstance(data, dict):
            raise Odd("it has no data")
        try:
            TYPES.check(kind, data)
        except InvalidInput as problem:
            raise Odd(problem.what) from problem
        session_id, origin = _session(record.get("session_id"))
        origin = {**_origin(line, record), **origin}
        if "imported" in data:
            origin["imported_before"] = data["imported"]
        spelled = json.dumps(record, sort_keys=True)
        cleaned = self._redact(spelled)
        if cleaned != spelled and origin["hash"] is not None:
            # A hash without a key over a secret would let it be guessed.
            origin |= {"hash": None, "hash_withheld": "it is over data that held a secret"}
        entry_id = self._id_of(cleaned, has_id=bool(record.get("id")))
        return Draft(kind, {**data, "imported": origin}, session_id, _ACTOR, entry_id)

    def _id_of(self, cleaned: str, *, has_id: bool) -> str:
        """Return an id that depends on what a line says, not on where it stands.

        Where the line has no id of its own, it may stand there twice because it happened twice.
        """
        key = digest(cleaned)
        if has_id:
            return f"prism-{key}"
        self._seen[key] += 1
        return f"prism-{key}-{self._seen[key]}"

    def _id_of_odd(self, line: Line) -> str:
        cleaned = self._redact(line.content.decode("utf-8", "surrogateescape"))
        return self._id_of(f"{line.part or 0}:{cleaned}", has_id=False)


def _origin(line: Line, record: dict[str, Any]) -> dict[str, Any]:
    """Return where an entry comes from, with what PRISM said of it."""
    said = record.get("timestamp")
    origin = {
        "source": line.source,
        "line": line.number,
        "id": record.get("id"),
        "timestamp": said,
        "hash": record.get("hash"),
        "hash_matched": _hash_matches(line, record),
    }
    if isinstance(said, str) and is_naive(said):
        origin["assumed_zone"] = "UTC"
    known = ("type", "data", "session_id", *origin)
    rest = {name: part for name, part in record.items() if name not in known}
    return {**origin, "other": rest} if rest else origin


def _hash_matches(line: Line, record: dict[str, Any]) -> bool | None:
    """Tell whether the hash is the one of the data; None when there is none to compare."""
    said = record.get("hash")
    if not isinstance(said, str) or not said:
        return None
    # Read again as PRISM did: its own reader keeps the order of keys and 1.0 apart from 1.
    data = json.loads(line.content)["data"]
    return any(digest.startswith(said.lower()) for digest in _digests(data)) and len(said) >= 16


def _digests(data: Any) -> Iterator[str]:
    for sort_keys in (True, False):
        for ensure_ascii in (True, False):
            for separators in (None, (",", ":")):
                text = json.dumps(
                    data, sort_keys=sort_keys, ensure_ascii=ensure_ascii, separators=separators
                )
                yield sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _session(given: Any) -> tuple[str | None, dict[str, Any]]:
    """Return a session id that can be used, and the given one where that is another."""
    if given is None:
        return None, {}
    try:
        if isinstance(given, str):
            return entries.check_name("The session id", given), {}
    except InvalidInput:
        pass
    spelled = json.dumps(given, sort_keys=True).encode()
    return f"prism-{sha256(spelled).hexdigest()[:12]}", {"session_id": given}


def _shown(value: Any) -> str:
    return "missing" if value is None else json.dumps(value)[:60]
