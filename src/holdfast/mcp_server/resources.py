"""The resources: which there are, and how each is addressed."""

from __future__ import annotations

from typing import Final

from holdfast.mcp_server.values import Listed

SCHEME: Final = "holdfast"

LISTED: Final = (
    Listed("holdfast://entries", "entries", "The newest entries of the ledger, a line each."),
    Listed("holdfast://sessions", "sessions", "The newest sessions, a line each."),
    Listed("holdfast://notes", "notes", "NOTES.md as it stands.", "text/markdown"),
    Listed(
        "holdfast://state-map",
        "state map",
        "What the proxy knows to be true of the code: definitions and their states.",
    ),
)

TEMPLATES: Final = (
    Listed(
        "holdfast://entry/{key}",
        "entry",
        "One entry by its number or id, as it is stored.",
        "application/json",
    ),
    Listed("holdfast://entries{?before}", "older entries", "Entries before a number."),
    Listed("holdfast://session/{id}{?before}", "session", "The entries of a session."),
    Listed(
        "holdfast://state-map{?path,after}",
        "state map of a path",
        "Definitions of paths that begin so.",
    ),
)
