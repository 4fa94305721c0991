"""Loss: what a summary kept of a session, and what is no longer there.

    items = items_of(entries)         what a session would miss, each by its entry
    compare(items, summary)           kept, paraphrased or dropped, each of them

No model is asked, and the same words give the same answer. What the answers mean:

    kept         it stands in the summary word for word; of a command, also how it ended
    paraphrased  most of the words that carry it stand together in one place of the summary, and
                 what is missing of them is named. That is about words, not about their sense: a
                 summary that turns a sentence around with its own words counts as a paraphrase.
                 Of a command: its program and what it was run on stand in one sentence, but nobody
                 could type it again. Of a path: its name is there, its folder is not. Of a number:
                 the same amount, spelled otherwise.
    dropped      nothing of that. A summary that says it in entirely other words drops it, too, as
                 far as anybody can tell by its words.
    unknown      there is no summary to look at

Not here: which entries are looked at, and where a summary comes from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.views.loss_items import KINDS, Item, Kind, items_of
from holdfast.views.loss_names import command_fate, number_fate, path_fate
from holdfast.views.loss_prose import Weights, prose_fate
from holdfast.views.loss_text import Found, Summary

__all__ = [
    "KINDS",
    "Back",
    "Fate",
    "Item",
    "Judged",
    "Kind",
    "compare",
    "counted",
    "gone",
    "items_of",
    "said_of",
]

Fate: TypeAlias = Literal["kept", "paraphrased", "dropped", "unknown"]


class Back(msgspec.Struct, frozen=True):
    """What brought an item back after it was gone."""

    seq: int
    """The entry that has the words that were given."""
    how: Literal["named", "kept", "paraphrased"]
    time: str
    source: str | None
    """Why the session started that they were given to: compact, clear, resume."""
    tokens: int
    """What all of the words take, and who counted."""
    counter: str


class Judged(msgspec.Struct, frozen=True, omit_defaults=False):
    """An item, and what became of it."""

    kind: Kind
    text: str
    """Its own words; of a long text the beginning and the end."""
    seq: int
    id: str
    """The entry that has it in full."""
    fate: Fate
    exit_code: int | None = None
    """Of a command, how it ended the last time."""
    missing: tuple[str, ...] = ()
    """Of what was paraphrased: words that are not there."""
    instead: str | None = None
    """The words of the summary that it was found in."""
    brought_back: Back | None = None
    """Of what was not kept: what gave it back afterwards."""


def compare(items: Iterable[Item], summary: str | None) -> list[Judged]:
    """Say of each item what a summary kept of it; without a summary, that nobody knows."""
    listed = list(items)
    if summary is None:
        return [_judged(item, "unknown", Found("unknown")) for item in listed]
    told = Summary(summary)
    weights = Weights([item.text for item in listed if item.kind in PROSE], told)
    names = Counter(item.text.rpartition("/")[2] for item in listed if item.kind == "path")
    found = (_found(item, told, weights, names) for item in listed)
    return [_judged(item, one.fate, one) for item, one in zip(listed, found, strict=True)]


PROSE: Final = frozenset[Kind]({"constraint", "decision", "request", "open_work"})


def _found(item: Item, told: Summary, weights: Weights, names: Counter[str]) -> Found:
    match item.kind:
        case "constraint" | "decision" | "request" | "open_work":
            return prose_fate(item.text, item.kind, told, weights)
        case "command":
            return command_fate(item.text, item.exit_code, told)
        case "path":
            return path_fate(item.text, told, alone=names[item.text.rpartition("/")[2]] == 1)
        case "number":
            return number_fate(item.text, item.about, told)


def _judged(item: Item, fate: Fate, found: Found) -> Judged:
    return Judged(
        item.kind,
        item.shown,
        item.seq,
        item.id,
        fate,
        item.exit_code,
        found.missing,
        found.instead or None,
    )


def gone(judged: Iterable[Judged]) -> list[Judged]:
    """Return what is no longer there, or may not be."""
    return [one for one in judged if one.fate in ("dropped", "unknown")]


def counted(judged: Iterable[Judged]) -> dict[Kind, int]:
    """Return how many there are of each kind, in the order of their weight."""
    found = Counter(one.kind for one in judged)
    return {kind: found[kind] for kind in KINDS if found[kind]}


_NAMES: Final[dict[Kind, tuple[str, str]]] = {
    "constraint": ("constraint", "constraints"),
    "decision": ("decision", "decisions"),
    "open_work": ("piece of open work", "pieces of open work"),
    "command": ("command", "commands"),
    "number": ("number", "numbers"),
    "path": ("path", "paths"),
    "request": ("request", "requests"),
}


def said_of(judged: Sequence[Judged]) -> str:
    """Say how many of each kind, in a few words."""
    return ", ".join(
        f"{count:,} {_NAMES[kind][count != 1]}" for kind, count in counted(judged).items()
    )
