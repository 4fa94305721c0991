"""Find the edits in an answer: fenced or bare, in the order in which they stand.

One pass over the lines. Outside of fences a line may begin a tool's tag, a patch, a diff or a
SEARCH block. A fence that holds one of these is read as that and not as a block; it is then read
by its own marks, so that fences inside the code do not end it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from holdfast.code.edits import patches, paths, search_replace, unified
from holdfast.code.edits.fences import Fences, Opening, is_closing, opens_inside
from holdfast.code.edits.model import Block, Diff, Edit, Search, Unreadable
from holdfast.code.edits.tags import Tags
from holdfast.kernel.limits import EDIT_TEXT_CHARS_MAX, EDITS_MAX

_DIFF_LANGUAGES: Final = ("diff", "patch", "udiff")


def find_edits(text: str) -> tuple[Edit, ...]:
    """Return every edit and every code block of a text; what could not be read says so itself."""
    finder = _Finder(text[:EDIT_TEXT_CHARS_MAX])
    finder.run()
    found, more = finder.edits[:EDITS_MAX], len(finder.edits[EDITS_MAX:])
    unseen = len(text) - finder.looked_at
    if more or unseen:
        reason = f"too much: {more} edits and the last {unseen} characters are left out"
        start = finder.looked_at
        found.append(Unreadable(reason=reason, complete=False, start=start, end=len(text)))
    return tuple(found)


class _Finder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []
        self.looked_at = len(text)
        self._lines = text.split("\n")
        self._bare = (
            [line.removesuffix("\r") for line in self._lines] if "\r" in text else self._lines
        )
        self._stop = len(self._lines) - (self._lines[-1] == "")
        """Where lines end; behind the text's last newline there is none."""
        self._starts = self._line_starts()
        self._fences = Fences()
        self._tags = Tags(text)
        self._free = 0
        """The first line that belongs to no edit yet: a path is not sought before it."""
        self._path: str | None = None
        """Of the last SEARCH block, which holds for those behind it."""

    def _line_starts(self) -> list[int]:
        starts, at = [], 0
        for line in self._lines:
            starts.append(at)
            at += len(line) + 1
        return [*starts, len(self.text) + 1]

    def run(self) -> None:
        """Go through the lines."""
        index = 0
        while index < len(self._lines):
            if len(self.edits) >= EDITS_MAX:
                self.looked_at = min(self._starts[index], len(self.text))
                return
            after = self._bare_form(index)
            if after is None:
                after = self._markdown(index)
            else:
                self._fences.reset()
            index = after

    def _bare_form(self, index: int) -> int | None:
        """Read what begins in this line outside of fences; return the line behind it."""
        line = self._bare[index]
        first = line.lstrip(" \t")[:1]
        if first == "<":
            return self._tag(index) or self._searches(index, index)
        if first == "*" and line.rstrip() == patches.BEGIN:
            return self._patch(index, index)
        if first in ("d", "-"):
            return self._searches(index, index) or self._diff(index, index)
        return None

    def _tag(self, index: int) -> int | None:
        found = self._tags.find(self._starts[index])
        if found is None:
            return None
        after = self._line_behind(found.end, index)
        self._add(found.edits, index, after)
        return after

    def _line_behind(self, end: int, index: int) -> int:
        while index < len(self._lines) and self._starts[index] < end:
            index += 1
        return index

    def _markdown(self, index: int) -> int:
        opening = self._fences.opens(self._bare[index])
        if opening is None:
            return index + 1
        special = None if opening.nested else self._fenced_form(index, opening)
        if special is None:
            return self._block(index, opening)
        self._fences.reset()
        return self._behind_closing(special, opening)

    def _behind_closing(self, index: int, opening: Opening) -> int:
        """Step over the line that closes the fence around what was read; blank ones may precede."""
        after = self._behind_blank(index)
        closed = after < len(self._lines) and is_closing(self._bare[after], opening.mark)
        return after + 1 if closed else index

    def _behind_blank(self, index: int) -> int:
        while index < len(self._lines) and not self._bare[index].strip():
            index += 1
        return index

    def _fenced_form(self, index: int, opening: Opening) -> int | None:
        """Read what a fence holds by its own marks, when its first lines show that it is one."""
        for first in range(index + 1, min(index + 3, len(self._lines))):
            line = self._bare[first]
            if search_replace.is_head(line):
                return self._searches(first, index, opening)
            if line.rstrip() == patches.BEGIN:
                return self._patch(first, index)
            if unified.begins(self._bare, first) and _may_hold_diff(opening):
                return self._fenced_diff(first, index, opening)
            if line.strip() and paths.in_line(line) is None:
                return None
        return None

    def _searches(self, head: int, index: int, opening: Opening | None = None) -> int | None:
        """Read SEARCH blocks that follow each other, each with a path of its own or the last."""
        if not search_replace.is_head(self._bare[head]):
            return None
        before, _ = self._path_before(index)
        info = paths.in_info(opening.info)[0] if opening else None
        self._path = self._path_inside(index, head) or info or before or self._path
        while True:
            after = self._search(head, index)
            index = self._behind_blank(after)
            head = index
            if index < len(self._lines) and opening and self._path_inside(index - 1, index + 1):
                self._path, head = self._path_inside(index - 1, index + 1), index + 1
            if head >= len(self._lines) or not search_replace.is_head(self._bare[head]):
                return after

    def _path_inside(self, index: int, head: int) -> str | None:
        found = (paths.in_line(line) for line in self._bare[index + 1 : head])
        return next(filter(None, found), None)

    def _search(self, head: int, index: int) -> int:
        one = search_replace.read(self._bare, head, len(self._lines))
        found: Edit
        if one.piece is None:
            found = Unreadable(
                path=self._path, via="aider", reason=one.reason, complete=one.complete
            )
        else:
            found = Search(path=self._path, via="aider", pieces=(one.piece,))
        self._add((found,), index, one.after)
        return one.after

    def _patch(self, begin: int, index: int) -> int:
        end = begin + 1
        while end < len(self._lines) and self._bare[end].rstrip() != patches.END:
            end += 1
        complete = end < len(self._lines)
        edits = patches.read_lines(self._bare[begin + 1 : end], complete=complete)
        after = end + complete
        self._add(edits, index, after)
        return after

    def _diff(self, begin: int, index: int) -> int | None:
        if not unified.begins(self._bare, begin):
            return None
        if not self._bare[begin].startswith("diff ") and not self._hunk_follows(begin + 2):
            return None
        read = unified.read(self._lines, begin, self._stop)
        self._add(self._with_path(read.edits, index), index, read.after)
        return read.after

    def _hunk_follows(self, index: int) -> bool:
        return index < len(self._lines) and self._bare[index].startswith("@@")

    def _fenced_diff(self, begin: int, index: int, opening: Opening) -> int | None:
        """Read a diff by its counts; only when the fence ends right behind it was that right."""
        read = unified.read(self._lines, begin, self._stop)
        after = self._behind_closing(read.after, opening)
        if after == read.after:
            return None
        self._add(self._with_path(read.edits, index), index, after)
        return after

    def _with_path(self, edits: Iterable[Edit], index: int) -> tuple[Edit, ...]:
        """Put the path of the line before where a diff has names that are none."""
        before, _ = self._path_before(index)
        return tuple(
            msgspec.structs.replace(edit, path=before)
            if edit.path is None or (before and not paths.looks_like_path(edit.path))
            else edit
            for edit in edits
        )

    def _block(self, index: int, opening: Opening) -> int:
        content: list[str] = []
        after, complete, nested = index + 1, False, False
        while after < len(self._lines):
            held = self._fences.content(self._bare[after])
            if held is None:
                complete = not self._fences.ended_with_container
                break
            content.append(held)
            nested = nested or opens_inside(held, opening.mark)
            after += 1
        else:
            if content and content[-1] == "" and self.text.endswith("\n"):
                content.pop()  # the text's last newline begins no line
        text = "".join(line + "\n" for line in content)
        edits = self._read_block(text, index, opening, complete=complete)
        if nested and isinstance(edits[0], Block):
            edits = (msgspec.structs.replace(edits[0], nested=True),)
        self._add(edits, index, after + complete)
        return after + complete

    def _read_block(
        self, text: str, index: int, opening: Opening, *, complete: bool
    ) -> tuple[Edit, ...]:
        path, language, quoted = paths.in_info(opening.info)
        quoted = quoted or opening.quoted
        origin: Literal["", "info", "before", "comment"] = "info" if path else ""
        if path is None:
            path, origin = self._path_before(index)
        if language in _DIFF_LANGUAGES and complete and not quoted:
            return self._read_diff_block(text, path)
        if path is None and (path := paths.in_first_comment(text)):
            origin = "comment"
        block = Block(
            path=path, via="fence", complete=complete, content=text, info=opening.info,
            language=language, path_from=origin, quoted=quoted,
        )  # fmt: skip
        return (block,)

    def _read_diff_block(self, text: str, path: str | None) -> tuple[Edit, ...]:
        lines = text.removesuffix("\n").split("\n")
        at = next((i for i in range(len(lines)) if unified.begins(lines, i)), None)
        if at is None:
            return (unified.read_hunks_only(lines, path),)
        read = unified.read(lines, at, len(lines))
        rest = next((line for line in lines[read.after :] if line.strip()), None)
        if rest is not None and not isinstance(read.edits[-1], Unreadable):
            reason = f"{rest[:80]!r} is no part of a diff"
            return (Unreadable(path=path, via=unified.VIA, reason=reason),)
        return tuple(
            msgspec.structs.replace(edit, path=edit.path or path)
            if isinstance(edit, Diff | Unreadable)
            else edit
            for edit in read.edits
        )

    def _path_before(self, index: int) -> tuple[str | None, Literal["", "before"]]:
        """Return the path that the line before consists of; one blank line may stand between."""
        before = index - 1
        if before >= self._free and not self._bare[before].strip():
            before -= 1
        if before < self._free:
            return None, ""
        path = paths.in_line(self._bare[before])
        return path, "before" if path else ""

    def _add(self, edits: Iterable[Edit], index: int, after: int) -> None:
        start = self._starts[index]
        end = min(self._starts[min(after, len(self._lines))], len(self.text))
        self.edits += [msgspec.structs.replace(edit, start=start, end=end) for edit in edits]
        self._free = after


def _may_hold_diff(opening: Opening) -> bool:
    return paths.in_info(opening.info)[1] in ("", *_DIFF_LANGUAGES)
