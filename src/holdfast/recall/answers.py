"""One question, one answer of bounded length: whole entries, the best first, up to some tokens.

For agents, who pay for what they read. An entry that would take more than half of the tokens alone
is shown by its snippet, and says how long it is; so one huge entry does not hide all others. The
first one that no longer fits ends the answer; how many more match is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.index.views import Views
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import SEARCH_HITS_MAX
from holdfast.kernel.tokens import estimate
from holdfast.ledger import vault
from holdfast.recall.search import Found, Hit, Looking, Query
from holdfast.storage.port import Reader, Selection

if TYPE_CHECKING:
    from holdfast.index.meanings import Meanings

ENTRY_TOKENS_MIN: Final = 24
"""What an entry takes at the very least: its header does."""

TOKEN_CHARS_MAX: Final = 64
"""Characters that a token may stand for; a text so much longer than it may be is not counted."""


class Whole(msgspec.Struct, frozen=True):
    """An entry with its large values put back, as far as they are there."""

    entry: dict[str, Any]
    problem: str | None = None
    """Why a value could not be put back."""


class Part(msgspec.Struct, frozen=True):
    """A hit as it is shown."""

    hit: Hit
    text: str
    whole: bool
    """Otherwise it is too long, and its snippet stands for it."""
    problem: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """What was found, within the tokens."""

    parts: list[Part]
    tokens: int
    """What the parts take, as the built-in counter counts."""
    found: Found

    @property
    def text(self) -> str:
        """All parts, each on lines of its own."""
        return "".join(f"{part.text}\n" for part in self.parts)


Form = Callable[[Hit, Whole, int | None], str]
"""How a hit is shown, whole; with a number of tokens: without its data, which take so many."""


def limit_for(tokens: int) -> int:
    """Return how many hits fit into some tokens at the very most."""
    return max(1, min(tokens // ENTRY_TOKENS_MIN, SEARCH_HITS_MAX))


def as_text(hit: Hit, whole: Whole, too_long: int | None) -> str:
    """Show a hit as a header and a line with its data as JSON."""
    head = [str(hit.seq), hit.timestamp[:19].replace("T", " "), hit.type, hit.session_id or "-"]
    if hit.superseded:
        head.append(f"SUPERSEDED by {hit.superseded_by}")
    said = _plain(spell(whole.entry["data"]))
    if too_long is not None:
        cut = f"(over {too_long:,} tokens; `holdfast show {hit.seq} --full` shows all)"
        said = f"{_plain(hit.snippet)} {cut}"
    return f"{_plain('  '.join(head))}\n{said}"


def answer(
    views: Views,
    reader: Reader,
    query: Query,
    tokens: int,
    form: Form = as_text,
    meanings: Meanings | None = None,
) -> Answer:
    """Search, and show whole entries in order of rank until so many tokens are used."""
    looking = Looking(views, reader, query, meanings)
    parts: list[Part] = []
    used = 0
    for hit in looking:
        if len(parts) == looking.limit:
            break
        part, cost = _part(reader, hit, tokens, form)
        if used + cost > tokens:
            break
        used += cost
        parts.append(part)
    return Answer(parts, used, looking.found([part.hit for part in parts]))


def whole_of(reader: Reader, seq: int) -> Whole:
    """Return an entry that was found, whole."""
    [stored] = reader.read(Selection(seq, seq + 1))
    told: dict[str, Any] = msgspec.json.decode(stored.body)
    try:
        told["data"] = vault.resolve(entries.read(stored.body).value(), reader.artifact)
    except Damaged as problem:
        return Whole(told, problem.what)
    return Whole(told)


def spell(value: Any, *, ascii_only: bool = False) -> str:
    """Return a value as JSON, whatever the vault gave back."""
    # json, as it can spell what values from the vault may hold.
    return json.dumps(value, default=_raw, separators=(",", ":"), ensure_ascii=ascii_only)


def _part(reader: Reader, hit: Hit, tokens: int, form: Form) -> tuple[Part, int]:
    """Return a hit as it is shown, and what it takes."""
    whole = whole_of(reader, hit.seq)
    text = form(hit, whole, None)
    most = tokens // 2
    cost = most + 1 if len(text) > most * TOKEN_CHARS_MAX else estimate(f"{text}\n")
    if cost <= most:
        return Part(hit, text, True, whole.problem), cost
    text = form(hit, whole, most)
    return Part(hit, text, False, whole.problem), estimate(f"{text}\n")


def _raw(value: object) -> dict[str, str]:
    assert isinstance(value, vault.RawJSON)
    return {"$raw": value.text.decode("utf-8", "backslashreplace")}


_ODD: Final = re.compile(r"[^\x20-\x7e]")


def _plain(text: str) -> str:
    """Escape what a terminal would obey or hide, the way JSON does."""
    return _ODD.sub(lambda found: _escaped(found.group()), text)


def _escaped(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]
