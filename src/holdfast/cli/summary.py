"""An entry on one line, and its data on a page, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.cli.output import visible
from holdfast.kernel.entry import Entry

SUMMARY_CHARS_MAX: Final = 100

_FORMS: Final = {
    "decision": "{choice}",
    "file_change": "{action} {path}",
    "checkpoint": "{quick_resume}",
    "error": "{error_type}: {message}",
    "metric": "{name} = {value} (threshold {threshold}, passed {passed})",
    "compression": "{entries_compressed} entries to {archive_path}",
    "session_started": "goes on from {parent}",
    "session_ended": "{reason}",
    "prompt_given": "{text}",
    "agent_said": "{text}",
    "tool_called": "{tool} {detail}",
    "command_ran": "{command} (exit {exit_code})",
    "work_opened": "{title}",
    "work_closed": "{work}: {outcome}",
    "artifact_erased": "{bytes} bytes of {sha256}: {reason}",
    "line_quarantined": "{source}:{line}: {reason}",
    "fact_recorded": "{kind}: {payload}",
    "fact_withdrawn": "{fact}: {reason}",
    "unlock_granted": "{handle} for the {scope}",
    "story_set": "campaign {campaign}, world {world}, mode {mode}",
    "scene_started": "{scene} {title}",
    "scene_ended": "{scene}: {outcome}",
    "milestone_reached": "{title}",
    "pending_opened": "{kind}: {prompt}",
    "pending_step_taken": "{pending}: {step}",
    "pending_resolved": "{pending}: {outcome}",
    "pin_revised": "{pin} from {before} to {after}: {reason}",
    "rolled_back": "to entry {to}: {reason}",
    "ledger_continued": "{size} entries of {ledger}",
    "decision_grounded": "{decision}",
    "evidence_recorded": "{kind} {command} {path} (passed {passed})",
    "fork_opened": "{statement} against {against}",
    "fork_resolved": "{fork}: {ruling}: {because}",
    "ghost_flagged": "{ghost}",
    "ghost_checked": "{ghost}: {status}",
    "search_ran": "{query} ({result_count} results)",
    "pivot_logged": "{reason}; now: {refined_hypothesis}",
    "task_added": "{task}: {title}",
    "task_updated": "{task} {status}",
    "task_closed": "{task}: {reason}",
    "scenario_added": "{type}: {name}: {expected}",
    "attention_measured": "{tokens} tokens, {zone}",
    "delta_synced": "{decisions_persisted} decisions at {tokens} tokens",
    "gate_ran": "passed {passed}, ratio {grounding_ratio}",
    "handoff_made": "ratio {grounding_ratio}, next {next_steps}",
    "healed": "{what} ({damage}) from {source}",
    "episode_recorded": "{model}: {prompt} (status {status}, {ended})",
    "artifact_seen": "{form} of {path} by the {speaker}: {level}, {reason}",
    "artifact_moved": "{path} from {before} to {after}: {reason}",
    "file_settled": "{path}: {reason}",
    "desk_changed": "{conversation} {change}: {kept} turns kept, {lost} lost",
    "audit_done": "{path}::{symbol} {status} (late {late})",
    "disk_truth": "{path} {symbol}: {reason}",
}


class _Fields(dict[str, str]):
    """Data for a form; what is not there is shown as a dash."""

    def __missing__(self, key: str) -> str:
        return "-"


def summarise(entry: Entry) -> str:
    """Say what an entry is about, on one line; what is cut off is counted."""
    form = _FORMS.get(entry.type)
    fields = _Fields({key: spell(value) for key, value in entry.value().items()})
    if form is None or (entry.type == "session_started" and fields["parent"] == "-"):
        return ""
    return shorten(visible(form.format_map(fields)))


def shorten(text: str) -> str:
    """Cut a long line, and say how much is gone."""
    if len(text) <= SUMMARY_CHARS_MAX:
        return text
    return f"{text[:SUMMARY_CHARS_MAX]}… (+{len(text) - SUMMARY_CHARS_MAX} characters)"


def lay_out(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a value, one field a line, nested ones further in."""
    match value:
        case {"$artifact": str(sha256), "bytes": int(size), "erased": True}:
            yield f"{indent}({size:,} bytes, {sha256[:12]}, were erased)"
        case {"$artifact": str(sha256), "bytes": int(size)}:
            yield f"{indent}({size:,} bytes in the vault, {sha256[:12]}; --full shows them)"
        case Mapping() if value:
            for key, part in value.items():
                yield from _field(f"{indent}{visible(key)}:", part, indent)
        case list() if value:
            for part in value:
                yield from _field(f"{indent}-", part, indent)
        case _:
            for line in visible(spell(value), lines=True).split("\n"):
                yield f"{indent}{line}"


def _field(label: str, value: Any, indent: str) -> Iterator[str]:
    lines = list(lay_out(value, indent + "  "))
    nested = isinstance(value, (dict, list)) and value and "$artifact" not in value
    if nested or len(lines) > 1:
        yield label
        yield from lines
    else:
        yield f"{label} {lines[0].strip()}"


def spell(value: Any) -> str:
    """Return a value on one line, as people write it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case {"$artifact": str(), "bytes": int(size)}:
            return f"({size:,} bytes in the vault)"
        case dict() if value:
            return ", ".join(f"{key} {spell(part)}" for key, part in value.items())
        case list() if value:
            return ", ".join(map(spell, value))
        case _:
            return str(value)
