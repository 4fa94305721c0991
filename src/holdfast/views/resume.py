"""The resume: where the work stands, in so few words that it can always be shown.

    gather(entries) -> Facts                      what the entries say
    quick_resume(facts) -> str                    at most 100 tokens of it
    checkpoint_data(facts, ...) -> dict           the whole checkpoint
    resume_capsule(checkpoint, facts) -> Capsule  a checkpoint's resume, and what came since

Everything is made from facts, the same facts give the same words, and nothing is invented. The next
action, the last failing command and a changed path are there whenever they are known. What goes
into an entry is made from entries as they are stored: what lies in the vault may be erased one day,
so it is named by size and hash, and no word of it is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import (
    FACT_COMMANDS_MAX,
    FACT_FILES_MAX,
    FACT_LINE_CHARS_MAX,
    QUICK_RESUME_TOKENS_MAX,
    RESUME_CLAUSE_TOKENS_MAX,
)
from holdfast.kernel.tokens import estimate
from holdfast.views.boilerplate import is_boilerplate
from holdfast.views.budget import Part, joined
from holdfast.views.facts import Command, Facts, gather
from holdfast.views.standing import Standing, next_action_of, standing_of
from holdfast.views.wording import apart, cut_middle, first_sentence, fit, one_line

__all__ = [
    "Capsule",
    "Command",
    "Facts",
    "Standing",
    "checkpoint_data",
    "gather",
    "is_boilerplate",
    "next_action_of",
    "quick_resume",
    "resume_capsule",
    "standing_of",
]


class Capsule(NamedTuple):
    """What is shown to whoever comes back, and how many tokens it takes."""

    text: str
    tokens: int


def quick_resume(
    facts: Facts,
    *,
    standing: Standing | None = None,
    tokens_max: int = QUICK_RESUME_TOKENS_MAX,
) -> str:
    """Say where the work stands, never in more than `tokens_max` tokens."""
    text = joined(list(_parts(facts, standing or standing_of(facts))), tokens_max)
    if is_boilerplate(text):  # a bare "3/7", or nothing at all
        return fit("; ".join(part for part in (text, _counted(facts)) if part), tokens_max)
    return text


def checkpoint_data(
    facts: Facts,
    *,
    task: str | None = None,
    completed: int | None = None,
    total: int | None = None,
    next_action: str | None = None,
    quick_resume: str | None = None,
) -> dict[str, Any]:
    """Fill a checkpoint: what is given as it is given, the rest from facts.

    `derived` names the fields that nobody ever gave, `left_out` counts what was too much to repeat;
    its `entries_before` is the oldest entry looked at, when there are older ones.
    """
    standing = standing_of(
        facts, task=task, completed=completed, total=total, next_action=next_action
    )
    resume = _checked(quick_resume) or _made_resume(facts, standing)
    derived = standing.derived if quick_resume else (*standing.derived, "quick_resume")
    return {
        "task": standing.task,
        "completed": standing.completed or 0,
        "total": standing.total or 0,
        "files_created": list(facts.created[:FACT_FILES_MAX]),
        "files_modified": list(facts.modified[:FACT_FILES_MAX]),
        "decisions_made": facts.decided,
        "next_action": standing.next_action,
        "quick_resume": resume,
        "derived": sorted(derived),
        "commands": [_command(one) for one in _commands(facts)],
        "open_work": list(facts.open_work[:FACT_FILES_MAX]),
        "left_out": _left_out(facts),
    }


def resume_capsule(
    checkpoint: Mapping[str, Any] | None,
    facts: Facts,
    *,
    tokens_max: int = QUICK_RESUME_TOKENS_MAX,
) -> Capsule:
    """Give the last checkpoint's quick resume, and one clause about what came since.

    `checkpoint` is its data, `facts` are gathered from the entries since; without a checkpoint the
    facts speak alone.
    """
    if checkpoint is None:
        text = quick_resume(facts, tokens_max=tokens_max)
    else:
        text = fit(one_line(checkpoint["quick_resume"]), tokens_max)
        if facts.entries:
            text = f"{text} | {_since(facts, text)}"
    return Capsule(text, estimate(text))


def _parts(facts: Facts, standing: Standing) -> Iterator[Part]:
    """Yield what there is to say, in the order it is said; nothing is said twice."""
    next_action = "" if is_boilerplate(standing.next_action) else one_line(standing.next_action)
    changed = _changed(facts)
    said = [next_action]
    for rank, label, text in (
        (3, "", standing.label(next_action)),
        (0, "next: ", next_action),
        (1, _failing_label(facts), _failing(facts)),
        (_CHANGED, "changed: ", _listed(changed)),
        (4, "tests: ", facts.tests or ""),
        (5, "open: ", _listed(facts.open_work)),
        (6, "decided: ", facts.decisions[0][1] if facts.decisions else ""),
        (7, "ran: ", _ran(facts)),
        (8, "error: ", facts.error or ""),
        (9, "said: ", first_sentence(facts.said or "")),
        (10, "asked: ", facts.prompt or ""),
        (11, "used: ", facts.tool or ""),
    ):
        if (text and rank in {0, _CHANGED}) or not any(text in other for other in said):
            said.append(text)
            yield Part(rank, label, text, _listed(changed, 1) if rank == _CHANGED else "")


_CHANGED: Final = 2
"""The rank of the changed files."""


def _failing_label(facts: Facts) -> str:
    return "failed: " if facts.passed_since else "failing: "


def _failing(facts: Facts) -> str:
    if facts.failing is None:
        return ""
    since = ", passed since" if facts.passed_since else ""
    return f"{one_line(facts.failing.command)} (exit {facts.failing.exit_code}{since})"


def _changed(facts: Facts) -> Sequence[str]:
    """Name the changed files; when none changed since, those of the checkpoint before."""
    if facts.files:
        return [f"{path} (deleted)" if act == "delete" else path for path, act in facts.files]
    before = facts.before or {}
    lists = (before.get("files_modified"), before.get("files_created"))
    return [one_line(path) for paths in lists if isinstance(paths, list) for path in paths]


def _listed(texts: Sequence[str], shown: int = 2) -> str:
    more = f" +{len(texts) - shown} more" if len(texts) > shown else ""
    return ", ".join(texts[:shown]) + more


def _ran(facts: Facts) -> str:
    """Name the last command that is not the failing one."""
    for one in facts.commands:
        if one != facts.failing:
            return f"{one_line(one.command)} ({_code(one)})"
    return ""


def _code(command: Command) -> str:
    return "exit unknown" if command.exit_code is None else f"exit {command.exit_code}"


def _counted(facts: Facts) -> str:
    """Say the little there is, when no entry tells of work."""
    where = f"Session {facts.session_id}" if facts.session_id else "This ledger"
    upto = "" if facts.last is None else f" up to entry {facts.last}"
    return f"{where}: {facts.entries} entries{upto}, none about work"


def _since(facts: Facts, said: str) -> str:
    """Say in one clause what came after the checkpoint."""
    count = f"{facts.entries}{'+' if facts.unseen else ''}"
    label = f"since then {count} {'entry' if count == '1' else 'entries'}"
    news = facts.passed_since or (facts.failing is not None and facts.failing.seq is not None)
    opened = [title for title in facts.open_work if title not in said]
    words = facts.prompt or first_sentence(facts.said or "")
    parts = [
        Part(rank, name, text)
        for rank, name, text in (
            (0, "", label),
            (1, _failing_label(facts), _failing(facts) if news else ""),
            (2, "changed: ", _listed(_changed(facts), 1) if facts.files else ""),
            (3, "decided: ", facts.decisions[0][1] if facts.decisions else ""),
            (4, "closed: ", _listed(_closed(facts))),
            (5, "open: ", _listed(opened)),
            (6, "asked: " if facts.prompt else "said: ", words),
        )
        if text
    ]
    return joined(parts, RESUME_CLAUSE_TOKENS_MAX)


def _closed(facts: Facts) -> list[str]:
    """Name the work that was open at the checkpoint and is not any more."""
    before = (facts.before or {}).get("open_work")
    titles = [one_line(title) for title in before] if isinstance(before, list) else []
    return [title for title in titles if title not in facts.open_work]


def _checked(text: str | None) -> str | None:
    if text is not None and is_boilerplate(text):
        raise InvalidInput(
            f"The quick resume {text[:60]!r} says nothing.",
            meaning="Nothing was recorded.",
            remedy="Say what is done and what comes next, or leave it out: it is made from facts.",
        )
    return text


def _made_resume(facts: Facts, standing: Standing) -> str:
    """Say where the work stands, without words of what is given and will lie in the vault."""
    told = msgspec.structs.replace(
        standing, task=apart(standing.task), next_action=apart(standing.next_action)
    )
    return quick_resume(facts, standing=told)


def _commands(facts: Facts) -> list[Command]:
    """Choose the newest commands; the last failing one is always among them."""
    chosen = list(facts.commands[:FACT_COMMANDS_MAX])
    if facts.failing is not None and facts.failing not in chosen:
        chosen.append(facts.failing)
    return chosen


def _command(command: Command) -> dict[str, Any]:
    line = cut_middle(command.command, FACT_LINE_CHARS_MAX)
    return {"command": line, "exit_code": command.exit_code}


def _left_out(facts: Facts) -> dict[str, int]:
    counts = {
        "commands": len(facts.commands) - FACT_COMMANDS_MAX,
        "entries_before": facts.first or 0 if facts.unseen else 0,
        "files_created": len(facts.created) - FACT_FILES_MAX,
        "files_modified": len(facts.modified) - FACT_FILES_MAX,
        "open_work": len(facts.open_work) - FACT_FILES_MAX,
    }
    return {name: count for name, count in counts.items() if count > 0}
