"""What agents write down of their sessions by themselves, line by line, and the entries it becomes.

A reader for each agent, pure: it is handed lines and returns drafts. Every line becomes at least
one entry: what has no type of its own is kept whole, as `hook_fired`. The ids come from
`agents.keys`, so that what a hook recorded is not recorded again.
"""
