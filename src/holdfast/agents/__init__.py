"""Agents: what each one's hooks and transcripts say, and what it is answered. One file each."""
