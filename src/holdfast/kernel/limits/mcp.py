"""Bounds of the MCP server."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import MIB

MCP_RESULT_CHARS_MAX: Final = 6_000
"""Characters of a result, about 1,500 tokens; what is cut off is counted, with how to get it."""

MCP_RESOURCE_CHARS_MAX: Final = 32_000
"""Characters of a resource that is text; what is cut off is counted."""

MCP_ARGUMENT_CHARS_MAX: Final = 256 * 1024
"""Characters of one text that a tool is given."""

MCP_LIST_MAX: Final = 100
"""Items of one list that a tool is given."""

MCP_HITS_DEFAULT: Final = 5
"""Hits of a recall that are shown unless more are asked for."""

MCP_LINES_MAX: Final = 50
"""Entries, sessions, tasks or definitions on one page of a list."""

MCP_LINE_CHARS_MAX: Final = 160
"""Characters of an entry on such a list."""

MCP_SAID_CHARS_MAX: Final = 600
"""Characters of one sentence of a result, which may quote something."""

MCP_BODY_BYTES_MAX: Final = 4 * MIB
"""The largest request that is taken over HTTP."""

MCP_CALLS_AT_ONCE: Final = 4
"""Calls that are worked on side by side; others wait."""

MCP_TOKEN_BYTES: Final = 32
"""Chance in a token that the server makes itself."""

MCP_STOP_S: Final = 2.0
"""What open answers are given to end when the server is told to stop."""
