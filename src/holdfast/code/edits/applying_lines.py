"""Apply the forms that are made of whole lines. What holds for line ends stands in `applying`."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.code.edits import aider
from holdfast.code.edits.lines import Sought, ending, seek, split, to_crlf, to_lf
from holdfast.code.edits.model import (
    Applied,
    Chunk,
    Diff,
    Hunk,
    Insert,
    Patch,
    Piece,
    Refused,
    Search,
)
from holdfast.kernel.limits import EDIT_WORK_LINES_MAX

_MIXED = Refused("the base mixes line ends, and the edit does not say which it means")
_NOT_THERE = Refused("the file is not there")


def apply_search(edit: Search, base: str | None) -> Applied | Refused:
    """Put each block's lines in the one place where the lines it seeks stand."""
    ends = ending(base or "")
    if ends == "mixed":
        return _MIXED
    text, shift = None if base is None else to_lf(base), 0
    for part, piece in enumerate(edit.pieces, 1):
        before = text
        read = aider.as_read(piece, edit.path) if edit.via == "aider" else piece
        done = read if isinstance(read, Refused) else _one_piece(edit.via, read, text, shift)
        if not done and edit.via == "aider":
            done = Refused("nothing would be left of the file, which aider takes for a failure")
        if isinstance(done, Refused):
            return Refused(done.reason, done.line, part)
        text = done
        shift += text.count("\n") - (before or "").count("\n")
        if part * text.count("\n") > EDIT_WORK_LINES_MAX:
            return Refused("so many blocks in a text this long are too many", part=part)
    if text is None:
        return _NOT_THERE
    return Applied(to_crlf(text) if ends == "\r\n" else text)


def _one_piece(via: str, piece: Piece, text: str | None, shift: int) -> str | Refused:
    if not piece.search.strip():
        return _without_search(via, piece, text)
    if text is None:
        return _NOT_THERE
    bare_end = text != "" and not text.endswith("\n")
    lines = split(text + "\n" if bare_end and via != "replace_in_file" else text)
    wanted = split(_closed(piece.search))
    place = _place_of(piece, lines, wanted, shift)
    if isinstance(place, Refused):
        return place
    lines[place : place + len(wanted)] = split(_closed(piece.replace))
    done = "".join(lines)
    if bare_end and via == "apply_diff" and done.endswith("\n"):
        return done[:-1]
    return done


def _without_search(via: str, piece: Piece, text: str | None) -> str | Refused:
    """Add to the end, as aider does, or begin a file; elsewhere it is not said what is meant."""
    if piece.search and text:
        return Refused("only blank lines are sought")
    if text and via != "aider":
        return Refused("nothing is sought, and the file is not empty")
    return (text or "") + _closed(piece.replace)


def _place_of(
    piece: Piece, lines: Sequence[str], wanted: Sequence[str], shift: int
) -> int | Refused:
    if piece.line is not None:
        stated = piece.line - 1 + shift
        if stated >= 0 and list(lines[stated : stated + len(wanted)]) == list(wanted):
            return stated
    return _only_place(seek(lines, wanted), lines, wanted)


def _only_place(found: Sought, lines: Sequence[str], wanted: Sequence[str]) -> int | Refused:
    if len(found.places) == 1:
        return found.places[0]
    if found.places:
        first, second = found.places
        return Refused(f"the lines sought stand in line {first + 1} and again", second + 1)
    if found.nearest is None:
        return Refused("none of the lines sought stands in the base")
    at = found.nearest + found.matched
    there = _shown(lines[at]) if at < len(lines) else "the end of the file"
    return Refused(
        f"after {found.matched} of {len(wanted)} lines {_shown(wanted[found.matched])} is sought, "
        f"and {there} stands there",
        at + 1,
    )


def _shown(line: str) -> str:
    text = line.rstrip("\n")
    return repr(text if len(text) <= 60 else text[:60] + "…")


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def apply_insert(edit: Insert, base: str) -> Applied | Refused:
    """Put lines behind a line."""
    ends = ending(base)
    if ends == "mixed":
        return _MIXED
    lines = split(to_lf(base))
    at = len(lines) if edit.after_line == -1 else edit.after_line
    if not 0 <= at <= len(lines):
        return Refused(f"the base has {len(lines)} lines, not {at}", len(lines))
    text = to_lf(edit.text)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    else:
        text = _closed(text)
    done = "".join([*lines[:at], text, *lines[at:]])
    return Applied(to_crlf(done) if ends == "\r\n" else done)


def apply_patch(edit: Patch, base: str) -> Applied | Refused:
    """Change the chunks in their order, each behind the one before."""
    ends = ending(base)
    if ends == "mixed":
        return _MIXED
    lines = to_lf(base).split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(lines) * len(edit.chunks) > EDIT_WORK_LINES_MAX:
        return Refused("so many chunks in a text this long are too many")
    done: list[str] = []
    cursor = 0
    for part, chunk in enumerate(edit.chunks, 1):
        place = _chunk_place(chunk, lines, cursor)
        if isinstance(place, Refused):
            return Refused(place.reason, place.line, part)
        at, old, new = place
        done += [*lines[cursor:at], *new]
        cursor = at + len(old)
    done += lines[cursor:]
    text = "".join(line + "\n" for line in done)
    return Applied(to_crlf(text) if ends == "\r\n" else text, edit.renamed_to)


def _chunk_place(
    chunk: Chunk, lines: Sequence[str], cursor: int
) -> tuple[int, Sequence[str], Sequence[str]] | Refused:
    """Return where the chunk's old lines stand, and both sides as they are to be used."""
    start = _behind_contexts(chunk, lines, cursor)
    if isinstance(start, Refused):
        return start
    if not chunk.old:
        if chunk.contexts:
            return Refused("the chunk adds lines and does not say behind which", start)
        return len(lines), (), chunk.new
    refused = None
    for old, new in _readings(chunk):
        place = _seek_chunk(chunk, old, lines, start)
        if not isinstance(place, Refused):
            return place, old, new
        refused = refused or place
    assert refused is not None
    return refused


def _readings(chunk: Chunk) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Give the sides as they stand and, as Codex does, without the line that ends a file."""
    whole: tuple[Sequence[str], Sequence[str]] = (chunk.old, chunk.new)
    if chunk.old[-1] != "" or len(chunk.old) == 1:
        return [whole]
    return [whole, (chunk.old[:-1], chunk.new[:-1] if chunk.new[-1:] == ("",) else chunk.new)]


def _seek_chunk(
    chunk: Chunk, old: Sequence[str], lines: Sequence[str], start: int
) -> int | Refused:
    if chunk.at_end:
        start = max(start, len(lines) - len(old))
    found = seek(lines, old, start)
    if chunk.contexts and found.places:
        return found.places[0]  # behind a context that stands once, the first place is meant
    return _only_place(found, lines, old)


def _behind_contexts(chunk: Chunk, lines: Sequence[str], cursor: int) -> int | Refused:
    for context in chunk.contexts:
        place = _only_place(seek(lines, (context,), cursor), lines, (context,))
        if isinstance(place, Refused):
            return Refused(f"the context {_shown(context)}: {place.reason}", place.line)
        cursor = place + 1
    return cursor


def apply_diff(edit: Diff, base: str | None) -> Applied | Refused:
    """Apply the hunks without fuzz: where the header says, else in the one place they fit."""
    if edit.creates:
        if base:
            return Refused("the diff makes a new file, and there is one", 1)
        base = ""
    elif base is None:
        return _NOT_THERE
    hunks = _in_ends_of(base, edit.hunks)
    lines = split(base)
    done: list[str] = []
    cursor, shift, misplaced = 0, 0, 0
    for part, hunk in enumerate(hunks, 1):
        place = _stated_place(hunk, lines, cursor, shift)
        if place is None:
            misplaced += 1
            if misplaced * len(lines) > EDIT_WORK_LINES_MAX:
                return Refused("so many hunks that stand elsewhere are too many", part=part)
            place = _only_place(seek(lines, hunk.old, cursor), lines, hunk.old)
        if isinstance(place, Refused):
            return Refused(place.reason, place.line, part)
        if hunk.line is not None:
            shift = place - (hunk.line - 1)
        done += [*lines[cursor:place], *hunk.new]
        cursor = place + len(hunk.old)
    done += lines[cursor:]
    return _finish_diff(edit, done)


def _finish_diff(edit: Diff, done: Sequence[str]) -> Applied | Refused:
    for number, line in enumerate(done[:-1], 1):
        if not line.endswith("\n"):
            return Refused("a line without a newline would stand inside the file", number)
    if not edit.deletes:
        return Applied("".join(done), edit.renamed_to)
    if done:
        return Refused(f"the diff deletes the file, and {len(done)} lines would be left", 1)
    return Applied(None)


def _stated_place(
    hunk: Hunk, lines: Sequence[str], cursor: int, shift: int
) -> int | Refused | None:
    """Return where the header says the hunk stands, None when its lines are not there."""
    if not hunk.old:
        if lines:
            return Refused("the hunk adds lines and shows none that are there", cursor + 1)
        return 0
    if hunk.line is not None:
        stated = hunk.line - 1 + shift
        if stated >= cursor and tuple(lines[stated : stated + len(hunk.old)]) == hunk.old:
            return stated
    return None


def _in_ends_of(base: str, hunks: Sequence[Hunk]) -> Sequence[Hunk]:
    """Give the hunks CRLF when the base has nothing else and the diff has none."""
    carried = any("\r\n" in line for hunk in hunks for line in (*hunk.old, *hunk.new))
    if carried or ending(base) != "\r\n":
        return hunks
    return [
        Hunk(hunk.line, tuple(map(to_crlf, hunk.old)), tuple(map(to_crlf, hunk.new)))
        for hunk in hunks
    ]
