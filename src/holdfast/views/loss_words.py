"""Words that losses are told by: which carry nothing, which oblige, which mean the same.

Lists, not rules, and none of them complete: what is not listed is compared by its stem.
"""

from __future__ import annotations

from typing import Final

from holdfast.views import lexicon
from holdfast.views.phrases import stem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_JOINING: Final = _words(
    """
    i me my mine he she him her his us it's i'm isn don doesn didn mustn shouldn couldn wouldn won
    aren wasn weren haven hasn please sure ok okay yes hi hello thanks thank never always
    only even ever again yet still very much many few less same another because since although
    though therefore however due down off back able require required requires needs needed needing
    has having have been did done got getting goes gone went came come comes under way whatever
    anything something circumstances kind lot bit really quite simply basically actually
    user user's agent keep keeps kept keeping leave leaves carry carries give gives given
    everywhere throughout
    """
)
_CARRYING: Final = _words("work run store default new live own day-to-day")

JOINING: Final = (
    frozenset((*lexicon.GENERIC, *lexicon.PREPOSITIONS, *lexicon.NEGATORS, *lexicon.ARTICLES))
    | _JOINING
) - _CARRYING
"""Words that carry nothing by themselves."""

DENYING: Final = _words("not no never none nothing neither nor cannot nobody")

OBLIGING: Final = DENYING | _words(
    """
    must should shall have has need needs needed required require requires only may always keep
    leave stay remain without before first every each until unless to
    """
)
"""What a sentence has that obliges, forbids or bounds."""
OBLIGING_STEMS: Final = ("forbid", "reject", "avoid", "limit", "reserv", "allow", "prohibit")

CONTRASTING: Final = DENYING | _words("only instead rather without unless except but over")
"""What a sentence has that sets one thing against another."""
CONTRASTING_STEMS: Final = ("disabl", "avoid", "stop", "drop", "immut", "singl", "bann", "off")

GOING_ON: Final = _words("still being yet not under way has")
GOING_ON_STEMS: Final = (
    *("progress", "run", "runn", "wait", "continu", "ongo", "goe", "pend", "background"),
    *("unfinish", "open", "outstand", "await", "underway"),
)
"""What a sentence has that tells of work which is not over."""

_ALIKE_WORDS: Final = """
    delete remove drop purge erase discard
    change modify edit alter touch
    add introduce create
    folder directory dir
    config configuration setting
    env environment
    app application
    doc documentation docs
    repo repository
    db database
    auth authentication
    test tests testing
    run execute
    asset static
    zone timezone
    approve approval ask permission confirm
    fast quick
    start startup begin launch boot
    finish complete end
    fail failure error
    disable deactivate
    enable activate
    wait pending await
    store save persist
    retain preserve
    send deliver
    show display
    fetch download
    gather collect
    review inspect
    big large
    dependency package
    version release
    retry attempt
    timeout deadline
    limit cap maximum
    name call
    build compile
    email e-mail mail
    parameter argument option flag
    method function
    endpoint route
"""

ALIKE: Final = {
    stem(word): stem(words[0])
    for line in _ALIKE_WORDS.strip().splitlines()
    for words in (line.split(),)
    for word in words
}
"""Stems of words that a summary puts for each other, and the stem that stands for them."""
