"""What aider makes of a SEARCH/REPLACE block before it looks for the lines.

It drops from each side a blank line at the end, a first line that ends with the file's name, and
fences around all of it. Where both sides lose the same, nothing comes of it but that fewer lines
are sought; where they do not, the file would hold something else than the block says.
"""

from __future__ import annotations

from holdfast.code.edits.model import Piece, Refused


def as_read(piece: Piece, path: str | None) -> Piece | Refused:
    """Return the block as aider reads it, or why it is not clear what comes of it."""
    name = (path or "").replace("\\", "/").rpartition("/")[2]
    (search, lost), (replace, lost_too) = (
        _read(side, name) for side in (piece.search, piece.replace)
    )
    if not piece.search.strip() and (piece.search or lost_too):
        return Refused("nothing is sought, and it is not clear what aider would add")
    if lost != lost_too:
        return Refused("aider would drop lines from one side of the block and not from the other")
    return Piece(search, replace, piece.line)


def _read(side: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Return what is left of a side, and what goes."""
    lines = side.split("\n")[:-1]
    lost = []
    if lines and name and lines[0].strip().endswith(name):
        lost.append(lines.pop(0))
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].startswith("```"):
        lost += [lines.pop(0), lines.pop()]
    if lines and not lines[-1]:
        lost.append(lines.pop())
    return "".join(line + "\n" for line in lines), tuple(lost)
