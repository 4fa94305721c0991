// What was decided, what still holds, and each citation beside the code of today.

import { ask } from "./api.js";
import { calm, clock, el, fill, number } from "./dom.js";

const STATES = [["current", "Hold"], ["open", "Not proved"], ["superseded", "Superseded"], ["", "All"]];

export async function show(root, query, context) {
  let state = query.state ?? "current";
  const tabs = el("div.tabs", { role: "group", "aria-label": "Which decisions" });
  const rows = el("ol.decisions");
  const more = el("button", { type: "button", hidden: true }, "Older ones");
  const said = el("span.range", { role: "status" });
  root.append(el("div.bar", {}, el("h1", {}, "Decisions"), said), tabs, rows, more);
  let last = null;

  const load = async (before) => {
    const told = await ask("decisions", { state, before, limit: 40 });
    if (before === undefined) rows.replaceChildren();
    rows.append(...told.rows.map((one) => row(one, context)));
    if (!rows.children.length) rows.append(el("li.dim", {}, "None of this kind."));
    last = told.rows.at(-1)?.seq;
    more.hidden = !told.more;
    fill(said, `${number(told.current)} hold`);
  };
  const draw = () =>
    fill(
      tabs,
      STATES.map(([name, title]) =>
        el("button", { type: "button", "aria-pressed": String(state === name), onclick: () => { state = name; draw(); load().catch(() => {}); } }, title),
      ),
    );
  more.addEventListener("click", () => load(last).catch(() => {}));
  draw();
  await load();
  const again = calm(() => load().catch(() => {}), 800);
  return {
    head: () => again(),
    move(delta) {
      const all = [...rows.querySelectorAll("summary")];
      const at = all.indexOf(document.activeElement);
      all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + delta))]?.focus();
    },
    open: () => document.activeElement?.closest?.("details")?.toggleAttribute("open"),
  };
}

function row(one, context) {
  const body = el("div.decision-body");
  const details = el(
    "details.decision",
    {
      ontoggle: async () => {
        if (!details.open || body.children.length) return;
        fill(body, el("p.dim", {}, "Looking at the code …"));
        try {
          fill(body, opened(await ask(`decision/${one.seq}`), context));
        } catch (problem) {
          fill(body, el("p.problem", {}, problem.message));
        }
      },
    },
    el(
      "summary",
      {},
      el("span.seq", {}, number(one.seq)),
      el("span.choice", {}, one.choice ?? ""),
      marks(one),
      el("time.dim", {}, clock(one.time)),
    ),
    body,
  );
  return el("li", {}, details);
}

function marks(one) {
  return el(
    "span.states",
    {},
    one.superseded_by !== null && el("span.state.gone", {}, `superseded by ${number(one.superseded_by)}`),
    one.flagged.length > 0 && el("span.state.changed", {}, "rests on what no longer holds"),
    one.assumption ? el("span.state.changed", {}, "assumption") : one.grounded ? el("span.state.exact", {}, "grounded") : el("span.state.gone", {}, "not proved"),
  );
}

function opened(told, context) {
  return [
    told.question && el("p", {}, el("span.dim", {}, "question "), told.question),
    told.reasoning && el("p", {}, el("span.dim", {}, "because "), told.reasoning),
    told.problem && el("p.problem", {}, told.problem),
    told.faults?.length > 0 && el("p.dim", {}, told.faults.join(", ")),
    (told.citations ?? []).map((cited) =>
      el(
        "figure.citation",
        {},
        el("figcaption", {}, el("code", {}, `${cited.path}:${cited.line}`), " ", el(`span.state.${cited.state}`, {}, cited.state), cited.found && cited.found !== cited.line && el("span.dim", {}, ` now at line ${cited.found}`)),
        el("div.beside", {}, el("div", {}, el("p.dim", {}, "quoted then"), el("pre.text", { tabindex: "0" }, cited.quote)), el("div", {}, el("p.dim", {}, "today"), el("p", {}, cited.how ?? (cited.state === "exact" ? "the same, word for word" : cited.state)), cited.remedy && el("p.dim", {}, cited.remedy))),
      ),
    ),
    (told.settled ?? []).map((one) => el("p", {}, el("span.dim", {}, "settled "), one.fork.statement, el("span.dim", {}, " against "), one.fork.against, el("span.dim", {}, ` (${one.ruling ?? ""})`))),
    told.citations && !told.citations.length && !told.problem && el("p.dim", {}, "It cites nothing."),
    el("p", {}, el("button", { type: "button", onclick: () => context.open(told.seq) }, "The entry and its proof")),
  ];
}
