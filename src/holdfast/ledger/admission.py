"""What happens to data on its way into an entry, in this order.

Odd values are set aside, secrets are replaced, the type's fields are checked, large parts go to the
vault. What comes out is the exact bytes that will be stored and hashed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import (
    BATCH_ENTRIES_MAX,
    ENTRY_BYTES_MAX,
    INLINE_BYTES_MAX,
    INPUT_BYTES_MAX,
)
from holdfast.kernel.types import TYPES
from holdfast.ledger import vault
from holdfast.ledger.redaction import Redactor

Given: TypeAlias = tuple[str, Mapping[str, Any]]
"""A type's name and the data for it."""


class Admitted(msgspec.Struct, frozen=True, gc=False):
    """Data as it will be stored."""

    data: bytes
    version: int
    artifacts: Mapping[str, bytes] = {}
    redactions: int = 0


def admit(type_name: str, data: Mapping[str, Any], redactor: Redactor) -> Admitted:
    """Bring data into the form it is stored in, or refuse it saying why."""
    try:
        encoded = canonical.encode(data)
    except InvalidInput:
        _refuse_typed_sections(type_name, data)
        return _admit_slowly(type_name, data, redactor)
    return _admit_spelled(type_name, data, encoded, redactor, suspected=redactor.suspects(encoded))


def admit_all(given: Sequence[Given], redactor: Redactor) -> list[Admitted]:
    """Admit a batch: all of it or nothing. Most hold no secret, which one look at all tells."""
    try:
        lines = canonical.encode_all([data for _, data in given])
    except InvalidInput:
        lines = []
    if not lines:
        return [admit(type_name, data, redactor) for type_name, data in given]
    suspected = redactor.suspects_each(lines)
    special = _are_special(lines)
    return [
        _admit_spelled(type_name, data, line, redactor, suspected=found)
        if found or special or len(line) > INLINE_BYTES_MAX
        else Admitted(line, TYPES.check(type_name, data))
        for (type_name, data), line, found in zip(given, lines, suspected, strict=True)
    ]


def _admit_spelled(
    type_name: str, data: Mapping[str, Any], encoded: bytes, redactor: Redactor, *, suspected: bool
) -> Admitted:
    """Admit data of which the canonical spelling is known and was looked at."""
    if type_name in _GROUNDED and _GROUNDS in encoded:
        _refuse_typed_sections(type_name, data)
    if suspected or len(encoded) > INLINE_BYTES_MAX or vault.has_reserved_key(encoded):
        return _admit_slowly(type_name, data, redactor, suspected=suspected)
    return Admitted(encoded, TYPES.check(type_name, data))


def check_number(entries: int) -> None:
    """Refuse to append more at once than others should wait for."""
    if entries > BATCH_ENTRIES_MAX:
        raise InvalidInput(
            f"{entries} entries were given at once.",
            meaning="Nothing was recorded.",
            remedy=f"Append at most {BATCH_ENTRIES_MAX} at a time.",
        )


def check_looked(type_names: Sequence[str], at: int | None) -> None:
    """Refuse to move an artifact for somebody who does not say what its state was when they looked.

    Whether it may move follows from entries before; others may have come in between.
    """
    if at is None and "artifact_moved" in type_names:
        raise InvalidInput(
            "An artifact is to move, but from a state that nobody says they looked at.",
            meaning="Nothing was recorded.",
            remedy="Give `at`: how many entries there were when its state was read.",
        )


_GROUNDED: Final = frozenset({"decision", "decision_grounded"})
_GROUNDS: Final = b'"grounds":'


def _are_special(lines: Sequence[bytes]) -> bool:
    """Tell whether any data of a batch may hold what is not stored as it is given."""
    encoded = b"\n".join(lines)
    return _GROUNDS in encoded or vault.has_reserved_key(encoded)


def _refuse_typed_sections(type_name: str, data: Any) -> None:
    """Refuse what is said to be a file's text unless it comes marked as read from one.

    The vault's word for a quote is taken for good, so nobody may put there what no file said.
    """
    if type_name not in _GROUNDED:
        return
    grounds = data.get("grounds") if isinstance(data, Mapping) else None
    evidence = grounds.get("evidence") if isinstance(grounds, Mapping) else None
    for citation in evidence if isinstance(evidence, (list, tuple)) else ():
        section = citation.get("section") if isinstance(citation, Mapping) else None
        if section is None or isinstance(section, vault.Verbatim):
            continue
        raise InvalidInput(
            "A section of a file was typed in, not read.",
            meaning="Nothing was recorded.",
            remedy="Give the citation itself: `holdfast decide … --evidence` reads the file.",
        )


def admit_derived(type_name: str, data: Mapping[str, Any]) -> Admitted:
    """Admit what was made of entries alone; their secrets were replaced when they were recorded.

    Looking for secrets again could change the ids of sessions, by which these are found.
    """
    artifacts: dict[str, bytes] = {}
    value = vault.escape(data)
    version = TYPES.check(type_name, value)
    encoded = canonical.encode(value)
    if len(encoded) > INLINE_BYTES_MAX:
        encoded = canonical.encode(vault.lift(value, artifacts))
        _check_size(len(encoded), ENTRY_BYTES_MAX)
    return Admitted(encoded, version, artifacts)


def _admit_slowly(
    type_name: str, given: Mapping[str, Any], redactor: Redactor, *, suspected: bool | None = None
) -> Admitted:
    """Set odd values aside, redact, check, and move large parts to the vault.

    `suspected` is what a look at the spelling of the data said, where there was one.
    """
    artifacts: dict[str, bytes] = {}
    data, redactions = _make_plain(given, artifacts, redactor)
    encoded = canonical.encode(data)
    _check_size(len(encoded) + sum(map(len, artifacts.values())), INPUT_BYTES_MAX)
    if data is not given or suspected is None:
        suspected = redactor.suspects(encoded)
    if suspected:
        data, found = redactor.clean(data)
        redactions += found
        encoded = canonical.encode(data)
    version = TYPES.check(type_name, data)
    if len(encoded) > INLINE_BYTES_MAX:
        lifted = vault.lift(data, artifacts)
        TYPES.check(type_name, lifted)  # what must stand in the entry may be too large for it
        encoded = canonical.encode(lifted)
        _check_size(len(encoded), ENTRY_BYTES_MAX)
    return Admitted(encoded, version, artifacts, redactions)


def _make_plain(
    data: Mapping[str, Any], artifacts: dict[str, bytes], redactor: Redactor
) -> tuple[Any, int]:
    """Return data that canonical JSON can hold, and how much was redacted on the way."""
    try:
        encoded = canonical.encode(data)
    except InvalidInput:
        return vault.set_aside(data, artifacts, redactor)
    return (vault.escape(data) if vault.has_reserved_key(encoded) else data), 0


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise InvalidInput(
            f"The data is {size:,} bytes of JSON; at most {most:,} fit.",
            meaning="Nothing was recorded.",
            remedy="Record it in several entries, or keep it in a file and record its hash.",
        )
