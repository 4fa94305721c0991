// Why it can be believed: the tree, a verify that can be watched, archives, saves, metrics.

import { ask, verify } from "./api.js";
import { clock, el, fill, number, short, svg } from "./dom.js";
import { badge } from "./marks.js";

export async function show(root, _query, context) {
  const [told, measured] = await Promise.all([ask("trust"), ask("metrics")]);
  const outcome = el("div.outcome", { role: "status", "aria-live": "polite" });
  const button = el("button.primary", { type: "button" }, "Verify every entry now");
  let end = null;
  button.addEventListener("click", () => {
    button.disabled = true;
    const bar = el("progress", { max: 1, value: 0, "aria-label": "Verified" });
    const count = el("span.dim");
    fill(outcome, bar, " ", count);
    end = verify({
      progress({ done, total }) {
        bar.max = Math.max(1, total);
        bar.value = done;
        fill(count, `${number(done)} of ${number(total)} entries`);
      },
      report(found) {
        button.disabled = false;
        fill(outcome, verdict(found, context));
      },
      failed() {
        button.disabled = false;
        fill(outcome, el("p.problem", {}, "It was interrupted; nothing was found out."));
      },
    });
  });
  if (told.verified) fill(outcome, verdict(told.verified, context));
  const heads = el("section.card", { "aria-label": "Anchors" }, el("h2", {}, "Anchors"), el("div", {}, el("p.dim", {}, "Looking…")));
  const kept = saves(told);
  let closed = false;
  root.append(
    el("h1", {}, "Trust"),
    el("section.card", { "aria-label": "Tree head" }, el("h2", {}, "Tree head"), facts({ ledger: told.head.ledger, entries: number(told.head.size), root: told.head.root, "last leaf": told.head.leaf }), el("p.dim", {}, "Keep the number and the root elsewhere: whoever has them can prove that nothing before was rewritten."), el("div.bar", {}, button), outcome),
    heads,
    el("div.cards", {}, kept.card, archives(told), events(told, context)),
    plots(measured.metrics),
  );
  anchors(heads, () => closed);
  const ended = kept.begin();
  return {
    close() {
      closed = true;
      ended();
      end?.();
    },
  };
}

const KINDS = { git: "git", save: "save", campaign: "campaign file", state: "state on disk", peer: "peer" };
const STATES = { agrees: "exact", differs: "gone", "could not look": "changed", none: "moved" };

/** Tree heads that are kept elsewhere, each beside the ledger as it is. */
async function anchors(node, closed) {
  let told;
  try {
    told = await ask("anchors");
  } catch (problem) {
    fill(node.lastChild, el("div.problem", {}, el("p", {}, problem.message), el("p.dim", {}, problem.remedy)));
    return;
  }
  if (closed()) return;
  const pins = told.pins.filter((one) => one.saved !== null && one.saved !== one.value);
  const saved = told.pins.some((one) => one.saved !== null);
  fill(
    node.lastChild,
    told.anchors.length
      ? el(
          "table.anchors",
          {},
          el("thead", {}, el("tr", {}, ["kept by", "where", "entries", "root", "with the ledger's tree"].map((name) => el(name === "entries" ? "th.number" : "th", { scope: "col" }, name)))),
          el("tbody", {}, told.anchors.map(anchor)),
        )
      : el("p.dim", {}, "No tree head is kept elsewhere yet: git keeps one when a session ends, a save and a peer do, too."),
    told.more.length > 0 && el("p.dim", {}, `More are kept that were not compared: ${told.more.map((kind) => KINDS[kind] ?? kind).join(", ")}.`),
    told.anchors.length > 0 && el("p.dim", {}, "Compared is the tree that the ledger keeps; that the entries are those of the tree is what Verify proves."),
    el("p.dim", {}, !saved ? `${number(told.pins.length)} pins; no save depends on them yet.` : pins.length ? "" : `All ${number(told.pins.length)} pins are those of the newest save.`),
    pins.map((one) => el("p.bad", {}, `The pin ${one.pin} is ${one.value}; the newest save was made with ${one.saved}.`)),
  );
}

function anchor(one) {
  return el(
    "tr",
    {},
    el("td", {}, KINDS[one.kind] ?? one.kind),
    el("td", {}, el("code", { title: one.where }, short(one.where, 34))),
    el("td.number", {}, one.size === null ? "" : number(one.size)),
    el("td", {}, one.root && el("code", { title: one.root }, one.kind === "state" ? `leaf ${short(one.root, 16)}` : short(one.root, 16))),
    el("td", {}, el(`span.state.${STATES[one.state] ?? "changed"}`, {}, one.state), one.why && el("span.dim", {}, ` ${one.why}`)),
  );
}

function facts(given) {
  return el("dl.facts", {}, Object.entries(given).map(([name, value]) => [el("dt", {}, name), el("dd", {}, el("code", {}, value))]));
}

function verdict(found, context) {
  if (found.error) return el("p.problem", {}, found.error.what);
  if (found.ok) return el("p.good", {}, `All ${number(found.entries)} entries are what was sealed.`);
  return [
    el("p.bad", { role: "alert" }, `${number(found.faults.length + (found.faults_left_out ?? 0))} faults were found.`),
    el("ul", {}, found.faults.slice(0, FAULTS).map((one) => el("li", {}, one.seq !== null && el("button.link", { type: "button", onclick: () => context.open(one.seq) }, `entry ${number(one.seq)}`), ` ${one.kind}: ${one.detail}`))),
    found.faults.length > FAULTS && el("p.dim", {}, `The first ${FAULTS} of them; holdfast verify tells more.`),
  ];
}

const BOOTS = { works: "exact", failed: "gone", "could not look": "changed" };
const ASK_MS = 600;
const QUICK_S = 5;
const SHOWN = 12;
const EVENTS = 15;
const FAULTS = 50;

/** Saves, each with how it boots: the newest are tried one after the other while that is quick. */
function saves(told) {
  const rows = told.saves.slice(0, SHOWN).map((one) => {
    const result = el("span.boot", { role: "status" });
    const node = el("li", {}, el("code", {}, short(one.id)), ` ${one.type.toLowerCase()}, after ${number(one.size)} entries, ${one.stores} stores `, result);
    return { ...one, node, result };
  });
  const card = el(
    "section.card",
    { "aria-label": "Saves" },
    el("h2", {}, "Saves"),
    rows.length ? el("ul.plain", {}, rows.map((row) => row.node)) : el("p.dim", {}, "No save yet: `holdfast save`."),
    told.saves.length + told.saves_more > rows.length && el("p.dim", {}, `${number(told.saves.length + told.saves_more - rows.length)} older ones`),
    told.saves_damaged.length > 0 && el("p.bad", {}, `damaged: ${told.saves_damaged.join(", ")}`),
    el("p.dim", {}, "Each is booted beside, from the log alone, and every digest compared; nothing is changed by it."),
  );
  let timer = null;
  let closed = false;
  const queue = [...rows];
  const wanted = (row) => {
    queue.unshift(row);
    if (timer === null) step();
  };
  const step = async () => {
    timer = null;
    const row = queue[0];
    if (!row || closed) return;
    let found;
    try {
      found = await ask("boot", { save: row.id });
    } catch (problem) {
      found = { state: "could not look", why: problem.message };
    }
    if (closed) return;
    booted(row, found, wanted);
    if (found.state !== "trying" && found.state !== "waiting") {
      queue.shift();
      if (found.took_s > QUICK_S) queue.length = 0;
    }
    timer = setTimeout(step, found.state === "trying" || found.state === "waiting" ? ASK_MS : 0);
  };
  rows.forEach((row) => booted(row, row.boot, wanted));
  return {
    card,
    begin() {
      step();
      return () => {
        closed = true;
        clearTimeout(timer);
      };
    },
  };
}

function booted(row, found, wanted) {
  const far = found.total ? ` ${Math.floor((100 * found.done) / found.total)} %` : "…";
  if (found.state === "trying") return fill(row.result, el("span.dim", {}, `is being booted${far}`));
  if (found.state === "waiting") return fill(row.result, el("span.dim", {}, "waits for another boot"));
  if (found.state === "not tried") return fill(row.result, el("button.link", { type: "button", onclick: () => wanted(row) }, "not tried yet"));
  const step = found.step ? `step ${found.step}: ` : "";
  fill(
    row.result,
    el(`span.state.${BOOTS[found.state] ?? "changed"}`, {}, found.state === "works" ? "boots" : found.state),
    el("span.dim", {}, found.state === "works" ? ` ${found.digests} digests equal, ${found.took_s} s` : ` ${step}${found.why ?? ""} ${found.remedy ?? ""}`),
  );
}

function archives(told) {
  return el(
    "section.card",
    { "aria-label": "Archives" },
    el("h2", {}, "Archives"),
    told.archives.length ? el("ul.plain", {}, [...told.archives].reverse().slice(0, SHOWN).map((one) => el("li", {}, el("code", {}, one.name), ` entries ${number(one.first)} to ${number(one.last)}`))) : el("p.dim", {}, "Nothing was sealed yet."),
    told.archives.length + told.archives_more > SHOWN && el("p.dim", {}, `${number(told.archives.length + told.archives_more - SHOWN)} older ones`),
  );
}

function events(told, context) {
  const all = [...told.erased, ...told.quarantined, ...told.healed, ...told.peers, ...told.refused].sort((a, b) => b.seq - a.seq);
  return el(
    "section.card",
    { "aria-label": "What happened to the ledger itself" },
    el("h2", {}, "What happened to the ledger itself"),
    all.length
      ? el("ul.plain", {}, all.slice(0, EVENTS).map((one) => el("li", {}, badge(one.type), " ", el("button.link", { type: "button", onclick: () => context.open(one.seq) }, one.line), el("span.dim", {}, ` ${clock(one.time)}`))))
      : el("p.dim", {}, "Nothing was erased, quarantined or healed, and no peer was merged."),
    all.length > EVENTS && el("p.dim", {}, `at least ${number(all.length - EVENTS)} older ones: holdfast log --type T`),
  );
}

function plots(metrics) {
  const names = Object.keys(metrics).sort();
  return el(
    "section",
    { "aria-label": "Metrics" },
    el("h2", {}, "Metrics over time"),
    names.length ? el("div.plots", {}, names.slice(0, 24).map((name) => plot(name, metrics[name]))) : el("p.dim", {}, "Nothing was measured yet: `holdfast metrics` does."),
    names.length > 24 && el("p.dim", {}, `${names.length - 24} more are not drawn`),
  );
}

function plot(name, points) {
  const wide = 260;
  const tall = 84;
  const values = points.flatMap((one) => (one.threshold === null ? [one.value] : [one.value, one.threshold]));
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const x = (place) => 6 + (place / Math.max(1, points.length - 1)) * (wide - 12);
  const y = (value) => 8 + (1 - (value - least) / span) * (tall - 16);
  const newest = points.at(-1);
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": `${name}, newest ${newest.value}`, class: "plot" });
  if (newest.threshold !== null) picture.append(svg("line", { x1: 6, x2: wide - 6, y1: y(newest.threshold), y2: y(newest.threshold), class: "threshold" }));
  picture.append(svg("polyline", { points: points.map((one, place) => `${x(place)},${y(one.value)}`).join(" "), class: "curve" }));
  points.forEach((one, place) => {
    if (!one.passed || place === points.length - 1) picture.append(svg("circle", { cx: x(place), cy: y(one.value), r: 2.6, class: one.passed ? "point" : "point failed" }));
  });
  return el("figure.card", {}, el("figcaption", {}, name, " ", el("strong", {}, newest.value), newest.threshold !== null && el("span.dim", {}, ` (threshold ${newest.threshold})`)), picture);
}
