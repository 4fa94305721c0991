// Everything, by its words.

import { ask } from "./api.js";
import { calm, clock, el, fill, number } from "./dom.js";
import { badge } from "./marks.js";

export async function show(root, query, context) {
  const words = el("input", { type: "search", "aria-label": "Words", value: query.q ?? "", autocomplete: "off", spellcheck: "false" });
  const kind = el("select", { "aria-label": "Type" }, el("option", { value: "" }, "every type"), TYPES.map((one) => el("option", { value: one, selected: query.type === one }, one.replaceAll("_", " "))));
  const session = el("input", { type: "text", "aria-label": "Session", placeholder: "session", value: query.session ?? "" });
  const path = el("input", { type: "text", "aria-label": "Path", placeholder: "path", value: query.path ?? "" });
  const found = el("ol.hits");
  const said = el("p.dim", { role: "status" });
  root.append(
    el("h1", {}, "Search"),
    el("form.search-form", { role: "search", onsubmit: (event) => event.preventDefault() }, words, kind, session, path),
    said,
    found,
  );
  let turn = 0;
  const look = async () => {
    const mine = ++turn;
    const asked = { q: words.value, type: kind.value, session: session.value, path: path.value, limit: 50 };
    const told = asked.q.trim() ? await ask("search", asked) : asked.session || asked.type ? listed(await ask("entries", { ...asked, limit: 100 })) : { hits: [], more: 0 };
    if (mine !== turn) return;
    fill(said, asked.q.trim() || told.hits.length ? outcome(told) : "Words, a question, an id or a path. Nothing here is a query language.");
    fill(found, told.hits.map((hit) => row(hit, told.terms ?? [], context)));
  };
  const soon = calm(() => {
    history.replaceState(null, "", `#/search?${new URLSearchParams(Object.entries({ q: words.value, type: kind.value, session: session.value, path: path.value }).filter(([, value]) => value))}`);
    look().catch((problem) => fill(said, problem.message));
  }, 180);
  for (const one of [words, session, path]) one.addEventListener("input", soon);
  kind.addEventListener("change", soon);
  await look();
  if (!query.q) words.focus();
  return {
    move(delta) {
      const rows = [...found.querySelectorAll("button.hit")];
      const at = rows.indexOf(document.activeElement);
      rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + delta))]?.focus();
    },
  };
}

const listed = (told) => ({ hits: told.rows.map((row) => ({ ...row, snippet: row.line, timestamp: row.time })), more: 0, listed: true });

function outcome(told) {
  const more = told.more ? `, ${told.exact === false ? "at least " : ""}${number(told.more)} more match` : "";
  const unseen = told.not_searched?.length ? `; ${told.not_searched.length} stretches could not be looked at` : "";
  return `${number(told.hits.length)} shown${more}${told.searched ? ` of ${number(told.searched)} entries` : ""}${unseen}`;
}

function row(hit, terms, context) {
  return el(
    "li",
    {},
    el(
      "button.hit",
      { type: "button", onclick: () => context.open(hit.seq) },
      el("span.hit-head", {}, badge(hit.type), el("span.seq", {}, number(hit.seq)), el("time.dim", {}, clock(hit.timestamp)), hit.superseded && el("span.state.gone", {}, "superseded")),
      el("span.snippet", {}, marked(hit.snippet ?? "", terms)),
    ),
  );
}

/** Mark the words that were looked for. */
function marked(text, terms) {
  const wanted = terms.filter(Boolean).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return text;
  const parts = text.split(new RegExp(`(${wanted.join("|")})`, "giu"));
  return parts.map((part, place) => (place % 2 ? el("mark", {}, part) : part));
}

const TYPES = [
  "decision", "command_ran", "tool_called", "prompt_given", "agent_said", "file_change", "error", "checkpoint",
  "context_compacted", "gate_ran", "handoff_made", "session_started", "session_ended", "task_added", "metric",
];
