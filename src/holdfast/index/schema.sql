-- views.db: kept folds and the search index. Derived: a file that is lost is made anew.

-- How far the ledger was taken in, and which layout and stores this is.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The items of each store, as canonical JSON. `since`: how many entries were taken in when an item
-- was found to have become so.
CREATE TABLE items (
    store TEXT NOT NULL,
    key   TEXT NOT NULL,
    since INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (store, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX items_hash ON items (store, hash);

-- What items were at some point and no longer are: from `since` up to, not including, `until`.
CREATE TABLE past (
    until INTEGER NOT NULL,
    store TEXT NOT NULL,
    key   TEXT NOT NULL,
    since INTEGER NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (until, store, key)
) STRICT, WITHOUT ROWID;

-- After how many entries the items of every store can be had. A point right after a rollback also
-- holds what the stores that go back were after `as_of` entries.
CREATE TABLE points (
    size  INTEGER PRIMARY KEY,
    as_of INTEGER
) STRICT;
CREATE INDEX points_as_of ON points (as_of) WHERE as_of IS NOT NULL;

-- How many items each store has.
CREATE TABLE counts (
    store TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The entries that can be searched, when each was recorded, in microseconds since 1970, and how much
-- each of its words counts: see `Weights`.
CREATE TABLE docs (
    seq     INTEGER PRIMARY KEY,
    time    INTEGER NOT NULL,
    weights BLOB NOT NULL
) STRICT;

-- Every path that an entry is about, once.
CREATE TABLE paths (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;

-- Which paths each entry is about.
CREATE TABLE touched (
    seq  INTEGER NOT NULL,
    path INTEGER NOT NULL,
    PRIMARY KEY (seq, path)
) STRICT, WITHOUT ROWID;

-- The earliest and the latest time in each 1,024 entries.
CREATE TABLE moments (
    block INTEGER PRIMARY KEY,
    least INTEGER NOT NULL,
    most  INTEGER NOT NULL
) STRICT;

-- How many entries of each type are among each 1,024.
CREATE TABLE tallies (
    block INTEGER NOT NULL,
    type  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (block, type)
) STRICT, WITHOUT ROWID;

-- Where each decision stands.
CREATE TABLE decisions (
    id  TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which entries say of a decision that it no longer holds; `seq` is that of the decision, null while
-- it is not known, or `by` does not count any more.
CREATE TABLE superseded (
    id  TEXT NOT NULL,
    by  INTEGER NOT NULL,
    seq INTEGER,
    PRIMARY KEY (id, by)
) STRICT, WITHOUT ROWID;
CREATE INDEX superseded_seq ON superseded (seq);

-- Entries that went back, and right after which entry everything was to be again.
CREATE TABLE rollbacks (
    seq   INTEGER PRIMARY KEY,
    after INTEGER NOT NULL
) STRICT;

-- Entries that do not count now: those between the newest rollback and where it went, then, as of
-- there, those between the newest one before it and where that went, and so on.
CREATE VIEW undone (first, last, by) AS
WITH RECURSIVE back (seq, after) AS (
    SELECT seq, after FROM rollbacks WHERE seq = (SELECT max(seq) FROM rollbacks)
    UNION ALL
    SELECT rollbacks.seq, rollbacks.after FROM back JOIN rollbacks
    ON rollbacks.seq = (SELECT max(seq) FROM rollbacks WHERE seq <= back.after)
)
SELECT after + 1, seq - 1, seq FROM back;

-- The words of each entry. Words that count much there stand a second time with a mark that says
-- how much, and once more for each tier of marks that they reach, so that the best matches of a
-- common word can be had without looking at all of them.
CREATE VIRTUAL TABLE words USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = "ascii tokenchars '!#$%&+:;<=>^|~_.-@'"
);

-- The vectors of entries, made when somebody searches by meaning: of those from `first` up to before
-- `stop` the ones in `seqs`, 8 bytes each, and their vectors in the same order.
CREATE TABLE meanings (
    first INTEGER PRIMARY KEY,
    stop  INTEGER NOT NULL,
    model TEXT NOT NULL,
    seqs  BLOB NOT NULL,
    data  BLOB NOT NULL
) STRICT;
