// The page: which view is shown, keys, light and dark, and news.

import { ask, listen } from "./api.js";
import { el, fill, number } from "./dom.js";
import { Panel } from "./entry.js";

const VIEWS = [
  ["now", "Now", () => import("./now.js")],
  ["timeline", "Timeline", () => import("./timeline.js")],
  ["decisions", "Decisions", () => import("./decisions.js")],
  ["code", "Code", () => import("./code.js")],
  ["loss", "Loss", () => import("./loss.js")],
  ["time", "Time", () => import("./time.js")],
  ["trust", "Trust", () => import("./trust.js")],
  ["search", "Search", () => import("./search.js")],
];

const KEYS = [
  ["1 – 8", "the views, in their order"],
  ["/", "search"],
  ["j k or ↓ ↑", "the next and the previous row"],
  ["Enter", "open the row"],
  ["[ ]", "the entry before and after, of the same session"],
  ["Esc", "close what is open"],
  ["t", "light or dark"],
  ["?", "these keys"],
];

const view = document.getElementById("view");
const nav = document.getElementById("nav");
const live = document.getElementById("live");
const keys = document.getElementById("keys");
const findForm = document.getElementById("find");
const findText = document.getElementById("find-text");

const context = {
  head: { entries: 0, behind: 0 },
  panel: null,
  /** Show a view: go("search", {q: "word"}). */
  go(name, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const words = new URLSearchParams(given).toString();
    location.hash = `#/${name}${words ? `?${words}` : ""}`;
  },
  open(seq) {
    context.panel.open(seq);
  },
};
context.panel = new Panel(document.getElementById("panel"), context);

let shown = null;
let turn = 0;
let unanswered = false;

/** Show what the address says; a view that is left is told so. */
async function route() {
  const [name, words] = location.hash.replace(/^#\//, "").split("?");
  const found = VIEWS.find(([key]) => key === name) ?? VIEWS[0];
  const mine = ++turn;
  shown?.close?.();
  shown = null;
  unanswered = false;
  mark(found[0]);
  document.title = `${found[1]} · holdfast`;
  const root = el("section.view", { "aria-label": found[1], dataset: { view: found[0] } });
  fill(view, root);
  try {
    const module = await found[2]();
    if (mine !== turn) return;
    const query = Object.fromEntries(new URLSearchParams(words ?? ""));
    const made = await module.show(root, query, context);
    if (mine !== turn) made?.close?.();
    else {
      shown = made;
      root.dataset.ready = "yes";
    }
  } catch (problem) {
    if (mine !== turn) return;
    unanswered = problem.status === 0;
    tell(root, problem);
  }
}

function tell(root, problem) {
  root.append(
    el("div.problem", { role: "alert" }, el("strong", {}, problem.message), el("p", {}, problem.meaning ?? ""), el("p", {}, problem.remedy ?? "")),
  );
  root.dataset.ready = "failed";
}

function mark(name) {
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.name === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// Light and dark

const THEMES = { light: "☀", dark: "☾" };

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return localStorage.getItem("theme") ?? (dark ? "dark" : "light");
}

function paint() {
  document.documentElement.dataset.theme = theme();
  document.getElementById("theme").textContent = THEMES[theme()];
  dispatchEvent(new Event("repaint"));
}

function turnTheme() {
  localStorage.setItem("theme", theme() === "dark" ? "light" : "dark");
  paint();
}

// Keys

function help() {
  if (keys.open) {
    keys.close();
    return;
  }
  fill(
    keys,
    el("h2", {}, "Keys"),
    el("dl.keys", {}, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
    el("button", { type: "button", onclick: () => keys.close() }, "Close"),
  );
  keys.showModal();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape") {
    if (keys.open) return;
    if (typing) event.target.blur();
    else context.panel.close();
    return;
  }
  if (typing) return;
  const place = "12345678".indexOf(event.key);
  const acts = {
    "/": () => findText.focus(),
    t: turnTheme,
    "?": help,
    j: () => shown?.move?.(1),
    k: () => shown?.move?.(-1),
    ArrowDown: () => shown?.move?.(1),
    ArrowUp: () => shown?.move?.(-1),
    "[": () => context.panel.step("before"),
    "]": () => context.panel.step("after"),
    Enter: () => !event.target.closest("a, button, summary") && shown?.open?.(),
  };
  const act = place >= 0 && event.key.length === 1 ? () => context.go(VIEWS[place][0]) : acts[event.key];
  if (!act) return;
  const done = act();
  if (done !== false && event.key !== "Enter") event.preventDefault();
}

// News

const STATES = { live: "live", away: "the server is away" };

function state(now) {
  live.dataset.state = now;
  const behind = context.head.behind ? `, ${number(context.head.behind)} to take in` : "";
  fill(live, el("span.dot", { "aria-hidden": "true" }), now === "live" ? `${number(context.head.entries)} entries${behind}` : STATES[now]);
}

function begin() {
  fill(
    nav,
    el(
      "ul",
      {},
      VIEWS.map(([name, title], place) =>
        el("li", {}, el("a", { href: `#/${name}`, dataset: { name } }, el("span", {}, title), el("kbd", { "aria-hidden": "true" }, place + 1))),
      ),
    ),
  );
  document.getElementById("theme").addEventListener("click", turnTheme);
  document.getElementById("help").addEventListener("click", help);
  findForm.addEventListener("submit", (event) => {
    event.preventDefault();
    context.go("search", { q: findText.value });
  });
  addEventListener("keydown", pressed);
  addEventListener("hashchange", route);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
  listen({
    state,
    head(told) {
      const ledger = context.head.ledger;
      context.head = told;
      state("live");
      if (ledger && ledger !== told.ledger) location.reload();
      if (unanswered) route();
      shown?.head?.(told);
      context.panel.head?.(told);
    },
  });
  ask("now").then(
    (told) => fill(document.getElementById("project"), told.project ?? told.path),
    () => {},
  );
  if (!location.hash) location.replace("#/now");
  else route();
}

begin();
