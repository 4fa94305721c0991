"""The lines that are written: parts, each with a key by which it is known again.

Whatever comes out of the ledger stands on one line, bounded, and can neither end a comment nor
begin a heading: the structure of the notes is made here alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from holdfast.kernel.limits import NOTES_TEXT_CHARS_MAX, NOTES_TITLE_CHARS_MAX
from holdfast.views.notes.state import Active, Identifier, Noted, Quote, State

TITLE: Final = "Session Continuity"
LOAD_FIRST: Final = "<!-- Load FIRST after /clear -->"
PROJECT_ROOT: Final = "${PROJECT_ROOT}/"

ACTIVE: Final = "active"
IDENTIFIERS: Final = "identifiers"
LOG: Final = "log"
OLDER: Final = "older"
ASSUMPTIONS: Final = "assumptions"

HEADINGS: Final = {
    "### Active Context": ACTIVE,
    "### Lightweight Identifiers": IDENTIFIERS,
    "### Decision Log": LOG,
    "### Assumptions": ASSUMPTIONS,
}
ENTRY: Final = re.compile(r"<!-- entry (\d+) -->\Z")
"""Below the heading of a decision: which entry it is."""

_BLANKS: Final = re.compile(r"\s+")
_BACKTICKS: Final = re.compile(r"`+")


class Part(msgspec.Struct, frozen=True):
    """Lines that belong together."""

    key: str
    lines: tuple[str, ...]
    """The first one is blank."""


def parts_of(state: State) -> list[Part]:
    """Return everything that stands in the block, in order."""
    return [
        Part(ACTIVE, ("", "### Active Context", *_active(state.active))),
        Part(IDENTIFIERS, ("", "### Lightweight Identifiers", *_table(state.identifiers))),
        Part(LOG, ("", "### Decision Log", *_none(state.decisions, "No decision holds."))),
        *(Part(key_of(one), _decision(one)) for one in state.decisions),
        *_older(state.older),
        *_assumptions(state),
    ]


def key_of(noted: Noted) -> str:
    """Return the key of a decision's part."""
    return f"entry {noted.seq}"


def _active(active: Active) -> Iterator[str]:
    bead = "none"
    if active.task is not None:
        bead = plain(active.task) + (f" ({plain(active.title)})" if active.title else "")
    yield f"- **Current Bead**: {bead}"
    yield f"- **Last Checkpoint**: {plain(active.checkpoint or 'none yet')}"
    yield f"- **Reasoning State**: {plain(active.reasoning or 'nothing recorded yet')}"


def _table(identifiers: Sequence[Identifier]) -> Iterator[str]:
    yield "| Identifier | Purpose | Last Verified |"
    yield "|------------|---------|---------------|"
    for one in identifiers:
        lines = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
        cells = (f"{PROJECT_ROOT}{one.path}:{lines}", one.purpose, one.verified)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _decision(noted: Noted) -> tuple[str, ...]:
    return (
        "",
        f"#### {plain(noted.timestamp)} - {plain(noted.title, NOTES_TITLE_CHARS_MAX)}",
        f"<!-- entry {noted.seq} -->",
        f"**Decision**: {plain(noted.decision)}",
        f"**Rationale**: {plain(noted.rationale)}",
        f"**Evidence**: {'; '.join(map(_quoted, noted.evidence)) or 'none'}",
        f"**Test Scenarios**: {_numbered(noted.scenarios) or 'none'}",
    )


def _older(count: int) -> Iterator[Part]:
    if count:
        hold = "older decision holds" if count == 1 else "older decisions hold"
        yield Part(OLDER, ("", f"{count:,} {hold} as well: `holdfast log --type decision`"))


def _assumptions(state: State) -> Iterator[Part]:
    if not state.assumptions:
        return
    lines = [
        f"- [ASSUMPTION] {plain(one.timestamp)} - {plain(one.decision)} (entry {one.seq})"
        for one in state.assumptions
    ]
    if state.older_assumptions:
        lines.append(f"- and {state.older_assumptions:,} older: `holdfast log --type decision`")
    yield Part(ASSUMPTIONS, ("", "### Assumptions", *lines))


def _quoted(quote: Quote) -> str:
    """Spell a citation; of a quote of several lines the first that says something."""
    lines = quote.text.split("\n")
    at = next((at for at, line in enumerate(lines) if line.strip()), 0)
    line = lines[at].removesuffix("\r")
    part, cut = line[:NOTES_TEXT_CHARS_MAX], len(line) - NOTES_TEXT_CHARS_MAX
    shown = f"{_fenced(part)} [{PROJECT_ROOT}{plain(quote.path)}:{quote.first + at}]"
    if cut > 0:
        shown += f" (+{cut:,} characters)"
    if len(lines) > 1:
        shown += f" (one of {len(lines)} lines)"
    return shown if quote.state == "exact" else f"{shown} ({plain(quote.state)})"


def _fenced(text: str) -> str:
    """Put text between more backticks than it has in a row, so that it is read back as it is."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    inner = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in text)
    if inner[:1] in (" ", "`") or inner[-1:] in (" ", "`") or len(fence) > 2:
        inner = f" {inner} "
    return f"{fence}{inner}{fence}"


def _numbered(scenarios: Iterable[str]) -> str:
    return " ".join(f"{number}) {plain(one)}" for number, one in enumerate(scenarios, 1))


def _none(found: Sequence[Noted], otherwise: str) -> tuple[str, ...]:
    return () if found else (otherwise,)


def _cell(text: str) -> str:
    return plain(text).replace("|", r"\|")


def plain(text: str, chars_max: int = NOTES_TEXT_CHARS_MAX) -> str:
    """Return text on one line that makes no structure; what is cut off is counted."""
    text = _BLANKS.sub(" ", text).strip()
    text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    text = text.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    if len(text) <= chars_max:
        return text
    return f"{text[:chars_max]}… +{len(text) - chars_max:,} characters"
