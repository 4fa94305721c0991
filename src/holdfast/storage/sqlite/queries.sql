-- name: head
-- Where the chain ends.
SELECT last, substr(hashes, -32) FROM runs ORDER BY first DESC LIMIT 1;

-- name: sealed_head
-- Where the chain ends when every entry is archived.
SELECT last, substr(hashes, -32) FROM sealed ORDER BY first DESC LIMIT 1;

-- name: ledger_id
-- Which ledger this is.
SELECT value FROM meta WHERE key = 'ledger';

-- name: put_meta
-- Say something about the whole ledger, once.
INSERT INTO meta (key, value) VALUES (?, ?);

-- name: put_run
-- Append consecutive entries.
INSERT INTO runs (first, last, hashes, lines) VALUES (?, ?, ?, ?);

-- name: put_ids
-- Note which block holds ids; when entries were archived before their block was full, it may be known.
INSERT OR IGNORE INTO ids (key, block) SELECT value, ?2 FROM json_each(?1);

-- name: put_marks
-- Note that a block holds types and sessions, which it may be known to.
INSERT OR IGNORE INTO marks (key, block) SELECT value, ?2 FROM json_each(?1);

-- name: put_node
-- Keep an inner node of the tree.
INSERT INTO nodes (level, idx, hash) VALUES (?, ?, ?);

-- name: has_artifact
-- Whether an artifact is there already.
SELECT 1 FROM artifacts WHERE sha256 = ?;

-- name: put_artifact
-- Keep an artifact.
INSERT INTO artifacts (sha256, content) VALUES (?, ?);

-- name: artifact
-- The bytes of an artifact.
SELECT content FROM artifacts WHERE sha256 = ?;

-- name: blocks_with_id
-- The blocks that may hold an id.
SELECT block FROM ids WHERE key = ? ORDER BY block;

-- name: blocks_with_marks
-- A page of the blocks that hold both of two marks (or one, given twice), oldest first.
SELECT block FROM marks WHERE key = ?1 AND block >= ?3 AND block < ?4
AND (?1 = ?2 OR EXISTS (SELECT 1 FROM marks AS other WHERE other.key = ?2 AND other.block = marks.block))
ORDER BY block LIMIT ?5;

-- name: blocks_with_marks_newest
-- The same, newest first.
SELECT block FROM marks WHERE key = ?1 AND block >= ?3 AND block < ?4
AND (?1 = ?2 OR EXISTS (SELECT 1 FROM marks AS other WHERE other.key = ?2 AND other.block = marks.block))
ORDER BY block DESC LIMIT ?5;

-- name: run_holding
-- The run that holds an entry, or the newest one before it.
SELECT first, last FROM runs WHERE first <= ? ORDER BY first DESC LIMIT 1;

-- name: runs
-- A page of runs, oldest first.
SELECT first, hashes, lines FROM runs WHERE first >= ? AND first < ? ORDER BY first LIMIT ?;

-- name: runs_newest
-- The same, newest first.
SELECT first, hashes, lines FROM runs WHERE first >= ? AND first < ? ORDER BY first DESC LIMIT ?;

-- name: run_hashes
-- The leaf hashes of a range that is held, whole runs.
SELECT first, hashes FROM runs
WHERE first >= ifnull((SELECT max(first) FROM runs WHERE first <= ?1), 0) AND first < ?2 ORDER BY first;

-- name: sealed_hashes
-- The leaf hashes of a range that is archived, whole runs.
SELECT first, hashes FROM sealed
WHERE first >= ifnull((SELECT max(first) FROM sealed WHERE first <= ?1), 0) AND first < ?2 ORDER BY first;

-- name: node
-- A kept inner node.
SELECT hash FROM nodes WHERE level = ? AND idx = ?;

-- name: nodes_from
-- Kept inner nodes of one level, in order.
SELECT hash FROM nodes WHERE level = ? AND idx >= ? AND idx < ? ORDER BY idx;

-- name: archives
-- The listed archives, oldest first.
SELECT first, last, name, sha256, bytes FROM archives ORDER BY first;

-- name: archives_holding
-- The archives that hold a part of a range, oldest first.
SELECT first, last, name, sha256, bytes FROM archives
WHERE first >= ifnull((SELECT max(first) FROM archives WHERE first <= ?1), 0) AND first < ?2 AND last >= ?1
ORDER BY first;

-- name: put_archive
-- List an archive.
INSERT INTO archives (first, last, name, sha256, bytes) VALUES (?, ?, ?, ?, ?);

-- name: keep_hashes
-- Keep the leaf hashes of runs that are leaving.
INSERT INTO sealed (first, last, hashes)
SELECT first, last, hashes FROM runs WHERE first >= ? AND last <= ? ORDER BY first;

-- name: drop_runs
-- Drop the runs that a listed archive holds.
DELETE FROM runs WHERE first >= ? AND last <= ?;

-- name: run_around
-- The run that holds an entry and the one behind it; of its hashes those behind that entry.
SELECT first, substr(hashes, 1 + 32 * (?1 + 1 - first)), lines FROM runs WHERE first <= ?1 AND last > ?1;

-- name: keep_front
-- Keep the leaf hashes of the front of a run, up to an entry.
INSERT INTO sealed (first, last, hashes)
SELECT first, ?1, substr(hashes, 1, 32 * (?1 + 1 - first)) FROM runs WHERE first <= ?1 AND last > ?1;

-- name: drop_front
-- Leave of a run what comes behind its front.
UPDATE runs SET first = ?, hashes = ?, lines = ? WHERE first = ?;

-- name: put_erased
-- List an artifact as erased, once.
INSERT INTO erased (sha256, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM erased WHERE sha256 = ?1);

-- name: drop_artifact
-- Drop an artifact that is listed as erased.
DELETE FROM artifacts WHERE sha256 = ?;

-- name: schema
-- Everything the schema is made of.
SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name;

-- name: id_totals
-- Sums that change when any row of ids does.
SELECT count(*), ifnull(sum(block), 0), ifnull(sum(key & 4294967295), 0), ifnull(sum((key >> 32) & 4294967295), 0)
FROM ids WHERE block < ?;

-- name: mark_totals
-- Per type or session: how many blocks, and a sum that changes when one does.
SELECT key, count(*), sum(block) FROM marks WHERE block < ? GROUP BY key;

-- name: newest_block
-- The newest block that the index knows.
SELECT max((SELECT ifnull(max(block), -1) FROM ids), (SELECT ifnull(max(block), -1) FROM marks));

-- name: node_count
-- How many inner nodes of a level are kept, and the newest entry at that moment.
SELECT count(*), coalesce(
    (SELECT last FROM runs ORDER BY first DESC LIMIT 1),
    (SELECT last FROM sealed ORDER BY first DESC LIMIT 1),
    -1)
FROM nodes WHERE level = ?;

-- name: quick_check
-- SQLite's own look at the pages of a table and its indexes.
SELECT quick_check FROM pragma_quick_check(?);
