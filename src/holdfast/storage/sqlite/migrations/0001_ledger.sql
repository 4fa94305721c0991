-- The ledger: entries in order, the artifacts they name, and where to look for them.
-- Every table only grows. Triggers refuse the rest for every connection, ours or not.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A run is one or more consecutive entries: their canonical JSON lines joined by newlines, and
-- their leaf hashes, 32 bytes each.
CREATE TABLE runs (
    first  INTEGER PRIMARY KEY,
    last   INTEGER NOT NULL CHECK (last >= first),
    hashes BLOB    NOT NULL CHECK (length(hashes) = 32 * (last - first + 1)),
    lines  BLOB    NOT NULL
) STRICT;

-- What stays of a run when its lines have moved to an archive.
CREATE TABLE sealed (
    first  INTEGER PRIMARY KEY,
    last   INTEGER NOT NULL CHECK (last >= first),
    hashes BLOB    NOT NULL CHECK (length(hashes) = 32 * (last - first + 1))
) STRICT;

-- Where an id may be found: a 64-bit key made from the id, and the block that holds it.
-- Block n is the 64 entries from 64 * n on. The newest entries, until they fill a block, are in
-- no index: a lookup reads them through.
CREATE TABLE ids (
    key   INTEGER NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (key, block)
) STRICT, WITHOUT ROWID;

-- The same for types and sessions.
CREATE TABLE marks (
    key   INTEGER NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (key, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
    sha256  BLOB PRIMARY KEY CHECK (length(sha256) = 32),
    content BLOB NOT NULL
) STRICT;

CREATE TABLE archives (
    first  INTEGER PRIMARY KEY,
    last   INTEGER NOT NULL CHECK (last >= first),
    name   TEXT    NOT NULL,
    sha256 TEXT    NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT;

-- Rows come in order, each right behind the last. This also refuses INSERT OR REPLACE,
-- which would delete a row without firing a DELETE trigger.
CREATE TRIGGER runs_in_order BEFORE INSERT ON runs
WHEN NEW.first IS NOT 1 + coalesce(
    (SELECT last FROM runs ORDER BY first DESC LIMIT 1),
    (SELECT last FROM sealed ORDER BY first DESC LIMIT 1),
    -1)
BEGIN SELECT RAISE(ABORT, 'entries are only ever appended'); END;

CREATE TRIGGER sealed_in_order BEFORE INSERT ON sealed
WHEN NEW.first IS NOT 1 + ifnull((SELECT last FROM sealed ORDER BY first DESC LIMIT 1), -1)
  OR NOT EXISTS (SELECT 1 FROM runs WHERE first = NEW.first AND last = NEW.last AND hashes = NEW.hashes)
BEGIN SELECT RAISE(ABORT, 'only the oldest run is sealed, as it is'); END;

CREATE TRIGGER archives_in_order BEFORE INSERT ON archives
WHEN NEW.first IS NOT 1 + ifnull((SELECT last FROM archives ORDER BY first DESC LIMIT 1), -1)
BEGIN SELECT RAISE(ABORT, 'archives are only ever appended'); END;

CREATE TRIGGER artifacts_kept BEFORE INSERT ON artifacts
WHEN EXISTS (SELECT 1 FROM artifacts WHERE sha256 = NEW.sha256)
BEGIN SELECT RAISE(ABORT, 'artifacts are never replaced'); END;

CREATE TRIGGER meta_kept BEFORE INSERT ON meta
WHEN EXISTS (SELECT 1 FROM meta WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'this is never replaced'); END;

CREATE TRIGGER meta_no_update      BEFORE UPDATE ON meta      BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER runs_no_update      BEFORE UPDATE ON runs      BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER sealed_no_update    BEFORE UPDATE ON sealed    BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER ids_no_update       BEFORE UPDATE ON ids       BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER marks_no_update     BEFORE UPDATE ON marks     BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER artifacts_no_update BEFORE UPDATE ON artifacts BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER archives_no_update  BEFORE UPDATE ON archives  BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;

CREATE TRIGGER meta_no_delete      BEFORE DELETE ON meta      BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
CREATE TRIGGER sealed_no_delete    BEFORE DELETE ON sealed    BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
CREATE TRIGGER ids_no_delete       BEFORE DELETE ON ids       BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
CREATE TRIGGER marks_no_delete     BEFORE DELETE ON marks     BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
CREATE TRIGGER archives_no_delete  BEFORE DELETE ON archives  BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;

-- A run may go once a listed archive holds it and its hashes are kept, and only on a connection
-- that is sealing: elsewhere the function does not exist, and the statement cannot be prepared.
CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs
WHEN holdfast_sealing() IS NOT 1
  OR NOT EXISTS (SELECT 1 FROM archives WHERE first <= OLD.first AND last >= OLD.last)
  OR NOT EXISTS (SELECT 1 FROM sealed WHERE first = OLD.first)
BEGIN SELECT RAISE(ABORT, 'an entry leaves only for an archive'); END;
