"""Every bound of holdfast, named, with its unit. Nothing here is read from settings."""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

INTEGER_MAX: Final = 2**53 - 1
"""Largest integer every JSON reader agrees on (RFC 8785, I-JSON)."""

JSON_DEPTH_MAX: Final = 64
"""Nesting levels of arrays and objects, the outermost counted as one."""

INPUT_BYTES_MAX: Final = 64 * MIB
"""Largest JSON text or single value accepted from outside."""

INLINE_BYTES_MAX: Final = 32 * KIB
"""A value inside `data` above this goes to the vault and leaves a reference."""

ENTRY_BYTES_MAX: Final = 1 * MIB
"""Largest data of an entry as stored, after large values went to the vault."""

ENVELOPE_BYTES_MAX: Final = 16 * KIB
"""What an entry has around its data: names of at most 200 characters, hashes, a time."""

LINE_BYTES_MAX: Final = ENTRY_BYTES_MAX + ENVELOPE_BYTES_MAX
"""Longest line of a ledger."""

BATCH_ENTRIES_MAX: Final = 10_000
"""Entries in one atomic append."""

NAME_CHARS_MAX: Final = 200
"""Characters in an id, a session id, an actor's name."""

TREE_BLOCK_LEAVES: Final = 256
"""Leaves under one kept tree node; a power of two."""

RUN_ENTRIES_MAX: Final = 256
RUN_BYTES_MAX: Final = 256 * KIB
"""Consecutive entries kept together; one entry alone may be larger."""

INDEX_BLOCK_ENTRIES: Final = 64
"""Entries that are put into the index together; the newest, until they fill a block, are not."""

WAL_PAGES_MAX: Final = 1000
"""Pages in the write-ahead log before a writer moves them into the database."""

READ_BYTES_PAGE: Final = 4 * MIB
READ_RUNS_FIRST: Final = 16
READ_RUNS_PAGE: Final = 1024
"""How much a reader takes at once, so that nobody waits for it; at first little, for those who
want just one entry."""

ARCHIVE_ENTRIES_MAX: Final = 4096
ARCHIVE_BYTES_MAX: Final = 16 * MIB
"""Entries in one archive, and their bytes before compression; one entry alone may be larger. Small
enough that writers never wait long for a seal, and that one session is read without much else."""

PACK_BYTES_MAX: Final = 64 * MIB
"""Artifacts packed beside one archive, before compression; those of one entry may be larger."""

FRAME_ENTRIES_MAX: Final = 256
FRAME_BYTES_MAX: Final = 512 * KIB
"""What one compressed frame of an archive holds; one entry alone may be larger. More would compress
better, and take more than a millisecond to open for one entry."""

BLOCK_BYTES_MIN: Final = 512
"""What the blocks of a compressed frame hold on average, at least; compressors make larger ones."""

ARCHIVE_INDEX_BYTES_MAX: Final = 512 * KIB
"""Index of an archive; with the most frames it has it stays below half of this."""

PACK_ARTIFACTS_MAX: Final = 256 * KIB
PACK_INDEX_BYTES_MAX: Final = 32 * MIB
"""Artifacts packed beside one archive, and the index that names them."""

ARCHIVES_KEPT_INDEXES: Final = 64
ARCHIVES_KEPT_BYTES: Final = 8 * MIB
"""What a reader of archives remembers: parsed indexes, and decoded frames by their bytes."""

CAMPAIGN_SEGMENT_ENTRIES: Final = 16_384
"""Entries in one member of a campaign file."""

CAMPAIGN_FRAME_BYTES: Final = 1 * MIB
CAMPAIGN_FRAME_BYTES_MAX: Final = CAMPAIGN_FRAME_BYTES + LINE_BYTES_MAX + 1
"""What one compressed frame of such a member holds: lines up to about this, and one that is longer;
nobody who reads a campaign needs more memory for its entries."""

CAMPAIGN_PACK_BYTES: Final = 8 * MIB
CAMPAIGN_ARTIFACT_BYTES_MAX: Final = 2 * INPUT_BYTES_MAX
"""Artifacts in one pack of a campaign file, before compression; one alone may be larger, but not
larger than this."""

CAMPAIGN_JSON_BYTES_MAX: Final = 64 * MIB
"""Largest member of a campaign file that is plain JSON."""

CAMPAIGN_MEMBERS_MAX: Final = 262_144
"""Members of a campaign file."""

CAMPAIGN_SMALL_BYTES: Final = 1024 * MIB
CAMPAIGN_RATIO_MAX: Final = 1000
"""What all members of a campaign file hold when they are decompressed: this much at least may be,
and on top of it so many times the bytes of the file. More is a bomb."""

CAMPAIGN_KEPT_BYTES: Final = 32 * MIB
"""Decompressed frames and packs that a reader of a campaign remembers."""

CONTINUE_BATCH_ENTRIES: Final = 2000
CONTINUE_BATCH_BYTES: Final = 16 * MIB
"""What a ledger that continues a campaign takes over at once; one entry with its artifacts may be
more."""

STATE_LOG_LINES_LARGE: Final = 10_000
"""Lines of the state log above which archived entries leave it only when they are half of it."""

QUICK_RESUME_TOKENS_MAX: Final = 100
"""Length of a quick resume."""

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

PUBLISH_ENTRIES_NEW: Final = 1000
"""New entries that are looked through one by one for what changed; if there are more, all sessions
are looked at instead."""

PUBLISH_ARTIFACT_BYTES_MAX: Final = 256 * KIB
"""Largest artifact that is fetched to make a resume; a larger one is named."""

IMPORT_LINE_BYTES_MAX: Final = 8 * MIB
"""Longest line of an import that is looked at as an entry; a longer one is kept in parts."""

IMPORT_BATCH_ENTRIES: Final = 500
IMPORT_BATCH_BYTES: Final = 16 * MIB
"""What an import records at once."""

SAVE_SEGMENT_ENTRIES: Final = 4_096
"""Entries in a segment of the log: a save has the hash of the segment that it ends in, and the tree
stands for those before. So saving costs what is new, not what there is."""

SETTINGS_BYTES_MAX: Final = 1 * MIB
"""Largest settings file that is read."""

VIEWS_WAIT_S: Final = 30.0
"""How long to wait for others who are writing to the views."""

VIEWS_CACHE_KIB: Final = 32 * KIB
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

CODE_BYTES_MAX: Final = 4 * MIB
CODE_LINE_BYTES_MAX: Final = 256 * KIB
CODE_SYMBOLS_MAX: Final = 50_000
CODE_DEPTH_MAX: Final = 200
"""What is read as code: bytes of a text and of its longest line, definitions in it, and definitions
inside one another. More is refused, not cut."""

CODE_LEADING_MAX: Final = 1000
"""Comments and attributes above a definition that are part of it, the nearest."""

PATTERN_LINE_CHARS_MAX: Final = 400
PATTERN_CHARS_MAX: Final = 500
PATTERNS_MAX: Final = 64
PATTERN_BLOCK_LINES_MAX: Final = 1_000_000
PATTERN_FILE_BYTES_MAX: Final = 256 * KIB
PATTERN_MEMORY_BYTES_MAX: Final = 1 * MIB
"""Line patterns: characters of a line that they see, characters of a pattern, patterns of one
language, lines looked at to see where definitions end, bytes of a map of patterns, memory that the
engine may take for one."""

NEAR_NAMES_MAX: Final = 2000
"""Names that are compared to find one that was meant, the first."""

PARSE_TIMEOUT_S: Final = 5.0
PARSE_START_TIMEOUT_S: Final = 20.0
PARSE_MEMORY_BYTES_MAX: Final = 512 * MIB
PARSE_ANSWER_BYTES_MAX: Final = 64 * MIB
PARSE_TEXTS_MAX: Final = 10_000
"""What a parse worker may take for one text, to start, of address space, and for an answer; and
after how many texts another takes its place."""

EDIT_TEXT_CHARS_MAX: Final = 16 * MIB
EDITS_MAX: Final = 10_000
"""Characters of an answer that are looked through for edits, and edits that one answer may hold;
what is beyond either is said."""

EDIT_PATH_CHARS_MAX: Final = 1024
"""Longest path that is taken for one in prose."""

EDIT_NESTING_MAX: Final = 100
"""Lists and quotes inside each other that are followed to find the fences in them."""

EDIT_WORK_CHARS_MAX: Final = 1024 * MIB
EDIT_WORK_LINES_MAX: Final = 5_000_000
"""Parts of an edit times the characters, or the lines, of the text that each is sought in."""

PARITY_NAMES_MAX: Final = 20
"""Definitions that a reason names; the others are counted."""

PARITY_RENAMED_BODY_BYTES_MIN: Final = 24
"""A shorter body says too little to know a definition by it."""

SOURCE_BYTES_MAX: Final = CODE_BYTES_MAX
SOURCE_LINE_BYTES_MAX: Final = CODE_LINE_BYTES_MAX
SOURCE_FILES_MAX: Final = 200_000
"""What of a project can be searched: bytes of a file and of its longest line, and files. What is
beyond is named as not searched."""

SOURCE_PIECE_LINES: Final = 60
"""Lines of a piece of a file that is in no definition."""

SOURCE_CACHE_KIB: Final = 6 * KIB
"""Memory for pages of the database with the index of the code, in KiB."""

SOURCE_BATCH_FILES: Final = 64
SOURCE_BATCH_BYTES: Final = 1 * MIB
"""Files that are taken into the index of the code in one transaction, so that little is done again
after an interruption."""

SOURCE_FILES_DELTA: Final = 100
"""With fewer files changed, the index of the code is added to; else it is put in order as well."""

SOURCE_SETTLED_NS: Final = 2_000_000_000
"""A file that changed less than so long ago may change again without a new time stamp."""

SOURCE_LIST_TIMEOUT_S: Final = 60.0
SOURCE_LIST_BYTES_MAX: Final = 64 * MIB
"""What git may take to list the files of a project, and to say."""

SOURCE_CANDIDATES: Final = 200
"""Sections that each way of searching code puts forward, the best."""

SOURCE_RANKS_FUSED: Final = 10
"""The k of reciprocal rank fusion: how little the first ranks stand out. For text 60 is common; of
functions asked for by a sentence, 10 finds more."""

SOURCE_UNREAD_NAMED: Final = 20
"""Files that could not be searched which are named; the others are counted."""

VECTOR_TEXT_CHARS: Final = 8 * KIB
VECTOR_BATCH: Final = 256
VECTOR_ROWS: Final = 4096
VECTOR_WORDS_CACHED_MAX: Final = 4_000
"""Characters of a section that its vector is made of, the first; texts that are made into vectors,
and vectors that are compared, at a time; words whose vectors are remembered."""
