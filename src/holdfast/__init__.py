"""holdfast: the lossless ledger for AI agents.

    import holdfast

    with holdfast.open("my-project") as ledger:
        receipt = ledger.append("decision", {...})

Names are loaded when they are first used: a hook that needs few of them starts fast. It does not
even wait for `typing` and `__future__`.
"""

from holdfast.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.kernel.entry import Actor, Entry, Span
    from holdfast.kernel.errors import (
        BootFailed,
        Busy,
        Conflict,
        Damaged,
        HoldfastError,
        InvalidInput,
        NewerFormat,
        NotALedger,
        NotFound,
        StorageFailed,
        Unsupported,
    )
    from holdfast.kernel.snapshot import SaveSnapshot
    from holdfast.ledger.booting import Booted, cold_boot
    from holdfast.ledger.ledger import Draft, Ledger, Receipt
    from holdfast.ledger.vault import RawJSON
    from holdfast.ledger.verify import Report
    from holdfast.storage.port import Fault, Selection
    from holdfast.views.compaction import Compaction
    from holdfast.views.compactions import CompactionRegistry
    from holdfast.views.pins import environment_pins
    from holdfast.wiring.opening import open_ledger as open
    from holdfast.wiring.recovering import LastCheckpoint
    from holdfast.wiring.state_manager import StateManager
    from holdfast.wiring.tool_calls import ToolCall

_HOMES = {
    "holdfast.kernel.entry": ("Actor", "Entry", "Span"),
    "holdfast.kernel.errors": (
        "BootFailed",
        "Busy",
        "Conflict",
        "Damaged",
        "HoldfastError",
        "InvalidInput",
        "NewerFormat",
        "NotALedger",
        "NotFound",
        "StorageFailed",
        "Unsupported",
    ),
    "holdfast.kernel.snapshot": ("SaveSnapshot",),
    "holdfast.ledger.booting": ("Booted", "cold_boot"),
    "holdfast.ledger.ledger": ("Draft", "Ledger", "Receipt"),
    "holdfast.ledger.vault": ("RawJSON",),
    "holdfast.ledger.verify": ("Report",),
    "holdfast.storage.port": ("Fault", "Selection"),
    "holdfast.views.compaction": ("Compaction",),
    "holdfast.views.compactions": ("CompactionRegistry",),
    "holdfast.views.pins": ("environment_pins",),
    "holdfast.wiring.opening": ("open",),
    "holdfast.wiring.recovering": ("LastCheckpoint",),
    "holdfast.wiring.state_manager": ("StateManager",),
    "holdfast.wiring.tool_calls": ("ToolCall",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Actor",
    "BootFailed",
    "Booted",
    "Busy",
    "Compaction",
    "CompactionRegistry",
    "Conflict",
    "Damaged",
    "Draft",
    "Entry",
    "Fault",
    "HoldfastError",
    "InvalidInput",
    "LastCheckpoint",
    "Ledger",
    "NewerFormat",
    "NotALedger",
    "NotFound",
    "RawJSON",
    "Receipt",
    "Report",
    "SaveSnapshot",
    "Selection",
    "Span",
    "StateManager",
    "StorageFailed",
    "ToolCall",
    "Unsupported",
    "__version__",
    "cold_boot",
    "environment_pins",
    "open",
]


def __getattr__(name: str) -> "Any":
    if name not in _HOME_OF:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_HOME_OF[name]), "open_ledger" if name == "open" else name)
    globals()[name] = found
    return found


def __dir__() -> "list[str]":
    return __all__
