"""What a session would miss if it were gone: read off its entries, each by the entry that has it.

    constraint   a sentence of the user's that obliges, forbids or bounds
    decision     a choice that holds
    open_work    work that was begun and is not over
    command      a command, and how it ended the last time
    number       an amount in a sentence of the user's or in a decision
    path         a file that changed, that a tool was used on, or that the user named
    request      any other sentence of the user's

What the user pasted as code is no sentence, and what holdfast gave an agent is not the user's, if
somebody repeats it. Superseded decisions and closed work are no loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import LOSS_SENTENCES_MAX, LOSS_SHOWN_CHARS, LOSS_TEXT_CHARS_MAX
from holdfast.stores.evidence import ASSUMPTION
from holdfast.views.boilerplate import is_boilerplate
from holdfast.views.briefing import without_briefings
from holdfast.views.loss_text import clause
from holdfast.views.wording import Resolve, cut_middle, one_line, stored

Kind: TypeAlias = Literal[
    "constraint", "decision", "open_work", "command", "number", "path", "request"
]
KINDS: Final[tuple[Kind, ...]] = (
    "constraint",
    "decision",
    "open_work",
    "command",
    "number",
    "path",
    "request",
)
"""In the order in which they are told."""


class Item(msgspec.Struct, frozen=True):
    """Something that a session knows."""

    kind: Kind
    text: str
    seq: int
    id: str
    exit_code: int | None = None
    about: str = ""
    """The sentence that a number stands in."""

    @property
    def shown(self) -> str:
        """Its words on one line, without what is too long to be shown."""
        line = one_line(self.text)
        if self.kind == "number":
            line = f"{line} ({one_line(self.about)})" if self.about != self.text else line
        return cut_middle(line, LOSS_SHOWN_CHARS)


def items_of(
    entries: Iterable[Entry],
    *,
    resolve: Resolve = stored,
    superseded: Callable[[str], bool] = lambda _: False,
    root: str | None = None,
) -> list[Item]:
    """Return what a session's entries, oldest first, tell. Paths are told from the root on."""
    gathering = _Gathering(superseded, root)
    for entry in entries:
        gathering.take(entry, resolve(entry))
    return gathering.items()


class _Gathering:
    def __init__(self, superseded: Callable[[str], bool], root: str | None) -> None:
        self._superseded = superseded
        self._root = None if root is None else root.rstrip("/") + "/"
        self._found: dict[tuple[str, str], Item] = {}
        self._work: dict[str, Item] = {}
        self._decided: dict[str, list[tuple[str, str]]] = {}

    def items(self) -> list[Item]:
        """Return all of them by kind, the oldest first."""
        every = [*self._found.values(), *self._work.values()]
        return sorted(every, key=lambda item: (KINDS.index(item.kind), item.seq))

    def take(self, entry: Entry, data: Mapping[str, Any]) -> None:
        """Take an entry in. Of what comes twice, the newest counts."""
        match entry.type:
            case "prompt_given":
                self._take_words(entry, _text(data.get("text")))
            case "episode_recorded":
                self._take_words(entry, _text(data.get("prompt")))
            case "decision":
                self._take_decision(entry, data)
            case "command_ran":
                self._take_command(entry, data)
            case "file_change":
                self._take_path(entry, _text(data.get("path")))
            case "tool_called":
                self._take_tool(entry, data.get("params"))
            case "work_opened":
                item = Item("open_work", _text(data.get("title")), entry.seq, entry.id)
                self._work.setdefault(str(data.get("work")), item)
            case "work_closed":
                self._work.pop(str(data.get("work")), None)
            case _:
                pass  # it says nothing that a summary could lose

    def _take_words(self, entry: Entry, text: str) -> None:
        text = without_briefings(text)
        for said in sentences(text):
            kind: Kind = "constraint" if is_constraint(said) else "request"
            self._put(kind, said, entry)
            self._take_numbers(entry, said)
        for path in _PATH.findall(_unfenced(text)[:LOSS_TEXT_CHARS_MAX]):
            self._take_path(entry, path)

    def _take_decision(self, entry: Entry, data: Mapping[str, Any]) -> None:
        for gone in _names(data.get("supersedes")):
            for key in self._decided.pop(gone, ()):
                self._found.pop(key, None)
        if self._superseded(entry.id):
            return
        choice = _text(data.get("choice")).removeprefix(ASSUMPTION).strip()
        before = set(self._found)
        self._put("decision", choice, entry)
        self._take_numbers(entry, choice)
        self._decided[entry.id] = [key for key in self._found if key not in before]

    def _take_command(self, entry: Entry, data: Mapping[str, Any]) -> None:
        code = data.get("exit_code")
        command = _text(data.get("command")).strip()
        if command:
            code = code if isinstance(code, int) else None
            self._put("command", command, entry, exit_code=code)

    def _take_tool(self, entry: Entry, params: Any) -> None:
        if isinstance(params, Mapping):
            for name in _PATH_PARAMS:
                self._take_path(entry, _text(params.get(name)))

    def _take_path(self, entry: Entry, path: str) -> None:
        path = path.strip().removeprefix("${PROJECT_ROOT}/")
        if self._root is not None:
            path = path.removeprefix(self._root)
        path = path.removeprefix("./").rstrip("/")
        if path not in ("", ".") and "\n" not in path:
            self._put("path", path, entry)

    def _take_numbers(self, entry: Entry, said: str) -> None:
        for number in numbers(said):
            self._put("number", number, entry, about=said)

    def _put(
        self, kind: Kind, text: str, entry: Entry, *, exit_code: int | None = None, about: str = ""
    ) -> None:
        if text:
            item = Item(kind, text, entry.seq, entry.id, exit_code, about)
            self._found[kind, f"{' '.join(text.split())}\n{about}"] = item


_PATH_PARAMS: Final = ("file_path", "path", "filePath", "notebook_path")


def sentences(text: str) -> Iterator[str]:
    """Yield what somebody said, sentence by sentence, without code and empty words."""
    count = 0
    for line in _unfenced(text)[:LOSS_TEXT_CHARS_MAX].splitlines():
        for said in _SENTENCE_END.split(_BULLET.sub("", line.strip())):
            said = said.strip()
            if is_boilerplate(said) or said.startswith(("/", "<")) or len(clause(said).words) < 2:
                continue
            count += 1
            if count > LOSS_SENTENCES_MAX:
                return
            yield said


def is_constraint(said: str) -> bool:
    """Tell whether a sentence obliges, forbids or bounds."""
    return bool(_OBLIGES.search(said))


def numbers(said: str) -> Iterator[str]:
    """Yield the amounts in a sentence as they are spelled, with their units."""
    for found in _NUMBER.finditer(said):
        yield " ".join(found.group().split())


_BULLET: Final = re.compile(r"^(?:[-*+•>#]+|\d{1,3}[.)])\s+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])")
_FENCED: Final = re.compile(r"^```.*?(?:^```|\Z)", re.DOTALL | re.MULTILINE)
_OBLIGES: Final = re.compile(
    r"\b(?:never|always|must(?:n['’]?t)?|shall|should(?:n['’]t)?|ha(?:s|ve) to|need(?:s|ed)? to|"
    r"need(?:s|ed)?|required?|do(?:es)?n['’]?t|do(?:es)? not|can(?:no|['’])t|may not|not allowed|"
    r"only|no more than|at (?:most|least)|less than|more than|below|under|without|avoid|forbid\w*|"
    r"ban(?:ned)?|stop|ask (?:me )?before|make sure|ensure|keep|leave|stay|instead of|prefer|"
    r"unless|until|before|first|every|each|whatever|nobody|no(?=\s)|nothing|none|limit\w*|"
    r"max(?:imum)?|min(?:imum)?|are to be|is to be|i (?:want|need|expect))\b",
    re.I,
)
_NUMBER: Final = re.compile(
    r"(?<![\w./:#-])\d[\d_,]*(?:\.\d+)*(?:\s?(?:%|ms|s|sec|seconds?|min|minutes?|h|hours?|d|days?|"
    r"weeks?|months?|years?|bytes?|[kKMGT]i?B|kb|mb|gb|px|percent)(?!\w)|(?![\w%/:-]|\.\w))"
)
_PATH: Final = re.compile(
    r"(?<![\w/:.@-])(?:[\w.@-]+/)+[\w@-][\w.@-]*\w|(?<![\w/:.@-])[\w-]+\.\w{1,4}\b(?![\w/(])"
)
"""Words of a prompt that are paths: with a slash in them, or a name with an ending."""


def _unfenced(text: str) -> str:
    return _FENCED.sub("\n", text[: 4 * LOSS_TEXT_CHARS_MAX])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _names(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
