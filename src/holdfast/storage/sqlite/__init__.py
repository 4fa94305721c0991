"""The SQLite engine: one file for each ledger, any number of processes."""
