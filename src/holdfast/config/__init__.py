"""Settings: their names, defaults, files and rules.

    load(place.settings).settings.gate.enforcement

`model` has every setting, `rules` what a project may do with one, `loading` where values come from.
"""

from holdfast.config.foreign import NAME as FOREIGN
from holdfast.config.loading import (
    DEBUG_VARIABLE,
    Effective,
    Loaded,
    data_folder,
    debugging,
    foreign_file,
    load,
    named_ledger,
    user_file,
)
from holdfast.config.model import (
    Agents,
    Attention,
    Checkpoint,
    Gate,
    Integrity,
    Lock,
    Notes,
    Proxy,
    Record,
    Redaction,
    Seal,
    Search,
    Setting,
    Settings,
    Tasks,
    Where,
)
from holdfast.config.rules import Rule

__all__ = [
    "DEBUG_VARIABLE",
    "FOREIGN",
    "Agents",
    "Attention",
    "Checkpoint",
    "Effective",
    "Gate",
    "Integrity",
    "Loaded",
    "Lock",
    "Notes",
    "Proxy",
    "Record",
    "Redaction",
    "Rule",
    "Seal",
    "Search",
    "Setting",
    "Settings",
    "Tasks",
    "Where",
    "data_folder",
    "debugging",
    "foreign_file",
    "load",
    "named_ledger",
    "user_file",
]
