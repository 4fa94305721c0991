// Each compaction and each clear: what left the context, what was given back, and where it still is.

import { ask } from "./api.js";
import { calm, clock, el, fill, number, short } from "./dom.js";

const FATES = [["dropped", "gone"], ["paraphrased", "changed"], ["kept", "exact"], ["unknown", "moved"]];

export async function show(root, query, context) {
  const list = el("ol.wipes");
  const detail = el("div.loss-detail", { role: "region", "aria-label": "What was lost" });
  root.append(el("h1", {}, "Loss"), el("div.split", {}, list, detail));

  let current = null;
  let listed = "";

  const mark = () => {
    for (const one of list.querySelectorAll("button")) one.setAttribute("aria-current", String(Number(one.dataset.seq) === Number(current)));
  };
  const open = async (seq) => {
    current = seq;
    mark();
    fill(detail, el("p.dim", {}, "Comparing …"));
    try {
      fill(detail, report(await ask(`loss/${seq}`), context));
    } catch (problem) {
      fill(detail, el("p.problem", {}, problem.message));
    }
  };
  const load = async () => {
    const told = await ask("loss");
    if (listed === JSON.stringify(told)) return told.rows[0]?.seq;
    listed = JSON.stringify(told);
    fill(
      list,
      told.rows.length
        ? told.rows.map((one) =>
            el(
              "li",
              {},
              el(
                "button.row-button",
                { type: "button", dataset: { seq: one.seq }, onclick: () => open(one.seq) },
                el("span.badge", { dataset: { kind: one.how === "cleared" ? "clear" : "compaction" } }, one.how),
                el("span.line", {}, short(one.session ?? "no session", 40)),
                el("time.dim", {}, clock(one.time)),
              ),
            ),
          )
        : el("li.dim", {}, "No compaction and no clear was recorded."),
      told.more && el("li.dim", {}, "Older ones are not listed: holdfast lost --at N"),
    );
    mark();
    return told.rows[0]?.seq;
  };
  const newest = await load();
  if (query.seq ?? newest) await open(query.seq ?? newest);
  else fill(detail, el("p.dim", {}, "When a context is compacted or cleared, what left it is told here, word for word."));
  const again = calm(() => load().catch(() => {}), 800);
  return { head: () => again() };
}

function report(told, context) {
  const total = Object.values(told.fates).reduce((all, one) => all + one, 0);
  return [
    el("h2", {}, `${told.how} ${clock(told.time)}`, told.trigger ? ` (${told.trigger})` : ""),
    el("p.dim", {}, told.session === null ? "of no session" : ["of session ", el("code", {}, told.session)]),
    total ? bar(told.fates, total) : el("p.dim", {}, "The session had nothing that could be lost."),
    told.unseen && el("p.dim", {}, "The session has older entries that were not looked at."),
    given(told, context),
    FATES.filter(([fate]) => told.fates[fate]).map(([fate, state]) => [
      el("h3", {}, `${fate} (${number(told.fates[fate])})`),
      el(
        "ul.items",
        {},
        told.items
          .filter((one) => one.fate === fate)
          .map((one) =>
            el(
              "li",
              {},
              el(`span.state.${state}`, {}, one.kind.replaceAll("_", " ")),
              " ",
              el("button.link", { type: "button", onclick: () => context.open(one.seq) }, one.text),
              one.exit_code !== null && one.exit_code !== undefined && el("span.dim", {}, ` exit ${one.exit_code}`),
              one.missing?.length > 0 && el("span.dim", {}, ` missing: ${one.missing.join(", ")}`),
              one.brought_back && back(one.brought_back, context),
            ),
          ),
      ),
    ]),
    told.items_more > 0 && el("p.dim", {}, `${number(told.items_more)} more: holdfast lost --json`),
    told.summary && el("details", {}, el("summary", {}, "The summary, word for word"), el("pre.text", { tabindex: "0" }, told.summary)),
    el("p.dim", {}, "Nothing of it is lost here: every line opens the entry that has it in full."),
  ];
}

const HOW = { named: "by its number", kept: "word for word", paraphrased: "in part" };

function back(found, context) {
  const half = found.how === "paraphrased";
  return [
    " ",
    el(`span.state.${half ? "changed" : "exact"}.back`, {}, half ? "back in part" : "back"),
    " ",
    el("button.link", { type: "button", title: `given back ${HOW[found.how] ?? found.how}`, onclick: () => context.open(found.seq) }, `#${found.seq}`),
  ];
}

/** What the agent was given afterwards, and how much of what was gone that is. */
function given(told, context) {
  if (!told.given.length) return el("p.dim", {}, "Nothing is recorded that the agent was given after it.");
  const { gone, whole, part } = told.back;
  const came = `${number(whole + part)} of ${number(gone)} that were gone came back`;
  return el(
    "section.given",
    { "aria-label": "Brought back" },
    el("h3", {}, "brought back"),
    gone > 0 && el("p", {}, part ? `${came}, ${number(part)} of them in part.` : `${came}.`),
    el("ul.items", {}, told.given.map((one) => el("li", {}, words(one, context)))),
    told.given_more && el("p.dim", {}, "More may have been given that was not looked at."),
  );
}

function words(one, context) {
  const left = Object.entries(one.left_out).map(([name, count]) => `${number(count)} ${name}`);
  return [
    el("span.badge", { dataset: { kind: "given" } }, one.source ?? "given"),
    " ",
    el("button.link", { type: "button", onclick: () => context.open(one.seq) }, `#${one.seq}, ${number(one.tokens)} tokens`),
    el("span.dim", {}, ` by ${one.counter}, `, el("time", {}, clock(one.time)), `, to ${short(one.session ?? "no session", 30)}: ${number(one.items)} ${one.items === 1 ? "item" : "items"}`),
    left.length > 0 && el("span.dim", {}, `; no room for ${left.join(", ")}`),
    el("details", {}, el("summary", {}, "The words, as they were given"), el("pre.text", { tabindex: "0" }, one.text)),
  ];
}

function bar(fates, total) {
  return el(
    "div.fates",
    { role: "img", "aria-label": FATES.map(([fate]) => `${fate} ${fates[fate] ?? 0}`).join(", ") },
    FATES.filter(([fate]) => fates[fate]).map(([fate, state]) => el(`span.fate.${state}`, { style: { width: `${(100 * fates[fate]) / total}%` }, title: `${fate} ${fates[fate]}` }, fates[fate] / total > 0.08 ? `${fate} ${fates[fate]}` : "")),
  );
}
