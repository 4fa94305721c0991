"""An entry on one line, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
    "tool_begun": "{tool}",
    "hook_fired": "{agent}: {event}",
    "context_compacted": "{agent} ({trigger}): {summary}",
    "context_given": "to {agent} ({source}), {tokens} tokens: {text}",
    "recording_paused": "{session}: {reason}",
    "recording_resumed": "{session}: {unrecorded} events came meanwhile",
    "handoff_offered": "to {to}: {title}",
    "handoff_answered": "{handoff}: {answer} by {by}",
    "peer_merged": "{size} entries of {ledger}",
    "peer_refused": "entry {seq} of {ledger}: {reason}",
    "state_kept": "{framework} {kind}: {text}",
    "state_dropped": "{framework}: {reason}",
}


class _Fields(dict[str, str]):
    """Data for a form; what is not there is shown as a dash."""

    def __missing__(self, key: str) -> str:
        return "-"


def line_of(type_name: str, data: Mapping[str, Any]) -> str:
    """Say what an entry is about, from its data as stored or in full; not cut."""
    form = _FORMS.get(type_name)
    fields = _Fields({key: spell(value) for key, value in data.items()})
    if form is None or (type_name == "session_started" and fields["parent"] == "-"):
        return ""
    return form.format_map(fields)


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
