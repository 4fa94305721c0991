"""Bounds of what is shown, kept and searched."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

QUICK_RESUME_TOKENS_MAX: Final = 100
"""Length of a quick resume."""

CAPSULE_TOKENS_MAX: Final = 100
CAPSULE_DECISIONS: Final = 3
CAPSULE_DECISION_TOKENS_MAX: Final = 18
"""Length of the capsule, decisions in it, and what one of them takes by the built-in counter, which
errs high: no more than 16 by a tokenizer."""

RECALL_TOKENS_MAX: Final = 500
"""Length of what level 2 of a resume tells."""

CHECKPOINT_ENTRIES_READ: Final = 2000
"""Newest entries of a session that a checkpoint looks at; what is older is counted as unseen."""

WATCHED_FILES_MAX: Final = 2000
WATCHED_FILE_BYTES_MAX: Final = 16 * MIB
WATCHED_BYTES_MAX: Final = 64 * MIB
"""What is looked at around a tool call: files, bytes of one, bytes of all."""

DIFF_BYTES_MAX: Final = 1 * MIB
"""A longer file is compared by its hash alone."""

DIFF_EDITS_MAX: Final = 400
"""Lines added and removed that are told apart one by one; above it they are only counted."""

DIFF_NAMES_MAX: Final = 4
"""Names of functions and classes in a diff summary."""

UNLOOKED_NAMED_MAX: Final = 20
"""Paths that an entry names as not looked at; the others are counted."""

FILE_CHANGES_LOOKED_AT: Final = 500
"""Newest file changes among which the last one of a path is looked for."""

FILES_REMEMBERED_MAX: Final = 64
"""Files whose content a process keeps in mind, to say later what changed."""

PARAM_CHARS_MAX: Final = 500
PARAM_DEPTH_MAX: Final = 8
"""Characters and levels of an argument of a wrapped tool that are recorded without being asked."""

ITEM_CHARS_MAX: Final = 160
"""Characters of a text that a store's item or a view repeats; the entry has all of it."""

RESUME_PART_CHARS_MAX: Final = 160
RESUME_CLAUSE_TOKENS_MAX: Final = 50
"""One fact in a quick resume, and what is said behind it about the entries that came since."""

FACT_COMMANDS_MAX: Final = 5
FACT_FILES_MAX: Final = 50
FACT_LINE_CHARS_MAX: Final = 2000
"""Commands and paths that a checkpoint repeats, and how much of a command; the rest is counted."""

SUMMARY_SHARE: Final = 12
SUMMARY_BYTES_FLOOR: Final = 600
SUMMARY_BYTES_MAX: Final = 16 * KIB
"""A session's summary takes at most one part in SUMMARY_SHARE of the bytes it stands for, but may
always be as long as the floor."""

FACT_PROVENANCE_MAX: Final = 64
FACT_SUPERSEDES_MAX: Final = 256
PENDING_STEPS_MAX: Final = 64
"""Ids that a fact names, and steps of something pending."""

WORKING_SET_TOKENS: Final = 8000
WORKING_SET_TOKENS_FLOOR: Final = 2000
WORKING_SET_TOKENS_MAX: Final = 1_000_000
WORKING_SET_ITEM_TOKENS: Final = 400
"""Tokens of a working set: as it is compiled unless told otherwise, the fewest that hold its frame
whatever the stores hold, the most that may be asked for, and what one item in it may take."""

WORKING_SET_LOOKED_AT: Final = 10_000
"""Most items of one kind that a working set may look at."""

RECAP_ENTRIES: Final = 64
RECAP_TOKENS: Final = 1500
SYNOPSIS_TOKENS: Final = 2000
SYNOPSIS_LOOKED_AT: Final = 128
"""Entries that a recap is of, the newest; tokens of it and of a synopsis; facts and decisions that
a synopsis looks at."""

PIECES_CACHED_MAX: Final = 8192
PIECE_CHARS_CACHED: Final = 64
TEXT_CHARS_SHORT: Final = 1024
"""Words and signs whose tokens are remembered, and how long they may be: those of a short text are
all short enough."""

MILESTONES_MAX: Final = 20
"""Milestones in a compression entry, the newest."""

VIEW_DECISIONS_MAX: Final = 20
VIEW_ITEMS_MAX: Final = 50
"""Decisions in a view, and other things of one kind; the newest, the rest is counted."""

VIEW_RANGES_MAX: Final = 64
"""Ranges that the restore index repeats of one session in one archive, the oldest; the archive's
`compression` entry has all of them."""

PUBLISH_ENTRIES_READ: Final = 100
"""Newest entries that the views on disk are made from; that there are older ones is said."""

PUBLISH_ARTIFACT_BYTES_MAX: Final = 256 * KIB
"""Largest artifact that is fetched to make a resume; a larger one is named."""

VIEWS_WAIT_S: Final = 30.0
"""How long to wait for others who are writing to the views."""

VIEWS_CACHE_KIB: Final = 64 * KIB
"""Memory for pages of the views' database, in KiB."""

VIEWS_ENTRIES_CHUNK: Final = 2000
VIEWS_BYTES_CHUNK: Final = 8 * MIB
"""What is taken into the views in one transaction, so that nobody waits long."""

FOLD_POINT_ENTRIES: Final = 16_384
"""Entries from one point to the next at which all items of the stores can be had."""

VIEWS_ENTRIES_MERGED: Final = 10_000
"""Entries taken in at a time after which the search index is put in order."""

UNREAD_RANGES_MAX: Final = 1000
"""Ranges of entries that could not be taken into the views; more are joined to the last one."""

TERM_CHARS_MAX: Final = 64
"""Characters of a word that count in a search."""

TERMS_CACHED_MAX: Final = 100_000
"""Words whose terms are remembered while entries are taken in."""

VAULT_TEXT_BYTES_SEARCHED: Final = 64 * KIB
ENTRY_VAULT_TEXTS_MAX: Final = 16
ENTRY_TEXT_CHARS_MAX: Final = 256 * KIB
ENTRY_PATHS_MAX: Final = 256
"""What of an entry can be searched: the beginning of each text in the vault, so many of them, so
many characters in all, and so many paths."""

SEARCH_HITS_MAX: Final = 1000
"""Hits that one search returns; what is beyond them is counted."""

SEARCH_TERMS_MAX: Final = 24
"""Different terms of a question that count, the first ones."""

SEARCH_LIST_ENTRIES: Final = 1000
"""Entries looked at for one term, the newest; a term with more is a common one. Matches are counted
as far; more are said to be at least so many."""

SEARCH_BEST_ENTRIES: Final = 400
"""Entries looked at for one term and one mark, and for all words with high marks; of so few that
hold all words, all are looked at."""

SEARCH_BOTH_ENTRIES: Final = 200
"""Entries that hold all words which are looked at first, the newest."""

SEARCH_PATHS_MAX: Final = 64
"""Paths of a filter that are looked up by name; with more, each entry is asked for its paths."""

SNIPPET_CHARS: Final = 240
SNIPPET_CHARS_SEARCHED: Final = 64 * KIB
"""Length of a snippet, and how far into a text it is sought."""
