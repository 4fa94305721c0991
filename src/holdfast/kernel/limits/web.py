"""Bounds of the web page."""

from __future__ import annotations

from typing import Final

WEB_THREADS: Final = 4
"""Pages that are made at the same time."""
WEB_LOOK_S: Final = 0.25
"""How often it is looked whether something was recorded."""
WEB_PING_S: Final = 15.0
"""After which silence a listener is told that there is still somebody."""
WEB_STOP_S: Final = 2.0
"""How long answers on their way may take when the server ends."""
WEB_LISTENERS_MAX: Final = 64
WEB_QUERY_CHARS_MAX: Final = 4096
WEB_ROWS_MAX: Final = 200
"""Rows of a page."""
WEB_TEXT_CHARS_MAX: Final = 4_000
"""Characters of one text on a page; the entry itself has all of it."""
WEB_VALUE_BYTES_MAX: Final = 1_000_000
"""Bytes of an entry that is shown in full."""
WEB_LANES_MAX: Final = 200
"""Sessions of a timeline."""
WEB_MARKS_MAX: Final = 2_000
"""Marks of a timeline that are drawn one by one."""
WEB_BUCKETS_MAX: Final = 400
WEB_TOKEN_BYTES: Final = 24
