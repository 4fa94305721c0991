"""What the project on disk says: citations, grounding, ghosts, notes, tasks, git, healing."""
