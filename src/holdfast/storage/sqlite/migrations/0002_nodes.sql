-- Inner nodes of the tree, kept for every 256 and every 65,536 leaves, so that roots and proofs
-- do not read every leaf. The migration fills them in for the entries that are there.

CREATE TABLE nodes (
    level INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    hash  BLOB    NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER nodes_in_order BEFORE INSERT ON nodes
WHEN NEW.idx IS NOT ifnull((SELECT max(idx) FROM nodes WHERE level = NEW.level), -1) + 1
BEGIN SELECT RAISE(ABORT, 'nodes are only ever appended'); END;

CREATE TRIGGER nodes_no_update BEFORE UPDATE ON nodes BEGIN SELECT RAISE(ABORT, 'nothing is ever changed'); END;
CREATE TRIGGER nodes_no_delete BEFORE DELETE ON nodes BEGIN SELECT RAISE(ABORT, 'nothing is ever deleted'); END;
