"""Other ledgers beside ours: each arrives as its writer's own chain, proved, and stays its own.

Nothing is imported here: whoever only looks at peers does not load what merges them.
"""
