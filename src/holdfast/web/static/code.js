// The State Map: the one true text of each definition, and how it became so.

import { ask } from "./api.js";
import { calm, clock, el, fill, number, short } from "./dom.js";
import { diff } from "./entry.js";

export async function show(root, query, context) {
  const filter = el("input", { type: "search", placeholder: "path or symbol", "aria-label": "Path or symbol", value: query.prefix ?? "" });
  const tree = el("div.code-tree", { role: "region", "aria-label": "Files and definitions" });
  const detail = el("div.code-detail", { role: "region", "aria-label": "History of a definition" });
  const said = el("span.range", { role: "status" });
  root.append(el("div.bar", {}, el("h1", {}, "Code"), said, el("span.grow"), filter), el("div.split", {}, tree, detail));

  const open = async (name) => {
    try {
      fill(detail, history(await ask("entity", { name }), context));
    } catch (problem) {
      fill(detail, el("p.problem", {}, problem.message));
    }
  };
  const load = async () => {
    const told = await ask("code", { prefix: filter.value });
    const count = told.files.reduce((all, file) => all + file.symbols.length, 0);
    fill(said, `${number(count)} definitions in ${number(told.files.length)} files`, told.left_out ? `, ${number(told.left_out)} more` : "");
    fill(
      tree,
      told.files.length
        ? told.files.slice(0, 400).map((file) => folder(file, open, told.files.length <= 5))
        : el("p.dim", {}, filter.value ? "Nothing with these words." : "Nothing crossed the proxy yet. `holdfast proxy` keeps the true text of what you and the model write here."),
    );
  };
  const again = calm(() => load().catch(() => {}), 200);
  filter.addEventListener("input", again);
  await load();
  if (query.name) await open(query.name);
  else fill(detail, el("p.dim", {}, "Choose a definition to see how it became what it is."));
  return {
    head: () => again(),
    move(delta) {
      const all = [...tree.querySelectorAll("summary, details[open] button")];
      const at = all.indexOf(document.activeElement);
      all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + delta))]?.focus();
    },
  };
}

function folder(file, open, unfolded) {
  return el(
    "details",
    { open: unfolded },
    el("summary", {}, el("code", {}, file.path), el("span.dim", {}, ` ${file.symbols.length}`)),
    el(
      "ul",
      {},
      file.symbols.map((one) =>
        el(
          "li",
          {},
          el(
            "button.row-button",
            { type: "button", onclick: () => open(`${file.path}::${one.symbol}`) },
            el("code", {}, one.symbol),
            el(`span.state.${stateClass(one.state)}`, {}, (one.state ?? "proposed").toLowerCase()),
            one.stale && el("span.state.changed", {}, "stale"),
            one.proposals > 0 && el("span.dim", {}, `${one.proposals} proposed`),
          ),
        ),
      ),
    ),
  );
}

const stateClass = (state) => ({ AUTHORITATIVE: "exact", TOMBSTONED: "gone" })[state] ?? "changed";

function history(told, context) {
  return [
    el("h2", {}, el("code", {}, told.entity)),
    told.now?.text ? el("pre.text", { tabindex: "0" }, told.now.text) : el("p.dim", {}, "There is no text that is authoritative now."),
    el("h3", {}, "How it became so"),
    el(
      "ol.moves",
      {},
      told.moves.map((move) =>
        el(
          "li",
          {},
          el("p", {}, el(`span.state.${stateClass(move.after)}`, {}, move.after.toLowerCase()), " ", move.reason, move.grant && el("span.dim", {}, ` · by ${move.grant}`)),
          el("p.dim", {}, clock(move.time), " · ", el("button.link", { type: "button", onclick: () => context.open(move.seq) }, `entry ${number(move.seq)}`), " · ", el("code", {}, short(move.artifact))),
          move.diff && diff(move.diff),
        ),
      ),
    ),
    told.more && el("p.dim", {}, "Older ones are not shown."),
  ];
}
