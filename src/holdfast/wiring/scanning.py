"""Files that agents changed: found by looking, or brought along by the tool that wrote them.

What changed is told by sizes and times first, then by hashes; contents go to the vault. A change
that is found by looking after a command need not be that command's: an entry says how it was seen.
What is remembered between two looks lies beside the intake and is derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from holdfast.evidence import seen_files
from holdfast.evidence.file_scan import REPOSITORY
from holdfast.evidence.seen_files import SeenFiles
from holdfast.kernel.limits import SCAN_UNLOOKED_NAMED
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection
from holdfast.wiring import own_writes
from holdfast.wiring.scan_drafts import Drafting, seeded, spelled, trouble
from holdfast.wiring.scan_hush import Hush, hush_of
from holdfast.wiring.scan_looking import DATABASE, Look, Looked
from holdfast.wiring.scan_rules import refusal
from holdfast.wiring.scan_turns import FOLDER, NAME, clock_ns, turn

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.wiring.own_writes import OwnWrite
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project

_BY_RULE: Final = (REPOSITORY, DATABASE)
"""Reasons that `scan_state` tells; they are no trouble."""

_kept: Final[WeakKeyDictionary[Project, tuple[tuple[int, int, int] | None, SeenFiles]]] = (
    WeakKeyDictionary()
)
"""What this process wrote last, so that it need not be read again while nobody else writes."""


def baseline(project: Project, event: Event) -> list[Draft]:
    """Look at the project's files when a session starts; return what changed since the last look.

    Where nobody looked before, nothing is known to have changed.
    """
    return _changes(project, event, {}, look=True, anew=True)


def changes_after(
    project: Project, event: Event, attachments: Mapping[str, bytes] | None = None
) -> list[Draft]:
    """Return what changed by the time an event came.

    `attachments` are the files that its tool says it wrote, by the path it gave, as they were right
    after. The whole project is looked at after a shell command, and whenever a turn, a worker or a
    session ends (`wants_scan`). The drafts are the caller's to append, in this order, before the
    next call, best within `one_at_a_time`; those that did not get there are found again.
    """
    look = wants_scan(event)
    if not look and not attachments:
        return []
    return _changes(project, event, attachments or {}, look=look)


def wants_scan(event: Event) -> bool:
    """Tell whether an event is one after which the project's files are looked at."""
    if event.kind in ("tool_end", "tool_failed"):
        return event.command is not None
    return event.kind in ("stop", "subagent_stop", "session_end", "pre_compact")


@contextmanager
def one_at_a_time(project: Project) -> Iterator[None]:
    """Keep other agents from looking until what was found here is recorded.

    So entries about one file stand in the order of its states. Who waited too long looks all the
    same: nothing is recorded twice, as the ids of changes follow from what changed.
    """
    with turn(project.place):
        yield


def rebase(project: Project) -> int:
    """Take the files for known as they are now; return how many changed and are not recorded.

    Of those nothing is kept: the next change of one is recorded, and says that it is not known what
    it began from. Raises OSError where what is known cannot be written down.
    """
    place, root = project.place, project.place.project
    if root is None or refusal(root):
        return 0
    with one_at_a_time(project):
        path = place.folder / FOLDER / NAME
        seen, own = _remembered(project, path), own_writes.load(place)
        if seen.began_ns == 0:
            return 0  # nobody looked yet; who does sees that there was a pause
        agents, hush = project.settings.agents, Hush(everything=True)
        look = Look(root, seen, agents, clock_ns(place), anew=True, own=own, hush=hush)
        found = look.run()
        seen_files.write(path, seen)
        own_writes.keep(place, own)
    return found.hidden


class ScanState:
    """What the last look came to, for those who tell it: see `scan_state`."""

    def __init__(self, place: Place) -> None:
        root = place.project
        self.refused = "" if root is None else refusal(root)
        """Why this project is never looked at."""
        seen = seen_files.read(place.folder / FOLDER / NAME)
        self.looked = seen is not None
        self.files = 0 if seen is None else seen.files
        self.left = 0 if seen is None else seen.left
        """Changes that were found and wait for the next look."""
        self.unlooked = {} if seen is None else seen.unlooked
        """What was not looked at, with the reason."""
        self.cut = seen is not None and seen.cut
        """There are more files than are looked at."""

    def __str__(self) -> str:
        """Say it in a line."""
        if self.refused:
            return f"changed files are not looked for here. {self.refused}"
        if not self.looked:
            return "nobody looked for changed files yet"
        told = [f"{self.files:,} files are looked at"]
        told += ["there are more, which are not"] * self.cut
        told += [f"{self.left:,} changes wait for the next look"] * bool(self.left)
        told += [f"not {path}: {why}" for path, why in self.unlooked.items()]
        return "; ".join(told)


def scan_state(place: Place) -> ScanState:
    """Return what the last look at a project's files came to."""
    return ScanState(place)


def _changes(
    project: Project,
    event: Event,
    attachments: Mapping[str, bytes],
    *,
    look: bool,
    anew: bool = False,
) -> list[Draft]:
    root = project.place.project
    if root is None:
        return []
    drafting = Drafting(project, root, event)
    look = look and project.settings.agents.scan
    if look and (why := refusal(root)):
        look = False
        told = [trouble(event, f"Changed files are not looked for in {root}. {why}")]
    else:
        told = []
    if not look and not attachments:
        return told
    with one_at_a_time(project):
        path = project.place.folder / FOLDER / NAME
        seen, own = _remembered(project, path), own_writes.load(project.place)
        written = len(own)
        drafts = drafting.brought(seen, attachments, own)
        learned = bool(attachments)
        if look:
            found = _look(project, root, seen, own, anew=anew)
            drafts += drafting.found(found, "baseline" if anew else "scan")
            told += _told(event, found)
            learned |= found.learned
        if learned:
            _remember(project, path, seen, drafting)
        if len(own) != written:
            own_writes.keep(project.place, own)
    return drafts + told


def _look(
    project: Project, root: Path, seen: SeenFiles, own: dict[str, OwnWrite], *, anew: bool
) -> Looked:
    hush = hush_of(project.place)
    if seen.began_ns == 0 and any(project.ledger.lines(Selection(type="recording_resumed"))):
        hush = Hush(everything=True)  # what was remembered of a pause is lost
    agents, began_ns = project.settings.agents, clock_ns(project.place)
    return Look(root, seen, agents, began_ns, anew=anew, own=own, hush=hush).run()


def _remembered(project: Project, path: Path) -> SeenFiles:
    """Return what is remembered; where that is lost, what the ledger says."""
    kept, seen = _kept.pop(project, _NOTHING)
    if seen is None or kept != _identity(path):
        seen = seen_files.read(path)
    if seen is None:
        return seeded(project.ledger)
    seen.settle(lambda entry_id: any(project.ledger.lines(Selection(id=entry_id))))
    return seen


def _remember(project: Project, path: Path, seen: SeenFiles, drafting: Drafting) -> None:
    seen.pending = drafting.pending
    with suppress(OSError):  # the next look finds the same again, under the same ids
        seen_files.write(path, seen)
        _kept[project] = (_identity(path), seen)


_NOTHING: Final[tuple[None, None]] = (None, None)


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Tell one file of this name from the next."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _told(event: Event, found: Looked) -> list[Draft]:
    """Return what has to be said of a look that did not see all, once for a session."""
    drafts = []
    if found.cut:
        said = "There are more files than agents.scan_files_max, so not all are looked at."
        remedy = "Raise it in your own settings, or have git ignore some."
        drafts.append(trouble(event, said, f"{found.files:,} were looked at.", remedy))
    if found.left:
        said = "More files changed than one look records; the next goes on with the others."
        drafts.append(trouble(event, said, f"{found.left:,} were left."))
    if found.hidden:
        said = "Changed files are not recorded: recording was paused, or an agent was private."
        remedy = "Later changes of them are recorded."
        drafts.append(trouble(event, said, f"{found.hidden:,} files this time.", remedy))
    named = [f"{path}: {why}" for path, why in found.unlooked.items() if why not in _BY_RULE]
    if named:
        more = len(named) - SCAN_UNLOOKED_NAMED
        said = "; ".join(named[:SCAN_UNLOOKED_NAMED]) + (f"; and {more:,} more" if more > 0 else "")
        drafts.append(trouble(event, f"Not looked at for changed files: {said}."))
    return drafts


__all__ = [
    "ScanState",
    "baseline",
    "changes_after",
    "one_at_a_time",
    "rebase",
    "scan_state",
    "spelled",
    "wants_scan",
]
