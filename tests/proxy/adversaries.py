"""Answers of which nothing may become true, made from what is true."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from tests.code.edits import making
from tests.proxy.truth import History, Slice, Truth, of_python

_DONE: Final = "The file was changed."
_FAILED: Final = "Error: the text to replace was not found."


class Made(NamedTuple):
    """One of them."""

    kind: str
    sent: making.Sent
    result: str
    """What the client's tool says to that."""
    of: str | None = None
    """The definition that it is, where it does not say whose."""


def make(history: History, now: Truth, later: Truth, chance: random.Random) -> Made | None:
    """Return one of them, by chance; None when none can be made of this file."""
    kinds = list(_KINDS)
    chance.shuffle(kinds)
    for kind in kinds:
        sent = _KINDS[kind](history, now, later, chance)
        if sent is not None:
            return Made(kind, sent, _FAILED if kind == "a change that failed" else _DONE)
    return None


def without_a_path(now: Truth, later: Truth, chance: random.Random) -> Made | None:
    """Show one definition, as it will be, without saying where it belongs."""
    changed = [name for name in later.slices if name in now.slices and name.isidentifier()]
    changed = [n for n in changed if cut(now, now.slices[n]) != cut(later, later.slices[n])]
    changed = [name for name in changed if "`" not in cut(later, later.slices[name])]
    if not changed:
        return None
    name = chance.choice(changed)
    block = f"```\n{cut(later, later.slices[name])}\n```\n"
    return Made("a definition without a path", f"It could be so:\n\n{block}", _DONE, name)


def _elided(
    history: History, now: Truth, later: Truth, chance: random.Random
) -> making.Sent | None:
    """Write all of the file, with one body left out."""
    remark = (
        "# ... rest of the code unchanged" if _is_python(history) else "// ... existing code ..."
    )
    for place in _tops(now, chance):
        lines = cut(now, place).split("\n")
        if len(lines) < 6 or (_is_python(history) and not lines[0].startswith(("def ", "class "))):
            continue
        if not _is_python(history) and not lines[0].endswith("{"):
            continue
        indent = lines[1][: len(lines[1]) - len(lines[1].lstrip())] or "    "
        tail = [] if _is_python(history) else lines[-1:]
        return _whole(
            with_text(now, place, "\n".join([*lines[:2], indent + remark, *tail])), chance
        )
    return None


def _broken(
    history: History, now: Truth, later: Truth, chance: random.Random
) -> making.Sent | None:
    """Write all of the file, with one function that does not parse."""
    for place in _tops(now, chance):
        old = cut(now, place)
        if re.match(r"(?:export |default |async )*(?:def|function|class)\b.*\(", old) is None:
            continue
        text = with_text(now, place, old.replace("(", "((", 1))
        if not _is_python(history) or not _parses(text):
            return _whole(text, chance)
    return None


def _lost(history: History, now: Truth, later: Truth, chance: random.Random) -> making.Sent | None:
    """Write all of the file, without one of its definitions."""
    tops = list(_named_tops(now).items())
    chance.shuffle(tops)
    for name, place in tops:
        text = with_text(now, place, "")
        again = _is_python(history) and _parses(text) and name in of_python(text).slices
        if len(tops) > 1 and not again:
            return _whole(text, chance)
    return None


def _renamed(
    history: History, now: Truth, later: Truth, chance: random.Random
) -> making.Sent | None:
    """Give a definition another name, in all of the file or by a change."""
    name, place = chance.choice(sorted(_named_tops(now).items()))
    if "." in name or not name.isidentifier():
        return None
    old = cut(now, place)
    new = old.replace(name, f"{name}_renamed")
    if name not in old.split("\n")[0] or new == old:
        return None
    text = with_text(now, place, new)
    if chance.random() < 0.5:
        return _whole(text, chance)
    return making.make_edit(now.text, text) or _whole(text, chance)


def _failed(
    history: History, now: Truth, later: Truth, chance: random.Random
) -> making.Sent | None:
    """Change the file, in vain."""
    return making.make_edit(now.text, later.text) or making.make_write(now.text, later.text)


_KINDS: Final[
    Mapping[str, Callable[[History, Truth, Truth, random.Random], making.Sent | None]]
] = {
    "a body left out": _elided,
    "broken syntax": _broken,
    "a definition lost": _lost,
    "a definition renamed": _renamed,
    "a change that failed": _failed,
}


def _whole(text: str, chance: random.Random) -> making.Sent | None:
    makers = (making.make_block, making.make_opencode_write, making.make_write_to_file)
    return chance.choice(makers)(text, text) or making.make_opencode_write(None, text)


def _is_python(history: History) -> bool:
    return history.language == "python"


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return False
    return True


def _named_tops(truth: Truth) -> dict[str, Slice]:
    """Return the definitions that stand in no other one and have a name of their own."""
    found: dict[str, Slice] = {}
    end = 0
    for name, place in sorted(truth.slices.items(), key=lambda one: (one[1].code, -one[1].end)):
        if place.code >= end:
            end = place.end
            found[name] = place
    return found


def _tops(truth: Truth, chance: random.Random) -> list[Slice]:
    places = list(_named_tops(truth).values())
    chance.shuffle(places)
    return places


def cut(truth: Truth, place: Slice) -> str:
    """Return the code of a definition."""
    return truth.text.encode()[place.code : place.end].decode()


def with_text(truth: Truth, place: Slice, new: str) -> str:
    """Return the text with other code in the place of a definition."""
    source = truth.text.encode()
    return (source[: place.code] + new.encode() + source[place.end :]).decode()
