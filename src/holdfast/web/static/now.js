// Where the work stands: what somebody wants to know who has just come in.

import { ask } from "./api.js";
import { age, calm, clock, el, fill, number, short, svg } from "./dom.js";
import { badge } from "./marks.js";

const ASK_MS = 700;
const ZONES = ["green", "yellow", "orange", "red"];

export async function show(root, _query, context) {
  const parts = {
    lead: el("div.lead"),
    attention: card("Attention"),
    gate: card("Before a clear"),
    trust: card("Trust"),
    work: card("Open work"),
    recent: card("Newest entries"),
  };
  root.append(
    el("h1.sr", {}, "Now"),
    parts.lead,
    el("div.cards.stands", {}, parts.attention, parts.gate, parts.trust, parts.work),
    parts.recent,
  );
  let told = null;
  let closed = false;
  const refresh = async () => {
    told = await ask("now");
    lead(parts.lead, told);
    attention(parts.attention, told.attention);
    trust(parts.trust, told);
    work(parts.work, told);
  };
  const newest = async () => recent(parts.recent, await ask("entries", { limit: 12 }), context);
  let again = null;
  const blocks = async () => {
    clearTimeout(again);
    try {
      const said = await ask("gate");
      gate(parts.gate, said);
      // what is known is told at once; while it is looked at, or is old, we ask again
      const wait_ms = said.looking_s !== null ? ASK_MS : said.next_s === null || said.next_s === undefined ? null : 1000 * said.next_s + ASK_MS;
      if (wait_ms !== null && !closed) again = setTimeout(blocks, wait_ms);
    } catch (problem) {
      fill(parts.gate.lastChild, el("p.problem", {}, problem.message));
    }
  };
  await Promise.all([refresh(), newest()]);
  const slowly = calm(blocks, 1500);
  blocks();
  const timer = setInterval(() => told && ages(root, told), 1000);
  return {
    head() {
      refresh().catch(() => {});
      newest().catch(() => {});
      slowly();
    },
    close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(again);
    },
    move: (delta) => step(parts.recent, delta),
    open: () => document.activeElement?.closest?.("[data-seq]") && context.open(document.activeElement.dataset.seq),
  };
}

function card(title) {
  return el("section.card", { "aria-label": title }, el("h2", {}, title), el("div.card-body"));
}

function lead(node, told) {
  const point = told.checkpoint;
  const task = told.task?.title ?? point?.task ?? null;
  const done = point && point.total ? point.completed / point.total : null;
  fill(
    node,
    el("p.kicker", {}, told.session ? `session ${short(told.session, 36)}` : "no session is open"),
    el("p.title", {}, task ?? (told.entries ? "No task is named yet" : "Nothing was recorded yet")),
    done !== null && progress(point.completed, point.total),
    point?.next_action && el("p.next", {}, el("span.dim", {}, "next "), point.next_action),
    el(
      "p.dim",
      {},
      told.last ? ["last entry ", el("span", { dataset: { since: told.last.timestamp } }, since(told.last.timestamp)), " ago"] : "no entry yet",
      point && [" · checkpoint ", el("a", { href: `#/time?at=${point.seq}` }, `at entry ${number(point.seq)}`)],
    ),
  );
}

function progress(completed, total) {
  return el(
    "div.progress",
    { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": completed, "aria-label": "Progress of the task" },
    el("div.progress-bar", { style: { width: `${Math.min(100, (100 * completed) / total)}%` } }),
    el("span.progress-text", {}, `${number(completed)} of ${number(total)}`),
  );
}

const since = (stamp) => age(Math.max(0, (Date.now() - Date.parse(stamp)) / 1000));

function ages(root) {
  for (const node of root.querySelectorAll("[data-since]")) node.textContent = since(node.dataset.since);
}

function attention(node, told) {
  const body = node.lastChild;
  if (!told) {
    fill(body, el("p.dim", {}, "Nobody counted the tokens of this session."), el("p.dim", {}, "Hooks and the proxy do; `holdfast attention` does it by hand."));
    return;
  }
  fill(
    body,
    gauge(told),
    el("p", {}, el("strong", {}, number(told.tokens)), el("span.dim", {}, told.window ? ` of ${number(told.window)} tokens` : " tokens"), " ", el("span.zone", { dataset: { zone: told.zone } }, told.zone)),
    told.message && el("p.dim", {}, told.message),
  );
}

/** Draw how full the context is, with where its zones begin. */
function gauge(told) {
  const bounds = told.bounds ?? {};
  const edges = [0, bounds.yellow, bounds.orange, bounds.red];
  const most = told.window || Math.max((bounds.red ?? 1) * 4 / 3, told.tokens);
  const at = (tokens) => 10 + (180 * Math.min(tokens, most)) / most;
  const picture = svg("svg", { viewBox: "0 0 200 34", class: "gauge", role: "img", "aria-label": `${told.tokens} tokens, zone ${told.zone}` });
  edges.forEach((edge, place) => {
    const until = edges[place + 1] ?? most;
    picture.append(svg("rect", { x: at(edge), y: 12, width: Math.max(0, at(until) - at(edge) - 1), height: 10, class: `zone-${ZONES[place]}` }));
  });
  const x = at(told.tokens);
  picture.append(svg("path", { d: `M${x} 26 l-5 7 h10 z`, class: "needle" }), svg("line", { x1: x, x2: x, y1: 8, y2: 26, class: "needle-line" }));
  return picture;
}

function gate(node, told) {
  const body = node.lastChild;
  const looks = told.looking_s !== null;
  node.dataset.gate = looks ? "looking" : told.state;
  if (told.state === "looking") {
    fill(body, el("p.dim", { role: "status" }, `Looking, for ${Math.round(told.looking_s ?? 0)} s so far…`));
    return;
  }
  const when = el("p.dim", {}, `as of entry ${number(told.as_of - 1)}`, looks && " · looking again…");
  if (told.problem) {
    fill(body, el("div.problem", {}, el("p", {}, told.problem.what), el("p.dim", {}, told.problem.remedy)), when);
    return;
  }
  if (!told.count) {
    fill(body, el("p.good", {}, "Nothing stands in the way."), el("p.dim", {}, `grounding ratio ${ratio(told.grounding_ratio)}`), when);
    return;
  }
  fill(
    body,
    el("p", {}, el("strong", {}, `${number(told.count)} in the way`), el("span.dim", {}, ` · grounding ratio ${ratio(told.grounding_ratio)} of ${told.threshold}`)),
    el("ul.blocks", {}, told.blocks.slice(0, 3).map((one) => el("li", {}, one.reason, el("span.dim.block-remedy", {}, one.remedy)))),
    told.count > 3 && el("p.dim", {}, `and ${number(told.count - 3)} more: holdfast clear --check`),
    when,
  );
}

const ratio = (value) => (value === null || value === undefined ? "not known" : Number(value).toFixed(2));

function trust(node, told) {
  const known = told.verified;
  fill(
    node.lastChild,
    known
      ? el(known.ok ? "p.good" : "p.bad", {}, known.ok ? `All ${number(known.entries)} entries are what was sealed.` : "The ledger is damaged.")
      : el("p", {}, "Not verified from this page yet. ", el("a", { href: "#/trust" }, "Verify")),
    el("p.dim", {}, `${number(told.entries)} entries, ${number(told.archived)} of them in archives`),
    told.save && el("p.dim", {}, `newest save ${short(told.save.id)}, after ${number(told.save.size)} entries`),
    el("p.dim", {}, "ledger ", el("code", {}, short(told.ledger))),
  );
}

function work(node, told) {
  const open = told.open_work ?? [];
  const steps = told.task?.next_steps ?? [];
  fill(
    node.lastChild,
    !open.length && !steps.length && el("p.dim", {}, "Nothing is in flight."),
    open.length > 0 && el("ul", {}, open.slice(0, 6).map((one) => el("li", {}, one.title, el("span.dim", {}, ` ${one.kind ?? ""}`)))),
    steps.length > 0 && [el("p.dim", {}, "next steps of the task"), el("ul", {}, steps.slice(0, 6).map((one) => el("li", {}, one)))],
    (told.sessions?.length ?? 0) > 1 && el("p.dim", {}, `${told.sessions.length} sessions are open`),
  );
}

function recent(node, told, context) {
  fill(
    node.lastChild,
    el(
      "ol.recent",
      {},
      told.rows.map((row) =>
        el(
          "li",
          {},
          el(
            "button.row-button",
            { type: "button", dataset: { seq: row.seq }, onclick: () => context.open(row.seq) },
            el("span.seq", {}, number(row.seq)),
            badge(row.type ?? "damaged"),
            el("span.line", {}, row.line ?? row.damaged ?? ""),
            el("time.dim", { datetime: row.time ?? "" }, clock(row.time, { date: false })),
          ),
        ),
      ),
    ),
    el("p", {}, el("a", { href: "#/timeline" }, "All of them, on the timeline")),
  );
}

function step(node, delta) {
  const rows = [...node.querySelectorAll("button.row-button")];
  const at = rows.indexOf(document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + delta))]?.focus();
}
