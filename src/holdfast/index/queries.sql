-- name: begin
-- Be the only one that writes.
BEGIN IMMEDIATE;

-- name: commit
-- Keep what was done.
COMMIT;

-- name: rollback
-- Forget what was done.
ROLLBACK;

-- name: meta
-- What is known about the whole file.
SELECT value FROM meta WHERE key = ?;

-- name: put_meta
-- Say something about the whole file.
INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2;

-- name: clear_items
-- Begin all stores anew.
DELETE FROM items;

-- name: clear_past
-- Begin all stores anew.
DELETE FROM past;

-- name: clear_points
-- Begin all stores anew.
DELETE FROM points;

-- name: clear_counts
-- Begin all stores anew.
DELETE FROM counts;

-- name: clear_docs
-- Begin the search index anew.
DELETE FROM docs;

-- name: clear_paths
-- Begin the search index anew.
DELETE FROM paths;

-- name: clear_touched
-- Begin the search index anew.
DELETE FROM touched;

-- name: clear_moments
-- Begin the search index anew.
DELETE FROM moments;

-- name: clear_tallies
-- Forget how many entries of each type there are.
DELETE FROM tallies;

-- name: clear_decisions
-- Begin the search index anew.
DELETE FROM decisions;

-- name: clear_superseded
-- Begin the search index anew.
DELETE FROM superseded;

-- name: clear_rollbacks
-- Begin the search index anew.
DELETE FROM rollbacks;

-- name: clear_words
-- Begin the search index anew.
INSERT INTO words (words) VALUES ('delete-all');

-- name: clear_meanings
-- Begin the vectors anew.
DELETE FROM meanings;

-- name: let_go
-- Note that vectors were let go: what was read before that is kept no more.
INSERT INTO meta (key, value) VALUES ('let_go', randomblob(16))
ON CONFLICT (key) DO UPDATE SET value = randomblob(16);

-- name: put_meanings
-- Keep the vectors of a run of entries.
INSERT INTO meanings (first, stop, model, seqs, data) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (first) DO NOTHING;

-- name: meant
-- Of which runs of entries there are vectors.
SELECT first, stop FROM meanings ORDER BY first;

-- name: meant_within
-- Whether there are vectors of some of a run of entries.
SELECT EXISTS (SELECT 1 FROM meanings WHERE first < ?2 AND stop > ?1);

-- name: other_meanings
-- Whether there are vectors of another model.
SELECT EXISTS (SELECT 1 FROM meanings WHERE model <> ?);

-- name: meanings
-- All vectors, the newest first.
SELECT seqs, data FROM meanings ORDER BY first DESC;

-- name: item
-- One item of a store.
SELECT value FROM items WHERE store = ? AND key = ?;

-- name: items_after
-- The next items of a store, in order of their keys.
SELECT key, value FROM items WHERE store = ? AND key > ? ORDER BY key LIMIT ?;

-- name: items_first
-- The first items of a store, in order of their keys.
SELECT key, value FROM items WHERE store = ? ORDER BY key LIMIT ?;

-- name: item_since
-- One item of a store, and since when it is so.
SELECT value, since FROM items WHERE store = ? AND key = ?;

-- name: put_item
-- Keep an item.
INSERT INTO items (store, key, since, hash, value) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (store, key) DO UPDATE SET since = ?3, hash = ?4, value = ?5;

-- name: put_past
-- Keep what an item was, as some point needs it.
INSERT INTO past (until, store, key, since, value)
SELECT ?3, store, key, since, value FROM items WHERE store = ?1 AND key = ?2;

-- name: drop_item
-- An item is gone.
DELETE FROM items WHERE store = ? AND key = ?;

-- name: hashes
-- The hashes of a store's items, sorted; from the index alone, however large the values are.
SELECT hash FROM items WHERE store = ? ORDER BY hash;

-- name: put_point
-- Let the items as they are now be had later.
INSERT INTO points (size, as_of) VALUES (?1, ?2) ON CONFLICT (size) DO NOTHING;

-- name: point
-- The nearest point that is not after so many entries.
SELECT size FROM points WHERE size <= ? ORDER BY size DESC LIMIT 1;

-- name: point_to_go_back
-- The point from which the stores that go back get to so many entries soonest, and where it starts.
SELECT size, as_of FROM (
    SELECT size, size AS as_of FROM points WHERE size <= ?1 ORDER BY size DESC LIMIT 1)
UNION ALL
SELECT size, as_of FROM (
    SELECT size, as_of FROM points WHERE as_of <= ?1 ORDER BY as_of DESC, size DESC LIMIT 1)
ORDER BY as_of DESC, size DESC
LIMIT 1;

-- name: items_at
-- The items of every store at a point.
SELECT store, key, value FROM items WHERE since <= ?1
UNION ALL
SELECT store, key, value FROM past WHERE until > ?1 AND since <= ?1;

-- name: changed_since
-- What items of a store that changed after a point were there; null for what was not.
SELECT key, NULL FROM items WHERE store = ?1 AND since > ?2
UNION ALL
SELECT key, value FROM past WHERE until > ?2 AND since <= ?2 AND store = ?1;

-- name: count
-- How many items a store has.
SELECT count FROM counts WHERE store = ?;

-- name: put_count
-- Note how many items a store has.
INSERT INTO counts (store, count) VALUES (?1, ?2) ON CONFLICT (store) DO UPDATE SET count = ?2;

-- name: put_doc
-- An entry can be searched.
INSERT OR REPLACE INTO docs (seq, time, weights) VALUES (?, ?, ?);

-- name: put_words
-- The words of an entry.
INSERT OR REPLACE INTO words (rowid, terms) VALUES (?, ?);

-- name: drop_words
-- Forget the words of an entry.
DELETE FROM words WHERE rowid = ?;

-- name: drop_weights
-- Forget how much each word of an entry counts.
UPDATE docs SET weights = x'00' WHERE seq = ?;

-- name: merge_words
-- Write the whole index anew; what was dropped is then nowhere in it.
INSERT INTO words (words) VALUES ('optimize');

-- name: vacuum
-- Write the whole file anew, without what is free in it.
VACUUM;

-- name: put_path
-- An entry is about this path.
INSERT OR IGNORE INTO paths (path) VALUES (?);

-- name: put_touched
-- An entry is about a path that is known.
INSERT OR IGNORE INTO touched (seq, path) SELECT ?2, id FROM paths WHERE path = ?1;

-- name: widen_moment
-- Entries of a block lie between these times.
INSERT INTO moments (block, least, most) VALUES (?1, ?2, ?3)
ON CONFLICT (block) DO UPDATE SET least = min(least, ?2), most = max(most, ?3);

-- name: add_tally
-- More entries of a type are in a block.
INSERT INTO tallies (block, type, count) VALUES (?1, ?2, ?3)
ON CONFLICT (block, type) DO UPDATE SET count = count + ?3;

-- name: put_decision
-- Note where a decision stands.
INSERT OR REPLACE INTO decisions (id, seq) VALUES (?, ?);

-- name: place_superseded
-- A decision that was superseded before it was known.
UPDATE superseded SET seq = ?2
WHERE id = ?1
  AND NOT EXISTS (SELECT 1 FROM undone WHERE superseded.by BETWEEN first AND last);

-- name: put_superseded
-- A decision no longer holds.
INSERT OR IGNORE INTO superseded (id, by, seq)
VALUES (?1, ?2, (SELECT seq FROM decisions WHERE id = ?1));

-- name: put_rollback
-- Everything is again as it was right after an entry.
INSERT OR IGNORE INTO rollbacks (seq, after) VALUES (?, ?);

-- name: newest_rollback
-- The entry that went back last.
SELECT max(seq) FROM rollbacks;

-- name: drop_undone
-- Forget which decisions were gone back on.
DELETE FROM superseded WHERE by IN (SELECT seq FROM rollbacks);

-- name: settle_superseded
-- Let decisions be superseded by what counts now, and by nothing else.
UPDATE superseded SET seq = (
    SELECT decisions.seq FROM decisions
    WHERE decisions.id = superseded.id
      AND NOT EXISTS (SELECT 1 FROM undone WHERE superseded.by BETWEEN first AND last));

-- name: put_undone
-- Decisions that were gone back on no longer hold.
INSERT INTO superseded (id, by, seq)
SELECT decisions.id, undone.by, decisions.seq
FROM undone JOIN decisions ON decisions.seq BETWEEN first AND last;

-- name: superseded_by
-- The newest entries that say that some decisions no longer hold; the numbers are a JSON array.
SELECT seq, max(by) FROM json_each(?) CROSS JOIN superseded ON seq = value GROUP BY seq;

-- name: match
-- The newest entries that hold certain terms, as JSON: a row for each would cost more.
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2);

-- name: match_each
-- The same, a row for each: for who may not want them all.
SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2;

-- name: match_oldest
-- The oldest instead, which lie first in the index and so cost less.
SELECT json_group_array(rowid) FROM (
    SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid LIMIT ?2);

-- name: match_nth
-- The entry that holds certain terms and has so many newer ones.
SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2;

-- name: match_within
-- Of these the ones that pass the filters; null is no filter.
SELECT rowid FROM words
WHERE words MATCH ?1
  AND rowid BETWEEN ?3 AND ?4
  AND (?5 IS NULL OR EXISTS (
      SELECT 1 FROM docs WHERE seq = words.rowid AND time BETWEEN ?5 AND ?6))
  AND (?7 IS NULL OR ?7 = EXISTS (SELECT 1 FROM superseded WHERE seq = words.rowid))
  AND (?8 IS NULL OR EXISTS (
      SELECT 1 FROM touched JOIN paths ON id = touched.path
      WHERE seq = words.rowid AND instr(paths.path, ?8)))
ORDER BY rowid DESC
LIMIT ?2;

-- name: weights
-- How much the words of some entries count; the numbers are an array as it lies in memory.
SELECT seq, weights FROM carray(?) CROSS JOIN docs ON seq = value;

-- name: see_marked
-- Let the terms of the index be listed; costs nothing when that was done before.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.marked USING fts5vocab (main, words, instance);

-- name: marks
-- The entries of a term with each of its marks, which lie in two stretches of the list of terms.
SELECT term, doc FROM temp.marked WHERE term BETWEEN ?1 AND ?2
UNION ALL
SELECT term, doc FROM temp.marked WHERE term BETWEEN ?3 AND ?4;

-- name: paths_like
-- Paths with a text in them.
SELECT path FROM paths WHERE instr(path, ?1) LIMIT ?2;

-- name: span_of_times
-- The first and the last block that may hold entries of a time.
SELECT min(block), max(block) FROM moments WHERE most >= ?1 AND least <= ?2;

-- name: tallies
-- How many entries of each type are in some blocks, block by block.
SELECT block, type, count FROM tallies WHERE block BETWEEN ?1 AND ?2 ORDER BY block, type;

-- name: moments
-- The earliest and the latest time in some blocks.
SELECT block, least, most FROM moments WHERE block BETWEEN ?1 AND ?2 ORDER BY block;
