"""Brought back: what of that which left a context the words name that were given afterwards.

    named        the words tell it under the number of its entry: a decision, a command, open work
    kept         it stands there word for word, by the same rules as in a summary
    paraphrased  most of the words that carry it do

A prompt has many sentences under one number, so of what the user said only the words count. What
nothing of this is true of was not brought back; its entry still has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from holdfast.views.loss import Back, Judged, Kind, compare
from holdfast.views.loss_items import Item


class Given(msgspec.Struct, frozen=True, omit_defaults=False):
    """Words that an agent was given after its context was emptied."""

    seq: int
    time: str
    session: str | None
    """The session that was told."""
    source: str | None
    tokens: int
    counter: str
    text: str
    about: tuple[int, ...] = ()
    left_out: dict[str, int] = {}


def brought_back(
    items: Sequence[Item], judged: Iterable[Judged], given: Sequence[Given]
) -> list[Judged]:
    """Say of each item that is not kept which of the given words brought it back, the first that
    did so whole. `judged` are the items, in their order."""
    listed = list(judged)
    places = [at for at, one in enumerate(listed) if one.fate != "kept"]
    for words in given:
        wanted = [at for at in places if not _is_whole(listed[at].brought_back)]
        found = compare([items[at] for at in wanted], words.text)
        for at, one in zip(wanted, found, strict=True):
            back = _back(items[at], one, words)
            if _is_whole(back) or listed[at].brought_back is None:
                listed[at] = msgspec.structs.replace(listed[at], brought_back=back)
    return listed


def _is_whole(back: Back | None) -> bool:
    return back is not None and back.how != "paraphrased"


def _back(item: Item, found: Judged, words: Given) -> Back | None:
    how: Literal["named", "kept", "paraphrased"]
    if found.fate == "kept":
        how = "kept"
    elif item.kind in NUMBERED and item.seq in words.about:
        how = "named"
    elif found.fate == "paraphrased":
        how = "paraphrased"
    else:
        return None
    return Back(words.seq, how, words.time, words.source, words.tokens, words.counter)


NUMBERED: Final = frozenset[Kind]({"decision", "command", "open_work"})
"""Kinds of which an entry has one: its number is as good as its words."""
