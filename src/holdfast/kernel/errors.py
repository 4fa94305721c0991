"""Every error holdfast raises on purpose: one tree, at most twelve classes.

    HoldfastError
    ├── InvalidInput          what was given cannot be used
    ├── NotFound              the thing asked for is not in this ledger
    ├── NotALedger            there is no ledger here, or the file is something else
    ├── NewerFormat           written by a newer holdfast
    ├── Unsupported           this machine or file system cannot keep the promises
    ├── Conflict              the head moved: nothing was written
    ├── Busy                  other writers kept the ledger too long: nothing was written
    ├── StorageFailed         the disk refused: nothing was acknowledged
    ├── Damaged               stored bytes are not what was sealed
    │   └── BootFailed        a save and what it was made of do not agree
    └── CouldNotLook          a check or a reader could not look: nothing was found out

A message has three parts: what happened, what it means for the user's data, what to do next.
Errors of libraries are translated at the engine's boundary; none of theirs escapes.
"""

from __future__ import annotations


class HoldfastError(Exception):
    """Say what happened, what it means for the data, and what to do."""

    def __init__(self, what: str, *, meaning: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.meaning = meaning
        self.remedy = remedy

    def __str__(self) -> str:
        return " ".join(part for part in (self.what, self.meaning, self.remedy) if part)


class InvalidInput(HoldfastError):
    """What was given cannot be used; nothing was written."""


class NotFound(HoldfastError):
    """The thing asked for is not in this ledger."""


class NotALedger(HoldfastError):
    """There is no ledger at this place, or the file is something else."""


class NewerFormat(HoldfastError):
    """The ledger was written by a newer holdfast; it was left untouched."""


class Unsupported(HoldfastError):
    """This machine, file system or library cannot keep the promises."""


class Conflict(HoldfastError):
    """The head is not the expected one; nothing was written."""


class Busy(HoldfastError):
    """Other writers kept the ledger for too long; nothing was written."""


class StorageFailed(HoldfastError):
    """The disk or the database refused; nothing was acknowledged."""


class Damaged(HoldfastError):
    """Stored bytes are not what was sealed."""


class BootFailed(Damaged):
    """A save and what it was made of do not agree; nothing was changed."""

    def __init__(
        self,
        what: str,
        *,
        step: int,
        expected: str,
        found: str,
        meaning: str = "Nothing was changed.",
        remedy: str = "",
    ) -> None:
        super().__init__(what, meaning=meaning, remedy=remedy)
        self.step = step
        """Which of the twelve steps of a cold boot."""
        self.expected = expected
        self.found = found


class CouldNotLook(HoldfastError):
    """Something was not looked at: not "there is nothing", and not "all is well"."""
