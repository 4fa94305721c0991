"""One definition of a file, sent as a block whose path is spelled `path::symbol`."""

from __future__ import annotations

import random
import re
import textwrap
from typing import Final

from tests.proxy.adversaries import cut, with_text
from tests.proxy.truth import History, Truth, of_python

FORM: Final = "one definition, path::symbol"


def make(
    history: History, now: Truth, later: Truth, chance: random.Random
) -> tuple[str, Truth] | None:
    """Return what the model sends and what is true then; None where that cannot be told.

    Only Python can tell, while the replay runs, what a text defines that no release has.
    """
    names = [name for name in later.slices if name in now.slices and "#" not in name]
    names = [name for name in names if now.is_bare(name) and later.is_bare(name)]
    changed = [name for name in names if _is_other(now, later, name)]
    chance.shuffle(changed)
    for name in changed if history.language == "python" else ():
        new = cut(later, later.slices[name])
        text = with_text(now, now.slices[name], new)
        try:
            truth = of_python(text)
        except SyntaxError:
            continue
        if truth.slices.keys() == now.slices.keys() and not _has_strings(new):
            return _spelled(history, name, new, _indent(later, name)), truth
    return None


def _is_other(now: Truth, later: Truth, name: str) -> bool:
    same_column = _indent(now, name) == _indent(later, name)
    return same_column and cut(now, now.slices[name]) != cut(later, later.slices[name])


def _has_strings(code: str) -> bool:
    """Tell whether a text in it might go over lines, so that its indentation means something."""
    return re.search(r'"""|\'\'\'', code) is not None


def _indent(truth: Truth, name: str) -> str:
    before = truth.text.encode()[: truth.slices[name].code].decode()
    return before.rpartition("\n")[2]


def _spelled(history: History, name: str, code: str, indent: str) -> str:
    fence = "`" * max(3, *(len(run) + 1 for run in ["", *re.findall(r"`+", code)]))
    shown = textwrap.dedent(indent + code)
    return f"So it is right:\n\n`{history.path}::{name}`\n{fence}python\n{shown}\n{fence}\n"
