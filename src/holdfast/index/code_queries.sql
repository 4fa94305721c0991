-- name: known
-- Every file that was looked at.
SELECT path, id, stamp, hash, problem, plain, model, patterns FROM files

-- name: counts
-- How many files can be searched, and how many of them by their lines only.
SELECT count(*), count(plain) FROM files
WHERE problem IS NULL AND (:within IS NULL OR instr(path, :within) > 0)

-- name: unread
-- Files of which nothing can be searched.
SELECT path, problem FROM files
WHERE problem IS NOT NULL AND (:within IS NULL OR instr(path, :within) > 0)
ORDER BY path

-- name: file_id
-- The number of a file.
SELECT id FROM files WHERE path = ?

-- name: add_file
-- Take a file in, or what is new of it.
INSERT INTO files (path, stamp, hash, problem, plain, model, patterns) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash,
    problem = excluded.problem, plain = excluded.plain, model = excluded.model,
    patterns = excluded.patterns
RETURNING id

-- name: restamp
-- Note that a file is still what it was.
UPDATE files SET stamp = ? WHERE path = ? AND hash = ?

-- name: drop_file
-- Forget a file.
DELETE FROM files WHERE id = ?

-- name: drop_words
-- Forget the words of a file.
DELETE FROM words WHERE rowid IN (SELECT id FROM sections WHERE file = ?)

-- name: drop_sections
-- Forget the sections of a file.
DELETE FROM sections WHERE file = ?

-- name: drop_vectors
-- Forget the vectors of a file.
DELETE FROM vectors WHERE file = ?

-- name: next_section
-- The number of the next section.
SELECT coalesce(max(id), 0) + 1 FROM sections

-- name: add_section
-- Take a section in.
INSERT INTO sections (id, file, kind, name, first, last) VALUES (?, ?, ?, ?, ?, ?)

-- name: add_words
-- Take the words of a section in.
INSERT INTO words (rowid, name, path, body) VALUES (?, ?, ?, ?)

-- name: add_vectors
-- Take the vectors of a file in.
INSERT INTO vectors (file, first, data) VALUES (?, ?, ?)

-- name: put_in_order
-- Merge the index of words into one piece.
INSERT INTO words (words) VALUES ('optimize')

-- name: match
-- The best sections for a question, by BM25; a word in a name counts more than one in a body.
SELECT words.rowid, -bm25(words, :name, :path, 1.0)
FROM words
WHERE words MATCH :terms
AND (:within IS NULL OR words.rowid IN (
    SELECT sections.id FROM sections JOIN files ON files.id = sections.file
    WHERE instr(files.path, :within) > 0
))
ORDER BY bm25(words, :name, :path, 1.0), words.rowid
LIMIT :limit

-- name: count_matches
-- How many sections hold a word of a question.
SELECT count(*) FROM words
WHERE words MATCH :terms
AND (:within IS NULL OR words.rowid IN (
    SELECT sections.id FROM sections JOIN files ON files.id = sections.file
    WHERE instr(files.path, :within) > 0
))

-- name: vectors
-- The vectors of every file, or of those with a text in their path.
SELECT vectors.first, vectors.data FROM vectors JOIN files ON files.id = vectors.file
WHERE files.model = :model AND (:within IS NULL OR instr(files.path, :within) > 0)
ORDER BY vectors.first

-- name: sections
-- Sections by their numbers.
SELECT sections.id, files.path, files.hash, sections.kind, sections.name,
    sections.first, sections.last
FROM sections JOIN files ON files.id = sections.file
WHERE sections.id IN (SELECT value FROM json_each(?))

-- name: spread
-- How many sections hold each of some words.
SELECT term, doc FROM json_each(?) JOIN spread ON spread.term = json_each.value

-- name: total
-- How many sections there are.
SELECT count(*) FROM sections

-- name: holding
-- The files that hold a word.
SELECT DISTINCT files.path
FROM words JOIN sections ON sections.id = words.rowid JOIN files ON files.id = sections.file
WHERE words MATCH ?
