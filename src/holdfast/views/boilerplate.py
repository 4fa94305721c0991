"""Words that say nothing: what a resume must not be made of."""

from __future__ import annotations

import re
from typing import Final


def is_boilerplate(text: str) -> bool:
    """Tell whether a text is empty or only labels, placeholders and numbers."""
    words = _WORD.findall(_NOT_APPLICABLE.sub(" ", text.casefold()))
    return all(word in _SAY_NOTHING for word in words)


_WORD: Final = re.compile(r"[^\W\d_]+")
_NOT_APPLICABLE: Final = re.compile(r"\bn\s?[/.]\s?a\b")

_WORDS: Final = """
    unknown none null nil undefined nan empty missing unspecified unset default untitled placeholder
    na tbd tba todo fixme wip pending nothing something anything ongoing misc other various
    phase call calls task tasks step steps stage status state session sessions checkpoint
    checkpoints progress resume resumed quick summary next action actions current auto automatic
    autosave saved save update updated entry entries number count total
    continue continued continuing continues proceed proceeding working work on in with of the a an
    is at to and no not yet available applicable given here more
    true false yes ok
    zero one two three four five six seven eight nine ten eleven twelve first second third last
    """
_SAY_NOTHING: Final = frozenset(_WORDS.split())
