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
WEB_APART_IDLE_S: Final = 20.0
"""After which silence a process that folds for the page is ended; its memory goes with it."""
WEB_APART_S: Final = 120.0
"""How long such a process may take for a page."""
WEB_GATE_S: Final = 120.0
"""How long the page lets the gate look."""
WEB_GATE_KEPT_S: Final = 10.0
"""How long what the gate said is shown, at least, whatever is recorded meanwhile."""
WEB_GATE_SAME_S: Final = 60.0
"""The same, while nothing is recorded: the code may have changed."""
WEB_GATE_REST: Final = 5
"""How many times as long as a look took the next one waits."""
WEB_BLOCKS_MAX: Final = 50
"""Of what is in the way of a clear, how much a page holds; the rest is counted."""
WEB_BOOT_S: Final = 600.0
"""How long the page lets a save boot."""
WEB_BOOTS_KEPT: Final = 200
"""Saves of which it is kept how they booted."""
WEB_BEHIND_MAX: Final = 5_000
"""Entries that the server takes into the views itself; more are taken in by a process apart."""
WEB_VIEWS_S: Final = 3_600.0
"""How long that may take."""
WEB_ANCHORS_MAX: Final = 20
"""Tree heads of one kind that are compared with the ledger."""
WEB_ANSWER_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of an answer from a process apart."""
