-- What may leave: the front of a run, for an archive may end at any entry; and an artifact's bytes,
-- when somebody asked for that. Everything else stays refused for every connection.

-- Artifacts whose bytes were dropped, and the entry that says so.
CREATE TABLE erased (
    sha256 BLOB    PRIMARY KEY CHECK (length(sha256) = 32),
    seq    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER erased_kept BEFORE INSERT ON erased
WHEN EXISTS (SELECT 1 FROM erased WHERE sha256 = NEW.sha256)
BEGIN SELECT RAISE(ABORT, 'this is never replaced'); END;

CREATE TRIGGER erased_no_update BEFORE UPDATE ON erased BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER erased_no_delete BEFORE DELETE ON erased BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;

-- An artifact may go once it is listed as erased, and only on a connection that is erasing.
DROP TRIGGER artifacts_no_delete;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts
WHEN holdfast_erasing() IS NOT 1
  OR NOT EXISTS (SELECT 1 FROM erased WHERE sha256 = OLD.sha256)
BEGIN SELECT RAISE(ABORT, 'an artifact leaves only when it is erased'); END;

-- Hashes are kept of what a listed archive holds: of the oldest run, whole or its front.
DROP TRIGGER sealed_in_order;
CREATE TRIGGER sealed_in_order BEFORE INSERT ON sealed
WHEN NEW.first IS NOT 1 + ifnull((SELECT last FROM sealed ORDER BY first DESC LIMIT 1), -1)
  OR NOT EXISTS (SELECT 1 FROM archives WHERE first <= NEW.first AND last >= NEW.last)
  OR NOT EXISTS (
    SELECT 1 FROM runs WHERE first = NEW.first AND last >= NEW.last
    AND substr(hashes, 1, 32 * (NEW.last - NEW.first + 1)) IS NEW.hashes)
BEGIN SELECT RAISE(ABORT, 'only the oldest entries are sealed, as they are'); END;

-- A run may lose its front once a listed archive that ends there holds it and its hashes are kept,
-- and only on a connection that is sealing. What stays is the rest of it, byte for byte: as many
-- whole lines as it has numbers.
DROP TRIGGER runs_no_update;
CREATE TRIGGER runs_no_update BEFORE UPDATE ON runs
WHEN holdfast_sealing() IS NOT 1
  OR NEW.last IS NOT OLD.last
  OR (NEW.first > OLD.first AND NEW.first <= OLD.last) IS NOT 1
  OR NEW.hashes IS NOT substr(OLD.hashes, 1 + 32 * (NEW.first - OLD.first))
  OR NEW.lines IS NOT substr(OLD.lines, length(OLD.lines) - length(NEW.lines) + 1)
  OR substr(OLD.lines, length(OLD.lines) - length(NEW.lines), 1) IS NOT x'0a'
  OR length(NEW.lines) - length(CAST(replace(NEW.lines, char(10), '') AS BLOB)) IS NOT NEW.last - NEW.first
  OR NOT EXISTS (SELECT 1 FROM archives WHERE first <= OLD.first AND last = NEW.first - 1)
  OR NOT EXISTS (
    SELECT 1 FROM sealed WHERE first = OLD.first AND last = NEW.first - 1
    AND hashes IS substr(OLD.hashes, 1, 32 * (NEW.first - OLD.first)))
BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
