"""Bounds of reading code and searching it."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

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

PARSE_SPARE_BYTES: Final = 128 * 1024
"""What a parse worker keeps of memory that nothing is in; the rest is returned to the system."""

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

IGNORED_FILES_LOOKED: Final = 20_000
"""Files of a folder that git ignores whose names are looked at, to tell whether it holds code."""

LEFT_OUT_NAMED: Final = 8
"""Folders that are never searched, of those that an answer names."""

SIMILAR_CANDIDATES: Final = 100
SIMILAR_LINES_MAX: Final = 200
SIMILAR_WINDOW_LINES: Final = 10
SIMILAR_WORDS_MAX: Final = 24
"""For calibrated similarity: sections that words, and vectors, put forward; lines of a section that
are looked at, the first, and how many of them count as standing together; words of a question."""

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

MEANINGS_MAX: Final = 200_000
"""Entries whose meanings are compared with a question, the newest: each takes 256 bytes."""
MEANINGS_ENTRIES_CHUNK: Final = 4_096
"""Entries whose meanings are made at a time; an interruption loses at most those."""
