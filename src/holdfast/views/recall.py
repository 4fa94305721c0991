"""Levels 2 and 3 of a resume: decisions in full, with why they were made and what proves them.

Text in, text out; which decisions, and whether the files they quote are still there, is told.
What does not fit is named by its number, and counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from holdfast.kernel.tokens import estimate
from holdfast.views.capsule import ASSUMPTION, Unsealed
from holdfast.views.wording import fit, one_line

_NAMED_MAX: Final = 6
"""Decisions that are left out and named; the others are counted."""

_FOOT_TOKENS: Final = 60
"""Kept free for what is said about those left out."""


class Cited(msgspec.Struct, frozen=True):
    """A quote, where it stands, and what was found when somebody looked."""

    path: str
    line: int
    quote: str
    state: str


class Decided(msgspec.Struct, frozen=True):
    """A decision in full."""

    seq: int
    timestamp: str
    choice: str
    reasoning: str = ""
    alternatives: tuple[str, ...] = ()
    evidence: tuple[Cited, ...] = ()
    assumption: bool = False
    superseded_by: int | None = None


class Shown(msgspec.Struct, frozen=True):
    """A text, and the decisions that it does not tell of."""

    text: str
    left_out: tuple[int, ...] = ()


def told(
    decisions: Sequence[Decided],
    *,
    tokens_max: int,
    more: int = 0,
    before: str = "",
    missing: Collection[str] = (),
) -> Shown:
    """Tell decisions one after the other within a budget; one that is too long alone is cut."""
    room = tokens_max - _FOOT_TOKENS
    kept, left = [before] if before else [], list[int]()
    for one in decisions:
        block = spelled(one, missing=missing)
        if left or estimate(_joined([*kept, block])) > room:
            if len(kept) > bool(before) or left:
                left.append(one.seq)
                continue
            block = fit(block, room - estimate(before))
        kept.append(block)
    foot = _foot(left, more)
    return Shown(fit(_joined([*kept, *foot]), tokens_max), tuple(left))


def spelled(one: Decided, *, missing: Collection[str] = ()) -> str:
    """Spell a decision, a line for each thing there is to say."""
    mark = ASSUMPTION if one.assumption else ""
    if one.superseded_by is not None:
        mark += f" (superseded by #{one.superseded_by})"
    lines = [f"#{one.seq} {one.timestamp[:10]} {one_line(one.choice)}{mark}"]
    if one.reasoning:
        lines.append(f"  because: {one_line(one.reasoning)}")
    if one.alternatives:
        lines.append(f"  not: {'; '.join(map(one_line, one.alternatives))}")
    lines += _evidence(one.evidence, missing)
    return "\n".join(lines)


def unsealed_lines(unsealed: Unsealed | None) -> str:
    """Say what a clear left unsealed; empty when nothing was."""
    if unsealed is None:
        return ""
    seqs, plus = unsealed.decisions, " or more" if unsealed.more else ""
    named = " ".join(f"#{seq}" for seq in seqs[:_NAMED_MAX])
    rest = f" and {len(seqs) - _NAMED_MAX} more" if len(seqs) > _NAMED_MAX else ""
    count = f"{len(seqs)}{plus} {'decision was' if len(seqs) == 1 else 'decisions were'}"
    fails = f" Failing: {', '.join(unsealed.fails)}." if unsealed.fails else ""
    return f"{count} not sealed by a passed gate before the session ended: {named}{rest}.{fails}"


def _evidence(evidence: Iterable[Cited], missing: Collection[str]) -> Iterator[str]:
    for one in evidence:
        said = "" if one.state == "exact" else f", {one.state} when decided"
        gone = ", the file is gone" if one.path in missing else ""
        place = f"[${{PROJECT_ROOT}}/{one_line(one.path)}:{one.line}]"
        yield f"  evidence: `{one_line(one.quote)}` {place}{said}{gone}"


def _foot(left: Sequence[int], more: int) -> list[str]:
    """Say what is not told, and how to have it."""
    if not left and not more:
        return []
    named = " ".join(f"#{seq}" for seq in left[:_NAMED_MAX])
    rest = len(left) - _NAMED_MAX
    parts = [f"{named}{f' and {rest} more' if rest > 0 else ''}"] if left else []
    parts += [f"{more:,} that match less"] if more else []
    return [f"Left out: {'; '.join(parts)}. `holdfast show N` has one in full."]


def _joined(blocks: Sequence[str]) -> str:
    return "\n".join(block for block in blocks if block)
