"""Citations in a text: a quote in backticks, and in brackets where it stands.

    `def take(self)` [${PROJECT_ROOT}/src/queue.py:45]
    ``uses `ticks` `` [${PROJECT_ROOT}/docs/a.md:3]
    `first line
    second line` [${PROJECT_ROOT}/src/queue.py:45-46]

They are found anywhere in a text. What is plainly meant as one and cannot be used comes back with
a fault: nobody guesses what was meant. A longer fence of backticks may hold shorter ones, and a
fence of three or more may be a block with the language behind it, as in CommonMark.

Not here: files. Whether a quote stands where it is said to stand is asked of `checking`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

import msgspec

from holdfast.kernel.limits import CITATION_GAP_CHARS_MAX
from holdfast.recall.identifiers import PROJECT_ROOT

FORM: Final = f"`quote` [{PROJECT_ROOT}path:line]"

NO_CITATION: Final = "no-citation"
NO_QUOTE: Final = "no-quote"
NO_LINE: Final = "no-line"
BAD_LINES: Final = "bad-lines"
RELATIVE_PATH: Final = "relative-path"
ABSOLUTE_PATH: Final = "absolute-path"
PARENT_PATH: Final = "parent-path"
LEAVES_ROOT: Final = "leaves-root"
NOT_TEXT: Final = "not-text"
OWN_FILE: Final = "own-file"
CUTS_SECRET: Final = "cuts-secret"
TOO_SHORT: Final = "too-short"
TOO_LONG: Final = "too-long"
TOO_MANY: Final = "too-many"

_ROOT: Final = PROJECT_ROOT.rstrip("/")


class Cited(msgspec.Struct, frozen=True):
    """A citation as it was written; with a fault, whatever could be read of it."""

    path: str
    """Below the project's root; with a fault of the path, as it was given."""
    line: int
    """0 when there is none."""
    last: int | None
    quote: str
    fault: str | None = None
    start: int = 0
    end: int = 0
    """Which part of the text it is."""


def parse(text: str) -> list[Cited]:
    """Return the citations of a text in their order, those that cannot be used with their fault."""
    runs = _Runs(text)
    targets = [found for match in _TARGET.finditer(text) if (found := _target(match, runs))]
    closing = {target.closing for target in targets if target.closing is not None}
    cited: list[Cited] = []
    rest = len(text)
    # From the end: the quote of a later citation may hold what looks like an earlier one.
    for target in reversed(targets):
        if target.start >= rest:
            continue
        opening = runs.opening(target.closing, closing)
        quoted = None if opening is None else runs.between(opening, target.closing)
        rest = target.start if opening is None else runs.starts[opening]
        cited.append(_cited(target, quoted, rest))
    return cited[::-1]


def spell(quote: str, path: str, line: int, last: int | None = None) -> str:
    """Write a citation; the path is one below the project's root."""
    where = f"{line}" if last is None else f"{line}-{last}"
    longest = max((len(run) for run in _TICKS.findall(quote)), default=0)
    fence = "`" * (longest + 1)
    padded = quote[:1] in (" ", "`") or quote[-1:] in (" ", "`") or len(fence) > 2
    inner = f" {quote} " if padded else quote
    return f"{fence}{inner}{fence} [{PROJECT_ROOT}{path}:{where}]"


class _Target(msgspec.Struct, frozen=True):
    """What stands in brackets, and the backticks directly before it."""

    given: str
    start: int
    end: int
    closing: int | None


def _target(match: re.Match[str], runs: _Runs) -> _Target | None:
    """Return a place that is meant as one; brackets are used for other things, too."""
    given = match["target"]
    closing = runs.directly_before(match.start())
    if closing is not None and runs.embrace(match.start(), match.end()):
        closing = None  # the brackets themselves stand in backticks
    found = _Target(given, match.start(), match.end(), closing)
    if given.startswith(_ROOT):
        return found
    lined = _LINED.fullmatch(given)
    if lined is None or match.string.startswith("(", match.end()) or "://" in given:
        return None
    path = lined["path"]
    if closing is not None:
        return found if "/" in path or not re.search(r"\s", path) else None
    return found if _PATH.fullmatch(path) else None


def _cited(target: _Target, quoted: str | None, start: int) -> Cited:
    lined = _LINED.fullmatch(target.given)
    given = target.given if lined is None else lined["path"]
    line = 0 if lined is None else int(lined["first"])
    last = None if lined is None or lined["last"] is None else int(lined["last"])
    path, fault = _path(given)
    quote = "" if quoted is None else quoted
    if fault is None and not quote.strip():
        fault = NO_QUOTE
    if fault is None and lined is None:
        fault = NO_LINE
    if fault is None and (line < 1 or (last is not None and last < line)):
        fault = BAD_LINES
    if not _is_text(path + quote):
        fault = NOT_TEXT
    return Cited(path, line, last, quote, fault, start, target.end)


def _path(given: str) -> tuple[str, str | None]:
    """Return the path below the root, or the path as given and what is wrong with it."""
    below = given.removeprefix(PROJECT_ROOT)
    if below == given:
        is_absolute = given.startswith("/") or _DRIVE.match(given) is not None
        return given, ABSOLUTE_PATH if is_absolute else RELATIVE_PATH
    if ".." in below.split("/"):
        return below, PARENT_PATH
    return (below, None) if below.strip("/") and "\0" not in below else (given, RELATIVE_PATH)


def _is_text(text: str) -> bool:
    """Tell whether a text is one: half a character stands in no file and names none."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


class _Runs:
    """The runs of backticks in a text, and which of them may be a pair."""

    def __init__(self, text: str) -> None:
        self._text = text
        matches = list(_TICKS.finditer(text))
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self._same: list[int | None] = []
        """The nearest run before each that is as long."""
        newest: dict[int, int] = {}
        for index, match in enumerate(matches):
            length = match.end() - match.start()
            self._same.append(newest.get(length))
            newest[length] = index

    def directly_before(self, place: int) -> int | None:
        """Return the run that ends before a place, with blanks and one line end between them."""
        index = bisect_left(self.ends, place + 1) - 1
        if index < 0 or place - self.ends[index] > CITATION_GAP_CHARS_MAX:
            return None
        between = self._text[self.ends[index] : place]
        return index if _GAP.fullmatch(between) else None

    def embrace(self, start: int, end: int) -> bool:
        """Tell whether a run stands right before, and one as long right behind."""
        before, after = bisect_left(self.ends, start), bisect_left(self.starts, end)
        if before >= len(self.ends) or after >= len(self.starts):
            return False
        touches = self.ends[before] == start and self.starts[after] == end
        return touches and self._length(before) == self._length(after)

    def opening(self, closing: int | None, closers: set[int]) -> int | None:
        """Return where a quote begins; what closes another one opens none."""
        opening = None if closing is None else self._same[closing]
        return None if opening in closers else opening

    def between(self, opening: int, closing: int | None) -> str:
        """Return what stands between two runs, as CommonMark reads it, but with its line ends."""
        assert closing is not None
        inner = self._text[self.ends[opening] : self.starts[closing]].replace("\r\n", "\n")
        block = _INFO.match(inner) if self._length(opening) > 2 else None
        if block is not None:
            return inner[block.end() :].rstrip(" \t").removesuffix("\n")
        padded = len(inner) > 2 and inner[0] == inner[-1] == " " and inner.strip(" ") != ""
        return inner[1:-1] if padded else inner

    def _length(self, run: int) -> int:
        return self.ends[run] - self.starts[run]


_TICKS: Final = re.compile(r"`+")
_GAP: Final = re.compile(r"[ \t]*(?:\r?\n[ \t]*)?")
_INFO: Final = re.compile(r"[\w+#.-]*+[ \t]*+\n")
_LINED: Final = re.compile(r"(?P<path>.+):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")
_PATH: Final = re.compile(r"[^\s:]*(?:/[^\s:/]+|\.[A-Za-z]\w*)")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")

# Names of folders may have brackets, one pair inside another: app/[[...slug]]/page.tsx. Nothing is
# tried twice (`+` behind the counts), and the counts bound what one bracket may look at.
_PLAIN: Final = r"[^\[\]`\n]"
_TARGET: Final = re.compile(
    rf"\[(?P<target>(?:{_PLAIN}|\[(?:{_PLAIN}|\[{_PLAIN}{{0,255}}+\]){{0,255}}+\]){{1,1200}}+)\]"
)
