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

-- name: clear_decisions
-- Begin the search index anew.
DELETE FROM decisions;

-- name: clear_superseded
-- Begin the search index anew.
DELETE FROM superseded;

-- name: clear_words
-- Begin the search index anew.
INSERT INTO words (words) VALUES ('delete-all');

-- name: item
-- One item of a store.
SELECT value FROM items WHERE store = ? AND key = ?;

-- name: items_after
-- The next items of a store, in order of their keys.
SELECT key, value FROM items WHERE store = ? AND key > ? ORDER BY key LIMIT ?;

-- name: items_first
-- The first items of a store, in order of their keys.
SELECT key, value FROM items WHERE store = ? ORDER BY key LIMIT ?;

-- name: put_item
-- Keep an item.
INSERT INTO items (store, key, value) VALUES (?1, ?2, ?3)
ON CONFLICT (store, key) DO UPDATE SET value = ?3;

-- name: drop_item
-- An item is gone.
DELETE FROM items WHERE store = ? AND key = ?;

-- name: count
-- How many items a store has.
SELECT count FROM counts WHERE store = ?;

-- name: put_count
-- Note how many items a store has.
INSERT INTO counts (store, count) VALUES (?1, ?2) ON CONFLICT (store) DO UPDATE SET count = ?2;

-- name: put_doc
-- An entry can be searched.
INSERT OR REPLACE INTO docs (seq, time) VALUES (?, ?);

-- name: put_words
-- The words of an entry.
INSERT OR REPLACE INTO words (rowid, terms) VALUES (?, ?);

-- name: drop_words
-- Forget the words of an entry.
DELETE FROM words WHERE rowid = ?;

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

-- name: put_decision
-- Note where a decision stands.
INSERT OR REPLACE INTO decisions (id, seq) VALUES (?, ?);

-- name: place_superseded
-- A decision that was superseded before it was known.
UPDATE superseded SET seq = ?2 WHERE id = ?1;

-- name: put_superseded
-- A decision no longer holds; the newest word on it stands.
INSERT INTO superseded (id, seq, by)
VALUES (?1, (SELECT seq FROM decisions WHERE id = ?1), ?2)
ON CONFLICT (id) DO UPDATE SET by = max(by, ?2);

-- name: superseded_by
-- Which entries say that some decisions no longer hold; the numbers are a JSON array.
SELECT seq, by FROM superseded WHERE seq IN (SELECT value FROM json_each(?));

-- name: match
-- The newest entries that hold certain terms and pass the filters; null is no filter.
SELECT rowid FROM words
WHERE words MATCH ?1
  AND rowid BETWEEN ?2 AND ?3
  AND (?4 IS NULL OR EXISTS (
      SELECT 1 FROM docs WHERE seq = words.rowid AND time BETWEEN ?4 AND ?5))
  AND (?6 IS NULL OR ?6 = EXISTS (SELECT 1 FROM superseded WHERE seq = words.rowid))
  AND (?7 IS NULL OR EXISTS (
      SELECT 1 FROM touched JOIN paths ON id = touched.path
      WHERE seq = words.rowid AND instr(paths.path, ?7)))
ORDER BY rowid DESC
LIMIT ?8;

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
