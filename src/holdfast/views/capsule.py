"""The capsule: what somebody needs who comes back after a clear, in at most 100 tokens.

    Task 3/7: Move the parser to a cursor
    Next: strings
    #12 PSO over GA [src/a.py:4]
    #9 one writer at a time [ASSUMPTION]
    Unsealed: 2 (#12 #9); fails: 1 ungrounded, 1 ghost
    Open: 1, review of the lexer
    holdfast resume --level 2 --query …

Whatever is known has its line: the task, the next step, the newest three decisions that hold, what
a clear left unsealed, open work, and how to get more. Where that is too long, lines are cut at
their ends, marked by an ellipsis, the least important most; none is left out. `holdfast show 12`
has the whole of a decision. The same facts give the same bytes, whatever is installed: the built-in
counter measures.

Not here: looking at files. `identifiers` says which paths to look for; those that are told to be
missing are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

import msgspec

from holdfast.kernel.limits import (
    CAPSULE_DECISION_TOKENS_MAX,
    CAPSULE_DECISIONS,
    CAPSULE_TOKENS_MAX,
)
from holdfast.kernel.tokens import estimate
from holdfast.views.wording import one_line

MORE: Final = "holdfast resume --level 2 --query …"
LESS: Final = "holdfast resume --level 2"
_MORE: Final = estimate(MORE)
NOTHING: Final = "Nothing was recorded yet."
ASSUMPTION: Final = " [ASSUMPTION]"
GONE: Final = " gone"

_TEXT_CHARS: Final = 240
"""More of a text than can ever be shown."""


class Ruling(msgspec.Struct, frozen=True):
    """A decision that holds, as far as a capsule tells of it."""

    seq: int
    choice: str
    path: str = ""
    """Where its first quote stands that was proved, below the project's root."""
    line: int = 0
    assumption: bool = False


class Unsealed(msgspec.Struct, frozen=True):
    """What sessions that are over left behind without passing the gate."""

    decisions: tuple[int, ...]
    """Their numbers, the newest first."""
    more: bool = False
    """There may be more than were looked at."""
    fails: tuple[str, ...] = ()
    """What the gate would have found, each in a word."""


class Known(msgspec.Struct, frozen=True):
    """What there is to say."""

    task: str = ""
    completed: int | None = None
    total: int | None = None
    next_step: str = ""
    rulings: tuple[Ruling, ...] = ()
    """The newest decisions that hold, the newest first."""
    open_work: tuple[str, ...] = ()
    unsealed: Unsealed | None = None
    note: str = ""
    """What is said first, when there is nothing else to go by."""
    noted: tuple[tuple[str, str], ...] = ()
    """Where notes tell of a decision that nobody recorded, and its words; the newest first."""

    @property
    def is_bare(self) -> bool:
        """Nothing is known of what is done, what comes next and what was decided."""
        return not (self.task or self.next_step or self.rulings)


class LevelOne(msgspec.Struct, frozen=True):
    """A capsule, and what has to be looked for before it is shown."""

    text: str
    tokens: int
    identifiers: tuple[tuple[int, str], ...] = ()
    """The number of a decision and the path of its quote."""


def capsule(known: Known, *, missing: Collection[str] = ()) -> LevelOne:
    """Say all of it in no more than 100 tokens. Paths that are `missing` are marked."""
    text = _fitted(list(_lines(known, frozenset(missing))))
    shown = known.rulings[:CAPSULE_DECISIONS]
    identifiers = tuple((one.seq, one.path) for one in shown if one.path)
    return LevelOne(text, estimate(text), identifiers)


Render = Callable[[int], str]
"""Gives a line that takes no more than so many tokens, if it can be so short."""


class _Line:
    """A line that can be made shorter."""

    def __init__(self, render: Render, least: int, weight: int, most: int = 60) -> None:
        self._render = render
        self.least = least
        self.weight = weight
        self.text = render(most)
        self.allowed = min(most, estimate(self.text))

    @property
    def room(self) -> int:
        """How much it can give, by its importance."""
        return (self.allowed - self.least) * 12 // self.weight

    def yields(self) -> bool:
        """Let it give one token more than it should; tell whether it could."""
        self.least = min(self.least, self.allowed) - 1
        return self.least > 0

    def shrink(self, by: int) -> None:
        """Allow it fewer tokens."""
        self.allowed = max(self.least, self.allowed - by)
        self.text = self._render(self.allowed)
        self.allowed = min(self.allowed, estimate(self.text))


def _lines(known: Known, missing: frozenset[str]) -> Iterator[_Line]:
    """Yield the lines in their order: what each takes at least, and how much it matters."""
    if known.note:
        yield _Line(_labelled("", known.note), 8, 2)
    if known.task:
        label = f"Task{_progress(known)}: "
        yield _Line(_labelled(label, known.task), estimate(label) + 4, 2)
    if known.next_step:
        yield _Line(_labelled("Next: ", known.next_step), 9, 3)
    for ruling in known.rulings[:CAPSULE_DECISIONS]:
        render = _ruling(ruling, gone=ruling.path in missing)
        yield _Line(render, 13, 5, CAPSULE_DECISION_TOKENS_MAX)
    for place, words in known.noted[:CAPSULE_DECISIONS]:
        yield _Line(_labelled(f"{_plain(place)} ", words), 11, 5)
    if known.unsealed is not None and known.unsealed.decisions:
        yield _Line(_unsealed(known.unsealed), 15, 8)
    if known.open_work:
        yield _Line(_open(known.open_work), 6, 1)
    yield _Line(lambda tokens: MORE if tokens >= _MORE else LESS, estimate(LESS), 2)


def _open(work: Sequence[str]) -> Render:
    """Say how much work is open, and where there is room what the newest of it is."""
    label = f"Open: {len(work)}"
    first = _labelled(f"{label}, ", work[0])
    return lambda tokens: first(tokens) if tokens > _OPEN_TOKENS_MIN else label


_OPEN_TOKENS_MIN: Final = 9
"""With fewer tokens the title of open work would be no more than its beginning."""


def _fitted(lines: Sequence[_Line]) -> str:
    """Join the lines; while that is too long, the one with most to give is cut.

    Where all have given what they can, they give more: each line stays, if only with its label.
    """
    while (over := estimate(_text(lines)) - CAPSULE_TOKENS_MAX) > 0:
        longest = max(lines, key=lambda line: line.room)
        if longest.room > 0:
            longest.shrink(max(1, over // 3))
        elif not any(line.yields() for line in lines):
            break
    return _text(lines)


def _text(lines: Sequence[_Line]) -> str:
    return "\n".join(line.text for line in lines)


def _progress(known: Known) -> str:
    """Spell how far it is; in percent where the numbers are long."""
    if not known.total:
        return ""
    done = min(known.completed or 0, known.total)
    if known.total < 1000:
        return f" {done}/{known.total}"
    return f" {done * 100 // known.total}%"


def _labelled(label: str, text: str) -> Render:
    plain = _plain(text)
    return lambda tokens: _cut(plain, tokens, before=label)


def _ruling(ruling: Ruling, *, gone: bool) -> Render:
    """Give a decision its number, its words and where its quote stands."""
    head, words = f"#{ruling.seq} ", _plain(ruling.choice) or "(no words)"
    tails = _tails(ruling, gone=gone)
    few = _cut(words, _WORDS_TOKENS_MIN)

    def render(tokens: int) -> str:
        for tail in tails[:_TAILS_NAMED] if len(words) <= _TEXT_CHARS else ():
            whole = f"{head}{words}{tail}"
            if estimate(whole) <= tokens:
                return whole
        # half a word takes more tokens than it looks like
        tokens = min(tokens, CAPSULE_DECISION_TOKENS_MAX - 2)
        fits = (tail for tail in tails if estimate(f"{head}{few}{tail}") <= tokens)
        return _cut(words, tokens, before=head, behind=next(fits, tails[-1]))

    return render


_WORDS_TOKENS_MIN: Final = 4
"""What a decision's words take before the place of its quote is shortened for them."""


_TAILS_NAMED: Final = 2
"""Ways to say where a quote stands that leave the file's name whole."""


def _tails(ruling: Ruling, *, gone: bool) -> list[str]:
    """Return ways to say where a quote stands, the fullest first."""
    if ruling.assumption:
        return [ASSUMPTION, " (assumed)"]
    if not ruling.path:
        return [""]
    path, mark = _plain(ruling.path), GONE if gone else ""
    name = path.rpartition("/")[2]
    places = [path, f"…/{name}" if name != path else path]
    places += [f"…{name[-chars:]}" for chars in (16, 10, 6, 3) if chars < len(name)]
    return [f" [{place}:{ruling.line}{mark}]" for place in places]


def _unsealed(unsealed: Unsealed) -> Render:
    """Say how many decisions, which, and what fails; where there is no room, how much fails."""
    seqs, plus = unsealed.decisions, "+" if unsealed.more else ""
    named = " ".join(f"#{seq}" for seq in seqs)
    if len(seqs) > CAPSULE_DECISIONS or unsealed.more:
        named = f"#{seqs[-1]}-#{seqs[0]}"
    head = f"Unsealed: {len(seqs)}{plus} ({named})"
    if not unsealed.fails:
        return lambda _: head
    whole = f"{head}; fails: {', '.join(unsealed.fails)}"
    few = f"{head}; {len(unsealed.fails)} checks fail"
    return lambda tokens: next((t for t in (whole, few) if estimate(t) <= tokens), head)


def _cut(text: str, tokens_max: int, *, before: str = "", behind: str = "") -> str:
    """Cut a text at its end until it fits between two others."""
    whole = f"{before}{text}{behind}"
    if len(text) <= _TEXT_CHARS and estimate(whole) <= tokens_max:
        return whole
    fits, least, most = 0, 1, min(len(text), _TEXT_CHARS) - 1
    while least <= most:
        middle = (least + most) // 2
        if estimate(f"{before}{text[:middle].rstrip()}…{behind}") <= tokens_max:
            fits, least = middle, middle + 1
        else:
            most = middle - 1
    return f"{before}{_whole_words(text, fits)}…{behind}"


def _whole_words(text: str, chars: int) -> str:
    """Return the beginning of a text without half a word, unless little would be left of it."""
    kept = text[:chars]
    if text[chars : chars + 1] not in ("", " "):
        words = kept.rpartition(" ")[0]
        kept = words if 2 * len(words) >= chars else kept
    return kept.rstrip()


_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)))
)
"""Characters that count as printable and show nothing."""


def _plain(text: str) -> str:
    """Spell a text on one line without what a terminal would have to escape, which takes room."""
    line = one_line(text[: 2 * _TEXT_CHARS])
    if line.isascii():
        return line
    shown = (char for char in line if char.isprintable() and char not in _INVISIBLE)
    return " ".join("".join(shown).split())
