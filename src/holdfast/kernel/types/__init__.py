"""The closed, versioned registry of entry types.

A type has a name, a version and a model of its data. Data is checked against the model when it is
appended and kept in full: fields the model does not know stay, value for value. Reading an older
version runs pure upcasts, one step at a time; stored bytes are never rewritten.
"""

from __future__ import annotations

from holdfast.kernel.types.keeping import (
    ArtifactErased,
    LedgerContinued,
    LineQuarantined,
    PinRevised,
    RolledBack,
)
from holdfast.kernel.types.model import Model, Text, VaultRef
from holdfast.kernel.types.prism import (
    Checkpoint,
    Compression,
    Decision,
    ErrorMet,
    FileChange,
    Metric,
)
from holdfast.kernel.types.registry import Registry, TypeSpec
from holdfast.kernel.types.sessions import Holder, SessionEnded, SessionStarted
from holdfast.kernel.types.story import (
    FactRecorded,
    FactWithdrawn,
    MilestoneReached,
    PendingOpened,
    PendingResolved,
    PendingStepTaken,
    SceneEnded,
    SceneStarted,
    StorySet,
    UnlockGranted,
)
from holdfast.kernel.types.work import (
    AgentSaid,
    CommandRan,
    PromptGiven,
    ToolCalled,
    WorkClosed,
    WorkOpened,
)

TYPES = Registry(
    TypeSpec("decision", Decision),
    TypeSpec("file_change", FileChange),
    TypeSpec("checkpoint", Checkpoint),
    TypeSpec("error", ErrorMet),
    TypeSpec("metric", Metric),
    TypeSpec("compression", Compression),
    TypeSpec("session_started", SessionStarted),
    TypeSpec("session_ended", SessionEnded),
    TypeSpec("prompt_given", PromptGiven),
    TypeSpec("agent_said", AgentSaid),
    TypeSpec("tool_called", ToolCalled),
    TypeSpec("command_ran", CommandRan),
    TypeSpec("work_opened", WorkOpened),
    TypeSpec("work_closed", WorkClosed),
    TypeSpec("artifact_erased", ArtifactErased),
    TypeSpec("line_quarantined", LineQuarantined),
    TypeSpec("fact_recorded", FactRecorded),
    TypeSpec("fact_withdrawn", FactWithdrawn),
    TypeSpec("unlock_granted", UnlockGranted),
    TypeSpec("story_set", StorySet),
    TypeSpec("scene_started", SceneStarted),
    TypeSpec("scene_ended", SceneEnded),
    TypeSpec("milestone_reached", MilestoneReached),
    TypeSpec("pending_opened", PendingOpened),
    TypeSpec("pending_step_taken", PendingStepTaken),
    TypeSpec("pending_resolved", PendingResolved),
    TypeSpec("pin_revised", PinRevised),
    TypeSpec("rolled_back", RolledBack),
    TypeSpec("ledger_continued", LedgerContinued),
)

__all__ = [
    "TYPES",
    "AgentSaid",
    "ArtifactErased",
    "Checkpoint",
    "CommandRan",
    "Compression",
    "Decision",
    "ErrorMet",
    "FactRecorded",
    "FactWithdrawn",
    "FileChange",
    "Holder",
    "LedgerContinued",
    "LineQuarantined",
    "Metric",
    "MilestoneReached",
    "Model",
    "PendingOpened",
    "PendingResolved",
    "PendingStepTaken",
    "PinRevised",
    "PromptGiven",
    "Registry",
    "RolledBack",
    "SceneEnded",
    "SceneStarted",
    "SessionEnded",
    "SessionStarted",
    "StorySet",
    "Text",
    "ToolCalled",
    "TypeSpec",
    "UnlockGranted",
    "VaultRef",
    "WorkClosed",
    "WorkOpened",
]
