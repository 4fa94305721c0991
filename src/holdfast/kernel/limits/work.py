"""Bounds of evidence, tasks, notes, the gate, other programs and what models say."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.ledger import INPUT_BYTES_MAX
from holdfast.kernel.limits.units import KIB, MIB

UNSEALED_LOOKED_AT: Final = 100
"""Decisions since the last passed gate that are looked at, the newest."""

GIT_TIMEOUT_S: Final = 20.0
GIT_OUTPUT_BYTES_MAX: Final = 64 * MIB
GIT_BLOB_BYTES_MAX: Final = 16 * MIB
"""What git may take for one command and say, and the largest file that is read from it."""

GIT_STATE_BYTES_MAX: Final = 64 * MIB
GIT_STATE_COMMITS_READ: Final = 50
"""Text that is kept in git of a ledger, and versions of it that are looked at, the newest."""

HEALED_ASIDE_MAX: Final = 10_000
"""Damaged files of one name that are kept aside."""

CITATION_GAP_CHARS_MAX: Final = 64
CITATIONS_MAX: Final = 16
CITATION_QUOTE_CHARS_MAX: Final = 2000
CITATION_QUOTES_BYTES_MAX: Final = 16 * KIB
CITATION_PATH_CHARS_MAX: Final = 512
"""Blanks between a quote and its place; citations that a decision rests on, characters of a quote
and of a path, bytes of all quotes together: so what a decision rests on stays out of the vault."""

GROUNDED_AT_ONCE: Final = 4096
"""Decisions whose citations are looked at together, so that each file is read once for all."""

NEAR_IDS_SHOWN: Final = 5
"""Ids that begin alike and are named; that there are more is said."""

QUOTE_WORD_CHARS_MIN: Final = 3
"""Letters and digits without which a quote could stand anywhere."""

QUOTE_COMPARED_CHARS_MAX: Final = 20_000
"""Characters of the cited lines that are looked at to say how little a quote differs."""

SECTION_BYTES_MAX: Final = 64 * KIB
"""Largest definition that is kept whole with a quote; of a larger one the cited lines are kept."""

CHECK_OUTPUT_BYTES_MAX: Final = 16 * KIB
CHECK_TIMEOUT_S: Final = 600.0
CHECKS_FAILED_MAX: Final = 64
"""What is kept of a check's output, the end; how long one may take; and failed checks of a decision
that are told apart, the others are counted."""

WIRE_EVENT_BYTES_MAX: Final = 16 * MIB
"""The largest event of a stream that is read; a larger one passes by, and is counted."""

WIRE_ANSWER_BYTES_MAX: Final = 32 * MIB
"""The longest answer that is kept; what is behind that passes by, and the answer counts as cut."""

WIRE_HISTORIES_MAX: Final = 32
WIRE_HISTORIES_BYTES_MAX: Final = 4 * MIB
WIRE_HISTORIES_SILENT_MAX: Final = 64
"""Requests whose turns are remembered, so that only what is behind them is read: the newest, as
long as not so many others came since. Most conversations are over by then."""

WIRE_RUNS_MAX: Final = 64
"""Runs of events of one answer that are put together; behind them each event is read by itself."""

SUBJECT_WORDS_MAX: Final = 12
SUBJECT_SYMBOLS_MAX: Final = 16
SUBJECT_ALTERNATIVES_MAX: Final = 8
"""Words of a decision's subject, and definitions in its evidence, that it is found by; and
alternatives that are repeated beside them."""

FORK_SAME_MAX: Final = 50
"""Newest decisions on one subject that the gate holds another one against."""

FORK_LOOKED_AT_MAX: Final = 1_000
"""Decisions with a subject near another's that one is held against, the newest; those on the very
same subject are all looked at."""

RULINGS_KEPT_MAX: Final = 4_096
"""Decisions that are remembered while many are held against each other."""

FORK_IDS_MAX: Final = 100
"""Ids that are tried for a fork, or for its ruling, where others took those before."""

FORK_CHARS_MAX: Final = 2_000
"""Characters of a statement that a fork repeats; the entry of the decision has all of it."""

FORK_COMPARED_CHARS_MAX: Final = 4_000
"""Characters of a statement that are compared with another's, the first."""

SCENARIOS_MAX: Final = 100
"""Scenarios that one decision may bring."""

TASK_DEPENDENCIES_MAX: Final = 64
TASK_STEPS_MAX: Final = 16
"""Tasks that one task depends on, and next steps or blockers that its item repeats, the first; the
others are counted."""

SCENARIOS_MIN: Final = 3
"""Test scenarios that a clear needs."""

GATE_BLOCKS_NAMED: Final = 50
"""Things of one kind in the way of a clear that are named; the others are counted."""

GATE_MOVED_NAMED: Final = 5
"""Quotes in the notes that moved and are named, the first; the others are counted."""

CLEAR_LOOKS_MAX: Final = 8
"""How often a clear looks again because others recorded something in between."""

NOTES_REFS_MAX: Final = 50
ASSUMPTIONS_NAMED: Final = 50
"""Places in the notes, and assumptions, that a handoff names, the first."""

ATTENTION_STEP_TOKENS: Final = 1_000
"""Tokens by which a context changes within its zone before that is recorded again."""

DECAY_TOKENS_MIN: Final = 200
DECAY_ENTRIES_MAX: Final = 20_000
DECAY_SUMMARY_CHARS: Final = 80
"""Raw output that becomes an identifier: from so many tokens on, in so many entries of a session,
the newest; and how long the words that stand for it may be."""

HEARTBEAT_QUIET_S: Final = 3600.0
"""After so long without an entry, `status` says that an open session is quiet."""

WATCH_POLL_S: Final = 0.5
"""How often the live view looks whether something was recorded."""

CONVERSATIONS_MAX: Final = 1000
CONVERSATION_TURNS_MAX: Final = 200_000
"""Conversations whose histories are remembered, as hashes, and the turns of them all; the ones
seen longest ago go first."""

NOTES_FILE_BYTES_MAX: Final = 4 * MIB
"""The longest notes file that is read and written."""

NOTES_DECISIONS_MAX: Final = 20
NOTES_ASSUMPTIONS_MAX: Final = 20
NOTES_IDENTIFIERS_MAX: Final = 20
"""Decisions, assumptions and identifiers that the notes show, the newest; the rest is counted."""

NOTES_LOOKED_AT_MAX: Final = 200
"""Decisions that are looked at for that: assumptions are listed apart."""

NOTES_SCENARIOS_MAX: Final = 10
"""Test scenarios that stand beside a decision, the newest."""

NOTES_TEXT_CHARS_MAX: Final = 600
NOTES_TITLE_CHARS_MAX: Final = 80
"""Characters of a text in the notes, and of a heading; what is cut off is counted."""

NOTES_MERGES_MAX: Final = 5
"""How often the notes are merged again when somebody else changed them in the meantime."""

NOTES_DROPPED_MAX: Final = 50
"""Malformed lines of the notes that are named; the others are counted."""

PIVOT_WAITING_NAMED: Final = 5
"""Searches that wait for a pivot which a refusal names; the others are counted."""

INSTALLED_FILE_BYTES_MAX: Final = 4 * MIB
OVERRIDES_MAX: Final = 1_000
"""Largest file that is installed for agents, or that lists them; and how many overrides are looked
at."""

CK_SEARCH_S: Final = 120.0
CK_SAID_BYTES_MAX: Final = 8 * MIB
CK_HITS_MAX: Final = 100
"""What `ck` may take for one search, index included, and say; hits that it is asked for."""

CK_BYTES_MAX: Final = 1024 * MIB
CK_WAIT_S: Final = 10.0
"""Largest `ck` whose digest is taken, and how long it may take to say its version."""

PROGRAM_BYTES_READ: Final = 64 * KIB
"""What is taken at once of what another program says."""

BEADS_TIMEOUT_S: Final = 20.0
BEADS_OUTPUT_BYTES_MAX: Final = INPUT_BYTES_MAX
"""What `bd` may take for one command, and say."""

BEADS_TITLE_CHARS_MAX: Final = 500
BEADS_TEXT_CHARS_MAX: Final = 16_000
BEADS_PARTS_MAX: Final = 50
"""What Beads is given of a task: characters of its title, as many as Beads takes, and of another
text, and decisions, scenarios or handoffs, the newest; the rest is counted."""

PIVOT_SCORE_SHARE: Final = 0.5
"""Share of the best hit's score from which on a hit counts as a result that may need a pivot."""
