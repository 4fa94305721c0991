"""The resume: from the view on disk when it is current, else from the ledger, then put there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.ledger import published

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

NOTHING: Final = "Nothing was recorded yet."


class Resumed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the work stands."""

    text: str
    tokens: int
    as_of_seq: int
    """The last entry that was taken into account, -1 for an empty ledger."""
    pending: dict[str, Any] | None = None
    """What waits for somebody and is still required: the newest, and how many more."""


def resume(project: Project, session_id: str | None = None) -> Resumed:
    """Say where the work stands: of a session, or from the newest checkpoint of all.

    A view on disk that is stale is made anew before anything is shown.
    """
    if session_id is not None:
        return _made(project, session_id)
    return _published(project) or _made(project, None)


def _published(project: Project) -> Resumed | None:
    path = project.place.state / published.CURRENT_STATE
    try:
        head = project.ledger.head()
        document = published.current(path, head)
        if document is None:
            project.publish()
            head = project.ledger.head()
            document = published.current(path, head)
    except (HoldfastError, OSError):
        return None  # it cannot be written here: the ledger says the same
    match document:
        case {"resume": {"text": str(text), "tokens": int(tokens)}, "pending": dict(pending)} if (
            text
        ):
            return Resumed(text, tokens, head.size - 1, waiting(pending))
        case _:
            return None


def _made(project: Project, session_id: str | None) -> Resumed:
    """Make the resume from the last checkpoint and what came after it."""
    from holdfast.kernel.tokens import estimate
    from holdfast.ledger.documents import NO_CHECKPOINT, Gathering
    from holdfast.views.resume import resume_capsule

    as_of_seq = project.ledger.head().size - 1
    if as_of_seq < 0:
        return Resumed(NOTHING, estimate(NOTHING), as_of_seq)
    checkpoints = project.checkpoints
    project.views.catch_up(project.ledger.reader)
    gathering = Gathering(project.ledger.reader, project.views)
    pending = waiting(gathering.pending())
    if session_id is None:
        capsule = gathering.capsule()
        return Resumed(capsule.text, capsule.tokens, as_of_seq, pending)
    last = checkpoints.last(session_id)
    facts = checkpoints.facts(checkpoints.since(session_id))
    if last is not None:
        capsule = resume_capsule(project.ledger.data(last), facts)
        return Resumed(capsule.text, capsule.tokens, as_of_seq, pending)
    text = f"{NO_CHECKPOINT} {resume_capsule(None, facts).text}"
    return Resumed(text, estimate(text), as_of_seq, pending)


def waiting(pending: dict[str, Any]) -> dict[str, Any] | None:
    """Return what is pending, None when nothing is."""
    return pending if pending["newest"] else None
