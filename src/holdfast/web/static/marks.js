// What types of entries look like: one colour and one shape each, the same everywhere.

import { el } from "./dom.js";

export const KINDS = {
  decision: ["Decisions", "--k-decision"],
  command: ["Commands", "--k-command"],
  tool: ["Tools", "--k-tool"],
  prompt: ["Prompts", "--k-prompt"],
  error: ["Errors", "--k-error"],
  checkpoint: ["Checkpoints", "--k-checkpoint"],
  compaction: ["Compactions", "--k-compaction"],
  clear: ["Clears", "--k-clear"],
  given: ["Given back", "--k-start"],
  file: ["Files", "--k-file"],
  start: ["Begins", "--k-start"],
  end: ["Ends", "--k-end"],
  gate: ["Gate", "--k-gate"],
  save: ["Saves", "--k-checkpoint"],
  damaged: ["Damaged", "--k-error"],
  other: ["Other", "--k-other"],
};

const TYPES = {
  decision: "decision", command_ran: "command", tool_called: "tool", tool_begun: "tool", prompt_given: "prompt",
  agent_said: "prompt", error: "error", checkpoint: "checkpoint", context_compacted: "compaction",
  desk_changed: "compaction", context_given: "given", session_ended: "end", session_started: "start", gate_ran: "gate",
  handoff_made: "clear", file_change: "file", damaged: "damaged",
};

export const kindOf = (type) => TYPES[type] ?? "other";

/** Show a type as a small label. */
export function badge(type) {
  return el("span.badge", { dataset: { kind: kindOf(type) } }, String(type).replaceAll("_", " "));
}
