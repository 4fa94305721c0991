"""What a line of another system says: read strictly, named by its content, dated as it is dated."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from holdfast.kernel import canonical
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import IMPORT_LINE_BYTES_MAX, MIB
from holdfast.ledger.importing.lines import Line

UTC: Final = "UTC"


class Odd(Exception):
    """Leave the reading of a line: says why it is no entry."""


def parse(line: Line) -> dict[str, Any]:
    """Read a line as one JSON object, or say why it is none."""
    if line.part is not None:
        raise Odd(f"the line has more than {IMPORT_LINE_BYTES_MAX // MIB} MiB")
    try:
        line.content.decode()
    except UnicodeDecodeError as error:
        raise Odd(f"byte {error.start} is not UTF-8") from error
    try:
        record = canonical.decode(line.content)
    except InvalidInput as problem:
        raise Odd(f"it is not JSON that has one meaning: {problem.what}") from problem
    if not isinstance(record, dict):
        raise Odd("it is not a JSON object")
    return record


def is_naive(text: str) -> bool:
    """Tell whether a time names no zone."""
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def digest(text: str) -> str:
    """Return what names a text; half characters are taken as they are."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:40]


def usable_name(given: Any) -> str | None:
    """Return a name that an entry can carry, None for one that it cannot."""
    try:
        return entries.check_name("The name", given) if isinstance(given, str) and given else None
    except InvalidInput:
        return None
