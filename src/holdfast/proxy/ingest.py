"""What of a request or an answer is code, and whose it is.

Only what is new counts: a client sends the whole history each time. The user's words are those of
the newest human turn, when the request begins that turn; behind it the model has already worked
with them. Examples, older turns, reminders and system text are nobody's code. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.code.edits import (
    Block,
    Edit,
    Refused,
    Unreadable,
    Whole,
    apply,
    find_edits,
    from_tool_call,
)
from holdfast.kernel.limits import PROXY_EDITS_MAX
from holdfast.kernel.types import Voice
from holdfast.proxy import paths, reads
from holdfast.proxy.calls import At, calls_of, ends_with_results, results_of
from holdfast.proxy.failures import says_failed
from holdfast.wire.answer import Answer
from holdfast.wire.requests import Part, Request
from holdfast.wire.speakers import shows_files

Arguments: TypeAlias = Mapping[str, Any]

_FREE_TEXT: Final = "input"
"""What the argument of a tool is called that takes a text instead of JSON."""


_MARKS: Final = ("<", "```", "---", "~~~", "*** Begin Patch")
_DIFF: Final = "diff "
_DIFF_LINE: Final = re.compile(rf"^[ \t]*{_DIFF}", re.MULTILINE)
"""Every form in a text has one of these. Most texts have none, and need not be gone through."""


class Found(msgspec.Struct, frozen=True):
    """Some code, and where it came from."""

    edit: Edit
    speaker: Voice
    call: str | None = None
    """The call that it stood in."""
    spelled: str | None = None
    """The path, with the symbol where one stands behind it."""
    doubt: str = ""
    """Why it may not be what the client went on with."""


class Result(msgspec.Struct, frozen=True):
    """What came of a call."""

    call: str
    failed: bool


class Came(msgspec.Struct, frozen=True):
    """What is new in a request."""

    found: tuple[Found, ...]
    results: tuple[Result, ...]
    words: str
    """What the user said; empty when the request goes on with an older turn."""


def from_request(
    request: Request, *, pending: Collection[str] = (), answered: Collection[str] = ()
) -> Came:
    """Return what is new in a request.

    Results of `pending` calls are new wherever they stand, those of `answered` ones nowhere, and
    those of others only at the end: how old they are is not known.
    """
    # A prompt to be continued may hold anybody's words: none of them is the user's.
    opens = request.dialect != "completions" and _opens_turn(request)
    place = request.newest_turn() if opens else None
    parts = () if place is None else request.turns[place].parts
    said = [part.text for part in parts if part.speaker == "user"]
    results = [pair for pair in results_of(request, pending) if pair[0].call not in answered]
    found = [
        *_shown_files(request),
        *(one for pair in results if (one := _read(*pair)) is not None),
        *(one for text in said for one in in_text(text, "user")),
    ]
    return Came(
        _bounded(found),
        tuple(
            Result(part.call, part.failed or says_failed(part.text))
            for part, _ in results
            if part.call is not None
        ),
        "\n".join(said),
    )


def from_answer(answer: Answer) -> tuple[Found, ...]:
    """Return the code of an answer, in its order."""
    found: list[Found] = []
    for block in answer.blocks:
        if block.hidden:
            continue
        if block.name is None:
            found += in_text(block.text, "model")
        else:
            found += _in_call(block.name, block.text, block.call)
    if doubt := _doubt(answer):
        found = [msgspec.structs.replace(one, doubt=doubt) for one in found]
    return _bounded(found)


def _doubt(answer: Answer) -> str:
    """Say why nobody may carry out an answer."""
    if answer.ended is None:
        return "the answer broke off"
    return "the upstream says that the answer failed" if answer.failures else ""


def in_calls(request: Request, calls: Collection[str]) -> tuple[Found, ...]:
    """Return the code of calls that stand in a history."""
    found: dict[str, list[Found]] = {}
    for turn in request.turns:
        for part in turn.parts:
            if part.speaker != "model" or part.tool is None or part.call is None:
                continue
            if part.call in calls:
                found[part.call] = _in_call(part.tool, part.text, part.call)
    return _bounded([one for some in found.values() for one in some])


def calls_in(request: Request) -> frozenset[str]:
    """Return the ids of the calls that stand in a history."""
    return frozenset(
        part.call
        for turn in request.turns
        for part in turn.parts
        if part.speaker == "model" and part.call is not None
    )


def may_bring(answer: Answer) -> bool:
    """Tell whether an answer may bring code or call a tool; in doubt it may."""
    return any(
        block.name is not None or (not block.hidden and _is_marked(block.text))
        for block in answer.blocks
    )


def request_may_bring(request: Request, new: int) -> bool:
    """Tell whether a request may bring code or results, of which the last `new` turns are new, or
    leave calls without any; in doubt it may."""
    if _shows_files(request):
        return True
    return any(
        part.speaker == "tool"
        or part.tool is not None
        or (part.speaker == "user" and _is_marked(part.text))
        for turn in request.turns[len(request.turns) - new :]
        for part in turn.parts
    )


def first_may_bring(request: Request) -> bool:
    """Tell the same of a request of whose conversation nothing is remembered: of its history only
    the results at the end are new, and the newest words."""
    place = request.newest_turn()
    parts = () if place is None else request.turns[place].parts
    said = any(part.speaker == "user" and _is_marked(part.text) for part in parts)
    return said or ends_with_results(request) or _shows_files(request)


def _shows_files(request: Request) -> bool:
    return any(_is_files(part) for turn in request.asides for part in turn.parts)


def _is_marked(text: str) -> bool:
    """Tell whether a form may stand in a text; a plain look is many times faster than a pattern."""
    if any(mark in text for mark in _MARKS):
        return True
    return _DIFF in text and _DIFF_LINE.search(text) is not None


def _bounded(found: Sequence[Found]) -> tuple[Found, ...]:
    more = len(found) - PROXY_EDITS_MAX
    if more <= 0:
        return tuple(found)
    reason = f"the last {more} edits are not looked at: there are more than {PROXY_EDITS_MAX}"
    return (*found[:PROXY_EDITS_MAX], Found(Unreadable(reason=reason), found[-1].speaker))


def in_text(text: str, speaker: Voice) -> Iterator[Found]:
    """Yield the edits and blocks of a text."""
    if not _is_marked(text):
        return
    for edit in find_edits(text):
        yield Found(edit, speaker, spelled=_spelled(edit, text))


def texts_shown(request: Request, first: int = 0) -> Iterator[str | None]:
    """Yield the whole files that stand in a request from some turn on: the model sees them. None
    behind each turn: it may be long until the next."""
    calls: dict[At, Part] | None = None
    for place, turn in enumerate(request.turns[first:], first):
        for number, part in enumerate(turn.parts):
            if part.speaker == "tool":
                calls = calls_of(request).of if calls is None else calls
                call = calls.get((place, number))
                one = None if call is None else _read(part, call)
                if one is not None and isinstance(one.edit, Whole):
                    yield one.edit.content
            elif part.speaker == "model" and part.tool is not None:
                yield from _written(_in_call(part.tool, part.text, part.call))
            elif part.speaker in ("user", "model") or _is_files(part):
                yield from _written(in_text(part.text, "user"))
        yield None


def _written(found: Iterable[Found]) -> Iterator[str]:
    for one in found:
        if isinstance(one.edit, Whole | Block):
            done = apply(one.edit, None)
            yield one.edit.content if isinstance(done, Refused) else done.text or ""


def _opens_turn(request: Request) -> bool:
    """Tell whether nobody has answered the newest human turn yet."""
    place = request.newest_turn()
    if place is None:
        return False
    behind = (part for turn in request.turns[place + 1 :] for part in turn.parts)
    return not any(part.speaker in ("model", "tool") for part in behind)


def _is_files(part: Part) -> bool:
    return part.speaker == "client" and shows_files(part.text)


def _shown_files(request: Request) -> Iterator[Found]:
    """Yield the files that aider shows: as they are on the disk now."""
    for turn in request.asides:
        for part in turn.parts:
            if _is_files(part):
                for one in in_text(part.text, "tool"):
                    if isinstance(one.edit, Block):
                        yield one


def _read(result: Part, call: Part) -> Found | None:
    """Return the whole file that a result shows."""
    if result.failed or call.tool is None:
        return None
    arguments = _arguments(call.text)
    path = None if arguments is None else reads.path_read(call.tool, arguments)
    if path is None or arguments is None:
        return None
    text = reads.text_read(call.tool, arguments, result.text)
    if text is None:
        return None
    edit = Whole(path=path, via=f"{call.tool} result", content=text)
    return Found(edit, "tool", result.call, path)


def _in_call(tool: str, text: str, call: str | None) -> list[Found]:
    arguments = _arguments(text)
    if arguments is None:
        arguments = {_FREE_TEXT: text}
    edits = from_tool_call(tool, arguments)
    return [Found(edit, "model", call, edit.path) for edit in edits]


def _arguments(text: str) -> Arguments | None:
    """Return the arguments of a call; None when they are no JSON object."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _spelled(edit: Edit, text: str) -> str | None:
    """Return the path of an edit, with the symbol where `path::symbol` is spelled."""
    if not isinstance(edit, Block):
        return edit.path
    if edit.path is not None and paths.SEPARATOR in edit.path:
        return edit.path
    before = text[: edit.start].rstrip("\n")[-_LINE_CHARS_MAX:].rpartition("\n")[2]
    first = edit.content[:_LINE_CHARS_MAX].partition("\n")[0].strip().lstrip("#/-;*<! ")
    places = {"before": (before,), "": (*edit.info.split(), before, first), "comment": (first,)}
    for words in places.get(edit.path_from, edit.info.split()):
        if spelled := paths.spelled_in(words):
            return spelled
    return edit.path


_LINE_CHARS_MAX: Final = 2_000
