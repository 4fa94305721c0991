"""Bounds of entries, storage, archives and files of campaigns."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

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

READIED_AT_ONCE: Final = 2
"""Entries that are made ready in one step, by whoever has others to serve in between."""

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

WAL_PAGES_COMMIT: Final = 16
"""More than the log grows by when one entry without artifacts is appended, so that a writer of such
need not ask after each how long the log is."""

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

IMPORT_LINE_BYTES_MAX: Final = 8 * MIB
"""Longest line of an import that is looked at as an entry; a longer one is kept in parts."""

IMPORT_LINES_BATCH_ENTRIES: Final = 2_000
"""Entries of foreign lines that are recorded at once: the disk is waited for once for all of them,
and other writers wait meanwhile."""

IMPORT_BATCH_ENTRIES: Final = 500
IMPORT_BATCH_BYTES: Final = 16 * MIB
"""What an import records at once."""

SAVE_SEGMENT_ENTRIES: Final = 4_096
"""Entries in a segment of the log: a save has the hash of the segment that it ends in, and the tree
stands for those before. So saving costs what is new, not what there is."""

SETTINGS_BYTES_MAX: Final = 1 * MIB
"""Largest settings file that is read."""

FOREIGN_UNREAD_MAX: Final = 16
"""Lines of another framework's settings that could not be read and are told one by one."""
