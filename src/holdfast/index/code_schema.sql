-- code.db: the search index of a project's code. Derived: a file that is lost is made anew.

-- Every file that was looked at. `stamp` says what its size, times and place were when it was read,
-- null when it may have changed since; `hash` is the SHA-256 of its bytes, null when it could not be
-- read. `problem`: why nothing of it can be searched. `plain`: why its definitions are not known, so
-- that it is searched by its lines. `model`: which model made its vectors. `patterns`: the digest of
-- the user's patterns that its definitions were looked for with.
CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,
    stamp    TEXT,
    hash     BLOB,
    problem  TEXT,
    plain    TEXT,
    model    TEXT,
    patterns TEXT
) STRICT;

-- The parts of the files: one for each definition, and pieces of what is in none.
CREATE TABLE sections (
    id    INTEGER PRIMARY KEY,
    file  INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    name  TEXT NOT NULL,
    first INTEGER NOT NULL,
    last  INTEGER NOT NULL
) STRICT;
CREATE INDEX sections_file ON sections (file);

-- The vectors of a file's sections, one after the other in the order of their ids, from `first` on.
CREATE TABLE vectors (
    file  INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    data  BLOB NOT NULL
) STRICT;

-- The words of each section, already split and without their endings. With their places: without,
-- BM25 does not know how often a word stands in a section.
CREATE VIRTUAL TABLE words USING fts5 (
    name,
    path,
    body,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '_.-'"
);

-- How many sections hold a word.
CREATE VIRTUAL TABLE spread USING fts5vocab (words, row);
