"""The proof: crash, kill, refuse and tamper, and see whether every promise held.

`python -m holdfast.testing.prove` runs all of it and writes `proof.json` and `RELIABILITY.md`.
"""
