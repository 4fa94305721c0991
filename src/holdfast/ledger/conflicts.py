"""A fork as it is recorded: two sides that cannot both hold, under a name that follows from both.

Whoever finds it gives it the same name, so that it is opened once. Which are open is asked of
`forks`.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.limits import FORK_CHARS_MAX
from holdfast.ledger.ledger import Draft
from holdfast.ledger.rulings import Ruling
from holdfast.stores.wording import bounded
from holdfast.views.contradictions import Conflict, Statement
from holdfast.views.truth import higher

ID_HEX: Final = 12


class Fork(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides that cannot both hold."""

    fork: str
    subject: str
    statement: str
    against: str
    reason: str
    higher: str
    decision: str | None = None
    against_decision: str | None = None

    def draft(self, session_id: str | None = None) -> Draft:
        """Return the entry that opens it."""
        data = msgspec.to_builtins(self)
        return Draft(
            "fork_opened",
            {name: value for name, value in data.items() if value is not None},
            session_id,
            id=self.fork,
        )

    def of(self, decision: str) -> Fork:
        """Return the same fork with another decision on this side."""
        name = fork_id(decision, self.fork)
        return msgspec.structs.replace(self, fork=name, decision=decision)

    def is_about(self, files: Iterable[str]) -> bool:
        """Tell whether it is between a statement and one of these files, named from the root."""
        places = tuple(f"{file}:" for file in files)
        return self.against_decision is None and self.reason.startswith(places)


class CodeConflict(msgspec.Struct, frozen=True):
    """A quote that the code contradicts: at its place the file says something else."""

    place: str
    quote: str
    says: str
    """What does stand there, as a citation."""

    def fork(self, decision: str | None, statement: Statement) -> Fork:
        """Return the fork between a statement and the code."""
        return Fork(
            fork=fork_id(decision or statement.choice, self.place, self.quote, self.says),
            subject=bounded(statement.subject or self.place, FORK_CHARS_MAX),
            statement=bounded(statement.choice, FORK_CHARS_MAX),
            against=bounded(self.says, FORK_CHARS_MAX),
            reason=bounded(f"{self.place} does not say {self.quote!r}.", FORK_CHARS_MAX),
            higher=higher(statement.source, "code").text,
            decision=decision,
        )


def derived_id(kind: str, *parts: str) -> str:
    """Return an id that follows from others, so that the same is recorded once."""
    return f"{kind}-{sha256(canonical.encode(parts)).hexdigest()[:ID_HEX]}"


def fork_id(*parts: str) -> str:
    """Return the id of the fork between two sides."""
    return derived_id("fork", *parts)


def fork_of(statement: Statement, ruling: Ruling, found: Conflict, *, decision: str | None) -> Fork:
    """Return the fork between a statement and a decision that holds."""
    subject = statement.subject or ruling.statement.subject or ", ".join(statement.symbols)
    return Fork(
        fork=fork_id(decision or statement.choice, ruling.id),
        subject=bounded(subject or statement.choice, FORK_CHARS_MAX),
        statement=bounded(statement.choice, FORK_CHARS_MAX),
        against=bounded(ruling.statement.choice, FORK_CHARS_MAX),
        reason=bounded(found.reason, FORK_CHARS_MAX),
        higher=higher(statement.source, ruling.statement.source).text,
        decision=decision,
        against_decision=ruling.id,
    )
