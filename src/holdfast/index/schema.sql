-- views.db: kept folds and the search index. Derived: a file that is lost is made anew.

-- How far the ledger was taken in, and which layout and stores this is.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The items of each store, as canonical JSON.
CREATE TABLE items (
    store TEXT NOT NULL,
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (store, key)
) STRICT, WITHOUT ROWID;

-- How many items each store has.
CREATE TABLE counts (
    store TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The entries that can be searched, and when each was recorded, in microseconds since 1970.
CREATE TABLE docs (
    seq  INTEGER PRIMARY KEY,
    time INTEGER NOT NULL
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

-- Where each decision stands.
CREATE TABLE decisions (
    id  TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Decisions that no longer hold; `by` is the newest entry that says so, `seq` null while the
-- decision itself is not known.
CREATE TABLE superseded (
    id  TEXT PRIMARY KEY,
    seq INTEGER,
    by  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX superseded_seq ON superseded (seq);

-- The words of each entry. Words that count much there stand a second time with a mark that says
-- how much, so that the best matches of a common word can be had without looking at all of them.
CREATE VIRTUAL TABLE words USING fts5 (
    terms,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = "ascii tokenchars '!#$%&+:;<=>_.-@'"
);
