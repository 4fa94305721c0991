"""Deciding the bytes of what an import found: apart from recording it, in any process."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.admission import Admitted, admit_all, check_looked
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft
from holdfast.ledger.redaction import Redactor

QUARANTINED: Final = "line_quarantined"


class Found(msgspec.Struct, frozen=True):
    """A line, and the entry that it becomes."""

    line: Line
    draft: Draft
    admitted: Admitted | None = None
    """The entry's bytes, where they are decided. Then the draft's data is no longer looked at, but
    for what whoever records it asks of them."""
    bytes_elsewhere: int = 0
    """The length of the line, where another process has it."""

    @property
    def bytes(self) -> int:
        """How much was read for this entry."""
        return len(self.line.content) + self.bytes_elsewhere


def admit_found(batch: Sequence[Found], redactor: Redactor, actor: Actor) -> list[Found]:
    """Decide the bytes of each; what the ledger would refuse becomes a quarantined line."""
    if not batch:
        return []
    try:
        admitted = _admit([one.draft for one in batch], redactor)
    except InvalidInput:
        return [_admit_alone(one, redactor, actor) for one in batch]
    return [
        Found(one.line, one.draft, ready, one.bytes_elsewhere)
        for one, ready in zip(batch, admitted, strict=True)
    ]


def quarantine(
    line: Line, reason: str, entry_id: str | None, *, actor: Actor, redactor: Redactor
) -> Draft:
    """Return the entry that keeps a line as it stands."""
    encoding, content = _kept(line.content, redactor)
    data = {
        "source": line.source,
        "line": line.number,
        "reason": reason if line.part is None else f"{reason}; this is part {line.part}",
        "encoding": encoding,
        "content": content,
    }
    return Draft(QUARANTINED, data, actor=actor, id=entry_id)


def _admit(drafts: Sequence[Draft], redactor: Redactor) -> list[Admitted]:
    check_looked([draft.type for draft in drafts], None)
    for draft in drafts:
        if draft.session_id is not None:
            entries.check_name("The session id", draft.session_id)
        if draft.id is not None:
            entries.check_name("The id", draft.id)
    return admit_all([(draft.type, draft.data) for draft in drafts], redactor)


def _admit_alone(found: Found, redactor: Redactor, actor: Actor) -> Found:
    draft = found.draft
    try:
        [ready] = _admit([draft], redactor)
    except InvalidInput as problem:
        draft = quarantine(found.line, problem.what, draft.id, actor=actor, redactor=redactor)
        [ready] = _admit([draft], redactor)
    return Found(found.line, draft, ready, found.bytes_elsewhere)


def _kept(content: bytes, redactor: Redactor) -> tuple[str, str]:
    """Return a line as text, or as base64; secrets could not be seen in that, so they go before."""
    try:
        return "text", content.decode()
    except UnicodeDecodeError:
        seen = content.decode("utf-8", "surrogateescape")
        cleaned = redactor.clean_text(seen)[0].encode("utf-8", "surrogateescape")
        return "base64", base64.b64encode(cleaned).decode()
