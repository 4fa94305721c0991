// The panel at the side: one entry, all it says, where it belongs and what proves it.

import { ask } from "./api.js";
import { clock, el, fill, number, short } from "./dom.js";
import { badge } from "./marks.js";

export class Panel {
  constructor(node, context) {
    this.node = node;
    this.context = context;
    this.told = null;
    this.before = null;
  }

  async open(seq) {
    this.before ??= document.activeElement;
    this.node.hidden = false;
    document.body.dataset.panel = "open";
    this.node.setAttribute("aria-busy", "true");
    try {
      this.told = await ask(`entry/${seq}`);
      this.draw(this.told);
    } catch (problem) {
      fill(this.node, this.bar(`Entry ${seq}`), el("div.problem", { role: "alert" }, problem.message, " ", problem.remedy ?? ""));
    }
    this.node.removeAttribute("aria-busy");
    this.node.querySelector("button.close")?.focus({ preventScroll: true });
  }

  close() {
    if (this.node.hidden) return false;
    this.node.hidden = true;
    delete document.body.dataset.panel;
    this.before?.focus?.({ preventScroll: true });
    this.before = null;
    this.told = null;
    return true;
  }

  step(which) {
    const next = this.told?.around?.[which];
    if (this.node.hidden || next === null || next === undefined) return false;
    this.open(next);
    return true;
  }

  bar(title) {
    return el(
      "div.panel-bar",
      {},
      el("h2", {}, title),
      el("button.quiet", { type: "button", "aria-label": "The entry before, of this session", onclick: () => this.step("before") }, "‹"),
      el("button.quiet", { type: "button", "aria-label": "The entry after, of this session", onclick: () => this.step("after") }, "›"),
      el("button.quiet.close", { type: "button", "aria-label": "Close", onclick: () => this.close() }, "✕"),
    );
  }

  draw(told) {
    const actor = told.actor ? `${told.actor.name} (${told.actor.kind})` : "";
    const rows = [
      ["time", clock(told.time)],
      ["session", told.session ? el("a", { href: `#/search?session=${encodeURIComponent(told.session)}` }, short(told.session, 40)) : "none"],
      ["actor", actor],
      ["id", el("code", {}, told.id ?? "")],
    ];
    fill(
      this.node,
      this.bar(`Entry ${number(told.seq)}`),
      el("p.panel-type", {}, badge(told.type ?? "damaged")),
      told.damaged && el("div.problem", { role: "alert" }, told.damaged),
      told.line && el("p.panel-line", {}, told.line),
      el("dl.facts", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      el("h3", {}, "What it says"),
      tree(told.data ?? told.raw),
      holdsMore(told.data) && el("button", { type: "button", onclick: () => this.whole(told.seq) }, "Show what is in the vault, too"),
      told.diff && [el("h3", {}, "Difference"), diff(told.diff)],
      told.citations?.length > 0 && citations(told.citations),
      told.settled?.length > 0 && settled(told.settled),
      el("h3", {}, "Proof"),
      proof(told),
    );
    this.node.scrollTop = 0;
  }

  async whole(seq) {
    this.told = await ask(`entry/${seq}`, { full: 1 });
    this.draw(this.told);
  }
}

function holdsMore(value) {
  if (value === null || typeof value !== "object") return false;
  if ("$artifact" in value) return true;
  return Object.values(value).some(holdsMore);
}

/** Show any value: fields as a list, texts as they are. */
export function tree(value) {
  if (value === null || value === undefined) return el("span.none", {}, "–");
  if (typeof value === "string") return value.includes("\n") ? el("pre.text", { tabindex: "0" }, value) : el("span.text", {}, value);
  if (typeof value !== "object") return el("span.atom", {}, String(value));
  if ("$artifact" in value) return el("span.vault", {}, `${number(value.bytes)} bytes in the vault, ${short(value.$artifact)}`);
  if (Array.isArray(value)) {
    if (!value.length) return el("span.none", {}, "none");
    return el("ol.tree", {}, value.map((part) => el("li", {}, tree(part))));
  }
  const fields = Object.entries(value);
  if (!fields.length) return el("span.none", {}, "nothing");
  return el("dl.tree", {}, fields.map(([name, part]) => [el("dt", {}, name), el("dd", {}, tree(part))]));
}

/** Show a unified difference line by line. */
export function diff(text) {
  const kinds = { "+": "added", "-": "removed", "@": "place" };
  const lines = String(text).split("\n");
  return el("pre.diff", { tabindex: "0" }, lines.map((line) => el(`span.line${kinds[line[0]] ? `.${kinds[line[0]]}` : ""}`, {}, line, "\n")));
}

function citations(found) {
  return [
    el("h3", {}, "Evidence"),
    found.map((one) =>
      el(
        "figure.citation",
        {},
        el("figcaption", {}, el("code", {}, `${one.path}:${one.line}`), " ", el(`span.state.${one.state}`, {}, one.state)),
        el("pre.text", { tabindex: "0" }, one.quote ?? ""),
      ),
    ),
  ];
}

function settled(forks) {
  return [
    el("h3", {}, "Forks it settled"),
    el("ul", {}, forks.map((one) => el("li", {}, one.fork.statement, el("span.dim", {}, " against "), one.fork.against, el("span.dim", {}, `: ${one.ruling ?? ""}, ${one.because ?? ""}`)))),
  ];
}

function proof(told) {
  const found = told.proof ?? {};
  if (found.problem) return el("p.problem", {}, found.problem);
  return el(
    "details.proof",
    {},
    el("summary", {}, `in the tree of ${number(found.size)} entries, ${found.path?.length ?? 0} hashes from the root`),
    el(
      "dl.facts",
      {},
      [["data", told.hash], ["leaf", told.leaf], ["before", told.prev], ["root", found.root]].map(([name, hash]) => [
        el("dt", {}, name),
        el("dd", {}, el("code", {}, hash ?? "")),
      ]),
    ),
    el("ol.hashes", {}, (found.path ?? []).map((hash) => el("li", {}, el("code", {}, hash)))),
    el("p", {}, "`holdfast prove` spells the same; RFC 9162 says how to check it."),
  );
}
