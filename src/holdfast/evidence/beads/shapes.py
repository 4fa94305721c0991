"""What `bd` prints, read: as an array, an object, or in an envelope; old issues and new ones.

Only `id` and `title` are needed of an issue. A field that is missing, null or of another type than
it used to be is as if it were not there; it still stands in `raw`.
"""

from __future__ import annotations

from typing import Any

from holdfast.evidence.beads.port import BLOCKS, Issue
from holdfast.kernel.errors import CouldNotLook


def rows(value: Any) -> list[dict[str, Any]]:
    """Return the objects of an answer, whatever stands around them."""
    if isinstance(value, dict) and "schema_version" in value:
        for name in ("data", "items"):
            if name in value:
                return rows(value[name])
    if value is None:
        return []
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(row, dict) for row in found):
        raise CouldNotLook(
            "An answer of Beads is no list of objects.",
            meaning="What it says is not known.",
            remedy="`bd version` tells which one it is; another one may fit.",
        )
    return found


def error_of(value: Any) -> str | None:
    """Return the error that an answer is, None when it is none."""
    if isinstance(value, dict):
        inner = value.get("data") if "schema_version" in value and "data" in value else value
        if isinstance(inner, dict) and isinstance(inner.get("error"), str) and "id" not in inner:
            message = inner.get("message")
            return message if isinstance(message, str) else str(inner["error"])
    return None


def issue_of(row: dict[str, Any]) -> Issue | None:
    """Read an issue, None when the object is something else."""
    name, title = row.get("id"), row.get("title")
    if not isinstance(name, str) or not isinstance(title, str) or not name.strip():
        return None
    return Issue(
        id=name,
        title=title,
        description=_text(row, "description") or "",
        status=_text(row, "status") or "open",
        priority=_priority(row.get("priority")),
        issue_type=_text(row, "issue_type"),
        depends_on=_depends_on(row, name),
        close_reason=_text(row, "close_reason"),
        metadata=_object(row.get("metadata")),
        comments=[text for one in _list(row, "comments") if (text := _text(one, "text"))],
        raw=row,
    )


def _depends_on(row: dict[str, Any], name: str) -> list[str]:
    """Return what blocks an issue: as records of its dependencies, or as the issues themselves."""
    found = []
    for one in _list(row, "dependencies"):
        kind = one.get("type") or one.get("dependency_type") or BLOCKS
        if one.get("issue_id", name) != name or kind != BLOCKS:
            continue
        other = one.get("depends_on_id") or one.get("id")
        if isinstance(other, str):
            found.append(other)
    return list(dict.fromkeys(found))


def _text(row: dict[str, Any], name: str) -> str | None:
    value = row.get(name)
    return value if isinstance(value, str) and value else None


def _list(row: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = row.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _priority(value: Any) -> int | None:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 4
    return value if known else None


def _object(value: Any) -> dict[str, Any]:
    """Return metadata; some versions give it as JSON in a text."""
    if isinstance(value, str):
        import msgspec

        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}
