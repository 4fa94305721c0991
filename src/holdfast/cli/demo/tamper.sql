-- name: guard
-- The text of the guard that refuses changes.
SELECT sql FROM sqlite_schema WHERE name = 'runs_no_update';

-- name: drop_guard
-- Take it down, as somebody with the file in their hands can.
DROP TRIGGER runs_no_update;

-- name: run
-- The run that holds an entry.
SELECT first, lines FROM runs WHERE first <= ?1 AND last >= ?1;

-- name: forge
-- Put other bytes in their place.
UPDATE runs SET lines = ? WHERE first = ?;
