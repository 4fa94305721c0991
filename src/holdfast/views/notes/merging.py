"""Bringing the notes up to date, and telling what is ours in them from what is a person's.

The block stands between two marks. The second has a check for each line between them as it was
written; a line that does not fit was added or changed by a person. It is kept, below the part it
stood in; below the block when that part is no longer shown. A line of ours that a person took out
comes back, because the ledger still says it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import groupby
from typing import Final, Literal

import msgspec

from holdfast.views.notes.lines import Document, Heading, Line
from holdfast.views.notes.state import State
from holdfast.views.notes.writing import ENTRY, HEADINGS, LOAD_FIRST, TITLE, Part, parts_of, plain

BEGIN: Final = "<!-- holdfast:begin - made from the ledger; what you write in here is kept -->"
_BEGIN: Final = re.compile(r"\s*<!-- holdfast:begin\b.*-->\s*\Z")
_END: Final = re.compile(r"\s*<!-- holdfast:end ([\w-]*) -->\s*\Z")
_ONE_COMMENT: Final = re.compile(r" {0,3}<!--.*-->\s*\Z")

TEMPLATE: Final = """\
# Notes

Session Continuity is kept by holdfast, from the ledger. Whatever you write in this file stays.
"""
"""The notes of a project that has none yet."""

CHECK_CHARS: Final = 6
"""Characters of a line's check: 36 bits of a hash."""


class Block(msgspec.Struct, frozen=True):
    """What stands between two marks, them included."""

    first: int
    stop: int
    ours: frozenset[int]
    """Numbers of the lines that are as they were written."""


class Piece(msgspec.Struct, frozen=True):
    """Lines in a row that are all ours, or all a person's."""

    whose: Literal["ours", "person"]
    text: str


class Updated(msgspec.Struct, frozen=True):
    """Notes that are up to date."""

    text: str
    refs: Mapping[str, tuple[int, int]]
    """First and last line of each part that was written, by its key; lines count from 1."""
    kept: int
    """Lines of a person that stand in the block, or moved below it."""


def pieces(document: Document) -> list[Piece]:
    """Tell what is ours from what is a person's; joined, the pieces are the text."""
    ours = {at for block in blocks_of(document) for at in block.ours}
    runs = groupby(enumerate(document.lines), key=lambda pair: pair[0] in ours)
    return [
        Piece("ours" if mine else "person", "".join(line.text + line.end for _, line in run))
        for mine, run in runs
    ]


def update(document: Document, state: State) -> Updated:
    """Return the notes with the block as it should be; nothing that a person wrote is lost."""
    blocks = blocks_of(document)
    if not blocks:
        return _Writing(document, state).insert()
    return _Writing(document, state).rewrite(blocks)


def blocks_of(document: Document) -> list[Block]:
    """Find every block; a mark without its other half is a person's line."""
    found, begin = [], None
    for at, line in enumerate(document.lines):
        if line.place in ("code", "front"):
            continue
        if _BEGIN.match(line.text):
            begin = at
        elif begin is not None and (end := _END.match(line.text)):
            inner = _ours(document.lines[begin + 1 : at], end[1])
            ours = frozenset({begin, at, *(begin + 1 + one for one in inner)})
            found.append(Block(begin, at + 1, ours))
            begin = None
    return found


def _ours(lines: Sequence[Line], checks: str) -> set[int]:
    """Return which lines are as they were written."""
    wrote = [checks[at : at + CHECK_CHARS] for at in range(0, len(checks), CHECK_CHARS)]
    there = [_check(line.text) for line in lines]
    if there == wrote:
        return set(range(len(lines)))
    told = [at for at, check in enumerate(there) if check != _BLANK]
    said = [at for at, check in enumerate(wrote) if check != _BLANK]
    matcher = SequenceMatcher(
        None, [there[at] for at in told], [wrote[at] for at in said], autojunk=False
    )
    ours = set()
    for run in matcher.get_matching_blocks():
        for at, was in zip(told[run.a :][: run.size], said[run.b :][: run.size], strict=True):
            ours.add(at)
            # blank lines all look the same: ours is the one right above a line of ours
            if wrote[was - 1 : was] == [_BLANK] == there[at - 1 : at]:
                ours.add(at - 1)
    return ours


def _check(text: str) -> str:
    digest = sha256(text.rstrip("\r").encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest[:6])[:CHECK_CHARS].decode()


_BLANK: Final = _check("")


class _Writing:
    """Puts the lines of the new text together."""

    def __init__(self, document: Document, state: State) -> None:
        self._document = document
        self._newline = document.newline
        self._parts = parts_of(state)
        self._out: list[str] = []
        """Lines with their ends."""
        self._refs: dict[str, tuple[int, int]] = {}
        self._kept = 0

    def rewrite(self, blocks: Sequence[Block]) -> Updated:
        """Put the block in the place of the first; of further ones only a person's lines stay."""
        at = 0
        for number, block in enumerate(blocks):
            self._copy(at, block.first)
            if number == 0:
                self._put_block(_persons(self._document, block))
            else:
                self._copy_persons(block)
            at = block.stop
        self._copy(at, len(self._document.lines))
        return self._done()

    def insert(self) -> Updated:
        """Put the block where it belongs in notes that have none yet."""
        section = section_of(self._document)
        if section is not None:
            self._insert_into(section)
        else:
            self._insert_section()
        return self._done()

    def _insert_into(self, section: Heading) -> None:
        lines = self._document.lines
        at = _behind_comments(lines, section.after)
        told = any("FIRST after /clear" in line.text for line in lines[section.after : at])
        self._copy(0, at)
        self._end_line()
        if not told:
            self._put(LOAD_FIRST)
        self._put_block({})
        self._copy(at, len(lines))

    def _insert_section(self) -> None:
        lines = self._document.lines
        at = _place_for_section(self._document)
        self._copy(0, at)
        self._end_line()
        if self._out and self._out[-1].strip():
            self._put("")
        self._put(f"## {TITLE}")
        self._put(LOAD_FIRST)
        self._put_block({})
        if at < len(lines):
            self._put("")
        self._copy(at, len(lines))

    def _put_block(self, persons: Mapping[str, tuple[str, list[Line]]]) -> None:
        """Write the parts, each with what a person wrote in it; the rest goes below."""
        self._put(BEGIN)
        checks: list[str] = []
        left = dict(persons)
        for part in self._parts:
            checks += map(_check, part.lines)
            self._put_part(part)
            self._put_lines(left.pop(part.key, ("", []))[1])
        self._put(f"<!-- holdfast:end {''.join(checks)} -->")
        for title, lines in left.values():
            self._put("")
            self._put(f"<!-- was below: {plain(title) or TITLE} -->")
            self._put_lines(lines)

    def _put_part(self, part: Part) -> None:
        first = len(self._out) + 2  # behind the blank line, counted from 1
        for line in part.lines:
            self._put(line)
        self._refs[part.key] = (first, len(self._out))

    def _put_lines(self, lines: Sequence[Line]) -> None:
        self._kept += len(lines)
        self._out += [line.text + line.end for line in lines]

    def _copy_persons(self, block: Block) -> None:
        lines = self._document.lines
        own = [lines[at] for at in range(block.first, block.stop) if at not in block.ours]
        self._put_lines(own)

    def _copy(self, first: int, stop: int) -> None:
        self._out += [line.text + line.end for line in self._document.lines[first:stop]]

    def _put(self, text: str) -> None:
        self._out.append(text + self._newline)

    def _end_line(self) -> None:
        """Let what follows begin on a line of its own."""
        if self._out and not self._out[-1].endswith("\n"):
            self._out[-1] += self._newline

    def _done(self) -> Updated:
        return Updated("".join(self._out), self._refs, self._kept)


def _persons(document: Document, block: Block) -> dict[str, tuple[str, list[Line]]]:
    """Return a person's lines in the block, with the title, by the key of the part they are in."""
    keys = dict(_starts(document, block))
    key, title = "", ""
    found: dict[str, tuple[str, list[Line]]] = {}
    for at in range(block.first, block.stop):
        if at in keys:
            key, title = keys[at]
        if at not in block.ours:
            found.setdefault(key, (title, []))[1].append(document.lines[at])
    return found


def _starts(document: Document, block: Block) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield where each part begins, with its key and title."""
    lines = document.lines
    for at in sorted(block.ours):
        text = lines[at].text
        if text in HEADINGS:
            yield at, (HEADINGS[text], text.lstrip("# "))
        elif entry := ENTRY.match(text):
            above = lines[at - 1].text
            key = f"entry {entry[1]}"
            is_headed = above.startswith("#### ")
            yield at - is_headed, (key, above.lstrip("# ") if is_headed else key)


def section_of(document: Document) -> Heading | None:
    """Find the section for us: the first of that very name, wherever it stands."""
    for heading in document.headings:
        if heading.level <= 2 and heading.title.casefold() == TITLE.casefold():
            return heading
    return None


def _behind_comments(lines: Sequence[Line], at: int) -> int:
    """Go past the comments that stand directly below a heading."""
    behind = at
    while at < len(lines):
        text = lines[at].text
        if _ONE_COMMENT.match(text):
            behind = at + 1
        elif text.strip():
            break
        at += 1
    return behind


def _place_for_section(document: Document) -> int:
    """Find where a new section goes: in front of the first one, else at the end."""
    tops = [heading for heading in document.headings if heading.level == 1]
    for heading in document.headings:
        if heading.level == 2 or (tops and heading.level == 1 and heading is not tops[0]):
            return heading.first
    return len(document.lines)
