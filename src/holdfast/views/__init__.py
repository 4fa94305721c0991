"""What is shown: derived from entries and stores, bounded, reproducible, never authoritative."""
