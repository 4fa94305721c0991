// Any moment: every store as it was after an entry, and what lies between two.

import { ask } from "./api.js";
import { calm, el, fill, number, short } from "./dom.js";
import { tree } from "./entry.js";

export async function show(root, query, context) {
  const newest = Math.max(0, (await ask("entries", { limit: 1 })).entries - 1);
  const at = slider("As it was after entry", Math.min(Number(query.at ?? newest), newest), newest);
  const to = slider("Compared with entry", Math.min(Number(query.to ?? newest), newest), newest);
  const stores = el("div.stores", { role: "region", "aria-label": "Stores" });
  const detail = el("div.store-detail", { role: "region", "aria-label": "Items or differences" });
  const compare = el("button", { type: "button" }, "What changed between the two");
  root.append(
    el("h1", {}, "Time"),
    el("div.sliders", {}, at.node, to.node, el("div.bar", {}, el("button", { type: "button", onclick: () => context.open(at.value()) }, "Open the entry"), compare)),
    el("div.split", {}, stores, detail),
  );
  let turn = 0;
  let chosen = query.store ?? null;

  const items = async (store, skip = 0) => {
    chosen = store;
    const told = await ask(`at/${at.value()}`, { store, skip });
    fill(detail, listed(told, skip, (next) => items(store, next)));
  };
  const load = async () => {
    const mine = ++turn;
    const told = await ask(`at/${at.value()}`);
    if (mine !== turn) return;
    fill(
      stores,
      el(
        "table",
        {},
        el("caption.sr", {}, `Stores after entry ${told.seq}`),
        el("thead", {}, el("tr", {}, ["store", "items", "digest"].map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          Object.entries(told.stores).map(([name, one]) =>
            el("tr", {}, el("th", { scope: "row" }, el("button.link", { type: "button", onclick: () => items(name) }, name)), el("td.number", {}, number(one.items)), el("td", {}, el("code", {}, short(one.digest)))),
          ),
        ),
      ),
    );
    if (chosen) await items(chosen);
  };
  const soon = calm(() => load().catch((problem) => fill(stores, el("p.problem", {}, problem.message))), 160);
  at.changed(soon);
  compare.addEventListener("click", async () => {
    fill(detail, el("p.dim", {}, "Comparing …"));
    try {
      fill(detail, differences(await ask("diff", { a: at.value(), b: to.value() })));
    } catch (problem) {
      fill(detail, el("p.problem", {}, problem.message));
    }
  });
  await load();
  if (!chosen) fill(detail, el("p.dim", {}, "Choose a store, or compare two moments."));
  return {
    head(told) {
      at.most(told.entries - 1);
      to.most(told.entries - 1);
    },
  };
}

function slider(label, value, most) {
  const range = el("input", { type: "range", min: 0, max: most, value, "aria-label": label });
  const exact = el("input.exact", { type: "number", min: 0, max: most, value, "aria-label": `${label}, number` });
  const listeners = [];
  const set = (from, into) => {
    into.value = from.value;
    listeners.forEach((act) => act());
  };
  range.addEventListener("input", () => set(range, exact));
  exact.addEventListener("input", () => set(exact, range));
  return {
    node: el("div.slider", {}, el("span.slider-label", { "aria-hidden": "true" }, label), range, exact),
    value: () => Math.max(0, Math.min(Number(range.max), Number(exact.value || 0))),
    changed: (act) => listeners.push(act),
    most(count) {
      range.max = exact.max = String(Math.max(0, count));
    },
  };
}

function listed(told, skip, go) {
  return [
    el("h2", {}, `${told.store}, ${number(told.count)} items after entry ${number(told.seq)}`),
    told.items.map(([key, value]) => el("details.item", {}, el("summary", {}, el("code", {}, key.trim() || key)), tree(value))),
    told.count > skip + told.items.length && el("button", { type: "button", onclick: () => go(skip + told.items.length) }, "The next ones"),
    skip > 0 && el("button", { type: "button", onclick: () => go(0) }, "From the beginning"),
  ];
}

function differences(told) {
  if (!told.stores.length) return el("p.dim", {}, "Nothing is different between the two.");
  return [
    el("h2", {}, `From entry ${number(told.a)} to entry ${number(told.b)}`),
    told.stores.map((one) =>
      el(
        "section.store-diff",
        {},
        el("h3", {}, one.store),
        part("came", "exact", one.added, one.added_more),
        part("went", "gone", one.removed, one.removed_more),
        one.changed.map(([key, [before, after]]) => el("details.item", {}, el("summary", {}, el("span.state.changed", {}, "changed"), " ", el("code", {}, key)), el("div.beside", {}, el("div", {}, el("p.dim", {}, "before"), tree(before)), el("div", {}, el("p.dim", {}, "after"), tree(after))))),
        one.changed_more > 0 && el("p.dim", {}, `${number(one.changed_more)} more changed`),
      ),
    ),
  ];
}

function part(name, state, found, more) {
  return [
    found.map(([key, value]) => el("details.item", {}, el("summary", {}, el(`span.state.${state}`, {}, name), " ", el("code", {}, key)), tree(value))),
    more > 0 && el("p.dim", {}, `${number(more)} more ${name}`),
  ];
}
