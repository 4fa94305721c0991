"""What leads up to a clear: the attention budget, the gate, the handoff; and what was healed."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from holdfast.kernel.types.model import (
    Count,
    Model,
    Name,
    Names,
    Number,
    Text,
    Texts,
    Told,
    VaultRef,
)

Zone: TypeAlias = Literal["green", "yellow", "orange", "red"]
Enforcement: TypeAlias = Literal["strict", "warn", "disabled"]


class AttentionMeasured(Model, frozen=True, kw_only=True):
    """How full the context is."""

    tokens: Count
    zone: Zone
    counter: Told
    """Who counted."""
    source: Told
    window: Count | None = None
    model: Text | None = None


class DeltaSynced(Model, frozen=True, kw_only=True):
    """Work was written down at yellow, so that a crash does not take it."""

    tokens: Count
    decisions_persisted: Count
    task: Name | None = None
    notes_refs: Texts | None = None


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Something that stands in the way of a clear."""

    step: Count
    reason: Told
    remedy: Text
    ref: Text | None = None


class GateRan(Model, frozen=True, kw_only=True):
    """The seven steps before a clear, and whether they passed."""

    passed: bool
    trigger: Told
    enforcement: Enforcement
    threshold: Number
    grounding_ratio: Number | None
    """Null when it could not be worked out."""
    decisions: Count
    grounded: Count
    assumptions: Count
    blocks: list[Block] | VaultRef


class HandoffMade(Model, frozen=True, kw_only=True):
    """What the next session is given."""

    task: Name | None = None
    notes_refs: Texts
    edd_verified: bool
    grounding_ratio: Number
    next_steps: Texts
    root_span_id: Name | None = None
    next_session_ready: bool
    save: Name | None = None
    trajectory_ref: Text | None = None
    assumptions: Names | None = None
    tokens_full: Count | None = None
    """Tokens of the raw output that left the working set."""
    tokens_kept: Count | None = None
    """Tokens of the identifiers that stand for it."""


class Healed(Model, frozen=True, kw_only=True):
    """Something missing or damaged was recovered."""

    what: Told
    damage: Told
    source: Told
    """git-ref, git-history, git-checkout, template, reindex, ledger, archives."""
    kept_as: Text | None = None
    """Where the damaged original was put."""
    detail: Text | None = None
