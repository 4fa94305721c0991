"""The closed, versioned registry of entry types.

A type has a name, a version and a model of its data. Data is checked against the model when it is
appended and kept in full: fields the model does not know stay, value for value. Reading an older
version runs pure upcasts, one step at a time; stored bytes are never rewritten.
"""

from __future__ import annotations

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
from holdfast.kernel.types.sessions import SessionEnded, SessionStarted

TYPES = Registry(
    TypeSpec("decision", Decision),
    TypeSpec("file_change", FileChange),
    TypeSpec("checkpoint", Checkpoint),
    TypeSpec("error", ErrorMet),
    TypeSpec("metric", Metric),
    TypeSpec("compression", Compression),
    TypeSpec("session_started", SessionStarted),
    TypeSpec("session_ended", SessionEnded),
)

__all__ = [
    "TYPES",
    "Checkpoint",
    "Compression",
    "Decision",
    "ErrorMet",
    "FileChange",
    "Metric",
    "Model",
    "Registry",
    "SessionEnded",
    "SessionStarted",
    "Text",
    "TypeSpec",
    "VaultRef",
]
