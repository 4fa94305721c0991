-- name: sessions
-- Every session, oldest first.
SELECT id, parent_id, directory, title, version, time_created FROM session
ORDER BY time_created, id;

-- name: messages
-- The messages of a session after one of them, oldest first, a few at a time.
SELECT id, time_created, data FROM message
WHERE session_id = :session AND (time_created, id) > (:created_ms, :id)
ORDER BY time_created, id LIMIT :count;

-- name: parts
-- The parts of a message, in the order they were begun.
SELECT id, time_created, data FROM part WHERE message_id = :message ORDER BY id;

-- name: weight
-- How many bytes the parts of a session say, about.
SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = :session;
