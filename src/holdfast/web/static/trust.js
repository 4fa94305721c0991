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
  root.append(
    el("h1", {}, "Trust"),
    el("section.card", { "aria-label": "Tree head" }, el("h2", {}, "Tree head"), facts({ ledger: told.head.ledger, entries: number(told.head.size), root: told.head.root, "last leaf": told.head.leaf }), el("p.dim", {}, "Keep the number and the root elsewhere: whoever has them can prove that nothing before was rewritten."), el("div.bar", {}, button), outcome),
    el("div.cards", {}, saves(told), archives(told), events(told, context)),
    plots(measured.metrics),
  );
  return { close: () => end?.() };
}

function facts(given) {
  return el("dl.facts", {}, Object.entries(given).map(([name, value]) => [el("dt", {}, name), el("dd", {}, el("code", {}, value))]));
}

function verdict(found, context) {
  if (found.error) return el("p.problem", {}, found.error.what);
  if (found.ok) return el("p.good", {}, `All ${number(found.entries)} entries are what was sealed.`);
  return [
    el("p.bad", { role: "alert" }, `${number(found.faults.length + (found.faults_left_out ?? 0))} faults were found.`),
    el("ul", {}, found.faults.slice(0, 50).map((one) => el("li", {}, one.seq !== null && el("button.link", { type: "button", onclick: () => context.open(one.seq) }, `entry ${number(one.seq)}`), ` ${one.kind}: ${one.detail}`))),
  ];
}

function saves(told) {
  return el(
    "section.card",
    { "aria-label": "Saves" },
    el("h2", {}, "Saves"),
    told.saves.length ? el("ul.plain", {}, [...told.saves].reverse().slice(0, 12).map((one) => el("li", {}, el("code", {}, short(one.id)), ` ${one.type.toLowerCase()}, after ${number(one.size)} entries, ${one.stores} stores`))) : el("p.dim", {}, "No save yet: `holdfast save`."),
    told.saves_damaged.length > 0 && el("p.bad", {}, `damaged: ${told.saves_damaged.join(", ")}`),
    el("p.dim", {}, "`holdfast boot` rebuilds one from the log alone and compares every digest."),
  );
}

function archives(told) {
  return el(
    "section.card",
    { "aria-label": "Archives" },
    el("h2", {}, "Archives"),
    told.archives.length ? el("ul.plain", {}, [...told.archives].reverse().slice(0, 12).map((one) => el("li", {}, el("code", {}, one.name), ` entries ${number(one.first)} to ${number(one.last)}`))) : el("p.dim", {}, "Nothing was sealed yet."),
    told.archives_more > 0 && el("p.dim", {}, `${number(told.archives_more)} older ones`),
  );
}

function events(told, context) {
  const all = [...told.erased, ...told.quarantined, ...told.healed, ...told.peers, ...told.refused].sort((a, b) => b.seq - a.seq);
  return el(
    "section.card",
    { "aria-label": "What happened to the ledger itself" },
    el("h2", {}, "What happened to the ledger itself"),
    all.length
      ? el("ul.plain", {}, all.slice(0, 15).map((one) => el("li", {}, badge(one.type), " ", el("button.link", { type: "button", onclick: () => context.open(one.seq) }, one.line), el("span.dim", {}, ` ${clock(one.time)}`))))
      : el("p.dim", {}, "Nothing was erased, quarantined or healed, and no peer was merged."),
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
