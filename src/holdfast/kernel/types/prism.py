"""The six types of the append-only state protocol, with its field names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from holdfast.kernel.types.evidence import Grounded
from holdfast.kernel.types.model import Count, Model, Names, Number, Text, Texts, Told


class Decision(Model, frozen=True, kw_only=True):
    """A choice, why it was made and what else was weighed."""

    question: Text
    choice: Told
    reasoning: Text
    alternatives: Texts
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    supersedes: Names | None = None
    """Ids of decisions that no longer hold because of this one."""
    cites: Names | None = None
    """Ids of entries that this one rests on."""
    subject: Text | None = None
    grounds: Grounded | None = None
    """What it rests on: `Grounds`, where it can be read as that."""


class FileChange(Model, frozen=True, kw_only=True):
    """A file that was created, modified or deleted. `hash_after` is null for a deleted one."""

    path: Told
    action: Literal["create", "modify", "delete"]
    size_before: Count
    size_after: Count
    lines_changed: Count
    diff_summary: Text
    hash_after: Text | None


class Checkpoint(Model, frozen=True, kw_only=True):
    """Where the work stands, and how to go on."""

    task: Text
    completed: Count
    total: Count
    files_created: Texts
    files_modified: Texts
    decisions_made: Count
    next_action: Text
    quick_resume: Told
    cites: Names | None = None


class ErrorMet(Model, frozen=True, kw_only=True):
    """Something that went wrong. What is not known yet is null."""

    error_type: Told
    message: Text
    context: Text | None
    resolution: Text | None
    prevention: Text | None


class Metric(Model, frozen=True, kw_only=True):
    """A number that was measured against a threshold."""

    name: Told
    value: Number
    threshold: Number
    passed: bool
    components: dict[str, Any]


class Compression(Model, frozen=True, kw_only=True):
    """Entries that moved, in full, into an archive."""

    entries_compressed: Count
    sessions_covered: Texts
    archive_path: Told
    summary: dict[str, Any]
    restore_index: dict[str, Any]
