"""Bounds of what agents tell, and of what they are told."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

HOOK_PAYLOAD_BYTES_MAX: Final = 16 * MIB
HOOK_RAW_BYTES_MAX: Final = 64 * KIB
"""The longest payload of a hook that is read, and what is kept of one that cannot be read, the
beginning."""

HOOK_FILES_MAX: Final = 64
"""Files of one event that are kept as they were right after it; others are for the next scan."""

INTAKE_BYTES_MAX: Final = 1 * MIB
"""What may wait in the intake before a hook process takes it in itself."""

INTAKE_PROBLEMS_BYTES_MAX: Final = 64 * KIB
INTAKE_TIMINGS_BYTES_MAX: Final = 128 * KIB
"""What is kept of hooks' problems and timings; when there is more, the newer half."""

STAKES_BYTES_MAX: Final = 16 * KIB
"""What is kept of what sessions were told when a turn ended; of more, the newer half."""

HOOK_TURN_WAIT_S: Final = 5.0
"""How long somebody waits for another process that takes in what waits."""

HOOK_LOCK_WAIT_S: Final = 2.0
"""How long a hook waits for other writers of the ledger before its event stays in the intake."""

LAST_EVENTS_MAX: Final = 256
"""Sessions whose last event is remembered, the newest."""

LOSS_ENTRIES_MAX: Final = 20_000
"""Entries of a session that are looked at for what a compaction dropped, the newest."""

LOSS_TEXT_CHARS_MAX: Final = 20_000
LOSS_SENTENCES_MAX: Final = 200
"""Characters and sentences of one prompt that are looked at, from its beginning."""

LOSS_SUMMARY_CHARS_MAX: Final = 256 * KIB
"""Characters of a summary that are looked at, from its beginning."""

LOSS_SHOWN_CHARS: Final = 400
"""Characters of an item that are shown; its entry has all of it."""

LOSS_GIVEN_MAX: Final = 20
LOSS_GIVEN_LOOKED_AT: Final = 2_000
"""What was given to agents after a context was emptied: how often at most it is told, and how many
entries are looked at for that, from then on."""

HEARTBEAT_LATE_S: Final = 600
"""How far an agent's own transcript may be ahead of its hooks before they count as dead."""

HOOK_PROBLEM_FRESH_S: Final = 86_400
"""How long the doctor goes on about a hook's problem."""

TRACES_LOOKED_AT: Final = 200
TRACE_BYTES_READ: Final = 64 * KIB
"""Transcripts that are looked at for a project's newest, and bytes that are read of one."""

BRIEFING_LINE_CHARS: Final = 400
"""Characters of one line that an agent is told when it comes back; its entry has all of it."""

BRIEFING_SESSIONS_MAX: Final = 8
"""How many sessions back what was said and done is told to an agent that comes back."""

BRIEFING_DECISIONS_MAX: Final = 50
"""Decisions that an agent may be told when it comes back, the newest."""

REPLY_CHARS_MAX: Final = 2_000
"""Characters of what a person is told, or why something is held back."""

PRIVATE_SLACK_S: Final = 2
"""How far beside a private session's hooks the lines of its transcript may be."""
