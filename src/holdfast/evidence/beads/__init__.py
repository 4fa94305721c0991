"""Beads, the issue tracker: its program `bd`, and the file that it exports."""
