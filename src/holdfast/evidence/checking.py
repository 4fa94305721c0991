"""Citations held against the files of a project: each file is read once, and parsed if need be.

Reading is enough to say that a quote is exact, changed or gone. For one that moved the file is
parsed: of several places where it stands, the one in the same definition is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from holdfast.code import language_of
from holdfast.evidence import citations as faults
from holdfast.evidence.citations import FORM, Cited, spell
from holdfast.evidence.own_files import OwnFiles
from holdfast.evidence.quotes import Lines, Seen, look, nearest, says_something
from holdfast.evidence.reading import ReadingFiles
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NotFound
from holdfast.kernel.limits import CODE_BYTES_MAX
from holdfast.kernel.types.evidence import State

if TYPE_CHECKING:
    from holdfast.code.values import Reading, Symbol
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.recall.retrieval import ReadSymbols

Redact: TypeAlias = Callable[[str], str]
"""Returns a text without its secrets, as it would be recorded."""

MARKER: Final = "[REDACTED:"

_OWN: Final = OwnFiles()


class Checked(msgspec.Struct, frozen=True):
    """A citation and what was found; `remedy` says what to do about it, empty for an exact one."""

    cited: Cited
    state: State
    fault: str | None = None
    found: int | None = None
    """The line where it stands, for one that moved: where it stands instead."""
    symbol: str | None = None
    how: str | None = None
    """What differs, or why nobody could look."""
    remedy: str = ""


class SourceFile:
    """The text of one file, with what is worked out of it when somebody asks."""

    def __init__(self, path: str, text: str, read_symbols: ReadSymbols, ahead: int) -> None:
        self.path = path
        self.lines = Lines(text, ahead)
        self._text = text
        self._read_symbols = read_symbols

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hex."""
        return sha256(self._text.encode()).hexdigest()

    @cached_property
    def reading(self) -> Reading | None:
        """What the file defines; None when nobody can tell."""
        language = language_of(self.path, self._text)
        if language is None or len(self._text) > CODE_BYTES_MAX:
            return None
        try:
            return self._read_symbols(self.lines.text, language)
        except CouldNotLook:
            return None

    def around(self, first: int, last: int) -> Symbol | None:
        """Return the smallest definition that holds these lines."""
        reading = self.reading
        if reading is None:
            return None
        holding = (s for s in reading.symbols if s.start_line <= first and last <= s.end_line)
        return min(holding, key=_size, default=None)

    def named(self, qualified: str) -> Symbol | None:
        """Return a definition by its name."""
        reading = self.reading
        if reading is None:
            return None
        return next((s for s in reading.symbols if s.qualified == qualified), None)


class Checker:
    """Looks at the citations of one project; `symbols` names where quotes stood when recorded."""

    def __init__(
        self,
        files: ProjectFiles,
        redact: Redact,
        read_symbols: ReadSymbols,
        own: OwnFiles = _OWN,
    ) -> None:
        self._files = files
        self._redact = redact
        self._read_symbols = read_symbols
        self._own = own

    def check(
        self, cited: Sequence[Cited], symbols: Sequence[str | None] | None = None
    ) -> list[Checked]:
        """Return what became of each citation, in their order."""
        found: dict[int, Checked] = {}
        for place, checked, _ in self.each(cited, symbols):
            found[place] = checked
        return [found[place] for place in range(len(cited))]

    def each(
        self, cited: Sequence[Cited], symbols: Sequence[str | None] | None = None
    ) -> Iterator[tuple[int, Checked, SourceFile | None]]:
        """Yield the place of each citation, what became of it, and its file; file after file."""
        with ReadingFiles(self._files) as reading:
            for path, places in _by_path(cited).items():
                opened = self._open(reading, path, max(cited[place].line for place in places))
                for place in places:
                    one = cited[place]
                    if isinstance(opened, SourceFile):
                        symbol = None if symbols is None else symbols[place]
                        yield place, self.look(one, opened, symbol), opened
                    elif isinstance(opened, str):
                        yield place, _refused(one, opened), None
                    else:
                        yield place, _not_read(one, opened), None
        for place, one in enumerate(cited):
            if one.fault is not None:
                yield place, self.refuse(one), None

    def look(self, cited: Cited, file: SourceFile, symbol: str | None = None) -> Checked:
        """Hold one citation against its file."""
        seen = self._seen(cited, file.lines)
        if seen.state == "exact" and not says_something(cited.quote, file.lines, seen.line or 0):
            return _refused(cited, faults.TOO_SHORT)
        if seen.state != "moved":
            return _told(cited, seen, None)
        assert seen.line is not None
        within = None if symbol is None else file.named(symbol)
        if within is not None and not within.start_line <= seen.line <= within.end_line:
            seen = _prefer(file.lines, cited, within, seen)
        at = seen.line or 0
        around = file.around(at, at + cited.quote.count("\n"))
        return _told(cited, seen, None if around is None else around.qualified)

    def refuse(self, cited: Cited) -> Checked:
        """Say what is wrong with a citation that cannot be looked up."""
        fault = cited.fault or faults.NO_CITATION
        path = cited.path
        if fault == faults.ABSOLUTE_PATH:
            try:
                path = self._files.locate(cited.path)
            except InvalidInput:
                fault = faults.LEAVES_ROOT
        return Checked(cited, "refused", fault, remedy=remedy_of(fault, cited, path))

    def _open(
        self, reading: ReadingFiles, path: str, ahead: int
    ) -> SourceFile | str | InvalidInput | NotFound | CouldNotLook:
        """Return a file to look into, or the fault or the problem that keeps us from it."""
        if path in self._own:
            return faults.OWN_FILE
        try:
            file = reading.read(path)
        except (InvalidInput, NotFound, CouldNotLook) as problem:
            return problem
        if file.path in self._own:  # by way of a link
            return faults.OWN_FILE
        return SourceFile(file.path, file.text, self._read_symbols, ahead)

    def _seen(self, cited: Cited, lines: Lines) -> Seen:
        seen = look(lines, cited.quote, cited.line, cited.last)
        if seen.state == "exact" or MARKER not in cited.quote:
            return seen
        return look(Lines(self._redact(lines.text)), cited.quote, cited.line, cited.last)


@contextmanager
def checker(
    files: ProjectFiles,
    redact: Redact,
    read_symbols: ReadSymbols | None = None,
    own: OwnFiles = _OWN,
) -> Iterator[Checker]:
    """Yield a checker that parses in a process of its own, started when it is first needed."""
    if read_symbols is not None:
        yield Checker(files, redact, read_symbols, own)
        return
    from holdfast.workers import ParseWorker

    with ParseWorker() as worker:
        yield Checker(files, redact, worker.read_symbols, own)


def remedy_of(fault: str, cited: Cited, path: str = "") -> str:
    """Say how a citation must look to be used."""
    path = path or cited.path
    right = spell(_short(cited.quote) or "quote", _below(path), max(cited.line, 1), cited.last)
    match fault:
        case faults.RELATIVE_PATH | faults.ABSOLUTE_PATH:
            return f"Name the file from the project's root: {right}"
        case faults.PARENT_PATH:
            return f"Name the file without `..`: {FORM}"
        case faults.LEAVES_ROOT:
            return f"Only files below the project's root can be cited: {FORM}"
        case faults.NO_QUOTE:
            return f"Put what stands there, word for word, in backticks before it: {right}"
        case faults.NO_LINE:
            return f"Say in which line it stands: {right}"
        case faults.BAD_LINES:
            return f"Lines count from 1, and the first is not behind the last: {FORM}"
        case faults.TOO_LONG:
            return "Quote the lines that matter; the whole definition is kept with them."
        case faults.TOO_MANY:
            return "Cite what the decision rests on most, or record several decisions."
        case faults.NOT_TEXT:
            return f"It holds half a character. Write it as text: {FORM}"
        case faults.OWN_FILE:
            return f"It is written by holdfast or git, or is a note. Cite the code: {FORM}"
        case faults.TOO_SHORT:
            return "It could stand anywhere. Quote more, best the whole line."
        case faults.CUTS_SECRET:
            return "The quote begins or ends inside a secret: quote another part of the line."
        case _:
            return f"Cite what it rests on: {FORM}"


def _told(cited: Cited, seen: Seen, symbol: str | None) -> Checked:
    return Checked(
        cited, seen.state, None, seen.line, symbol, seen.how, _what_to_do(cited, seen, symbol)
    )


def _what_to_do(cited: Cited, seen: Seen, symbol: str | None) -> str:
    match seen.state:
        case "moved":
            assert seen.line is not None
            shift = seen.line - cited.line
            last = None if cited.last is None else max(cited.last + shift, seen.line)
            inside = f" (in {symbol})" if symbol else ""
            right = spell(_short(cited.quote), cited.path, seen.line, last)
            return f"It stands at line {seen.line} now{inside}. Cite that: {right}"
        case "changed":
            return (
                "The cited lines say something else now. Read them: if the decision still holds, "
                "quote what stands there, else supersede it."
            )
        case "gone":
            return "The cited lines are no longer there. Find what took their place, and cite that."
        case _:
            return ""


def _refused(cited: Cited, fault: str) -> Checked:
    return Checked(cited, "refused", fault, remedy=remedy_of(fault, cited))


def _not_read(cited: Cited, problem: InvalidInput | NotFound | CouldNotLook) -> Checked:
    match problem:
        case NotFound():
            remedy = f"The file is no longer there. {problem.remedy or 'Cite where it went.'}"
            return Checked(cited, "gone", remedy=remedy)
        case CouldNotLook():
            return Checked(cited, "unreadable", how=problem.what, remedy=problem.remedy)
        case InvalidInput():
            fault = faults.LEAVES_ROOT
            return Checked(
                cited, "refused", fault, how=problem.what, remedy=remedy_of(fault, cited)
            )


def _prefer(lines: Lines, cited: Cited, within: Symbol, seen: Seen) -> Seen:
    """Take the place in the definition that the quote came from, if it stands there."""
    part = Lines(lines.part(within.start_line, within.end_line))
    found = nearest(part, cited.quote, max(1, cited.line - within.start_line + 1))
    return seen if found is None else Seen("moved", found + within.start_line - 1)


def _by_path(cited: Iterable[Cited]) -> dict[str, list[int]]:
    """Return where the citations of each file stand, folder by folder; those with a fault are of
    none."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(cited):
        if one.fault is None:
            places.setdefault(one.path, []).append(place)
    return dict(sorted(places.items(), key=lambda item: item[0].rpartition("/")))


def _short(quote: str) -> str:
    """Return the beginning of a quote that is shown in a remedy: its first line."""
    return quote.split("\n", 1)[0][:80]


def _below(path: str) -> str:
    plain = path.removeprefix("$PROJECT_ROOT/").removeprefix("./")
    return plain.removeprefix("/")


def _size(symbol: Symbol) -> int:
    return symbol.end_byte - symbol.start_byte
