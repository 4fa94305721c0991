// Elements, made so that text can only ever be text.

/** Make an element: el("button.quiet", {type: "button", onclick}, "Text", child, …). */
export function el(spec, given = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  set(node, given);
  add(node, children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of a picture. */
export function svg(tag, given = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, String(value));
  add(node, children);
  return node;
}

/** Set attributes; functions are listeners, and nothing here can hold a script in words. */
function set(node, given) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "style") Object.assign(node.style, value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "href") node.setAttribute(name, inside(value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Let links lead to places in this page only. */
function inside(target) {
  return String(target).startsWith("#/") ? target : "#/now";
}

export function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

// What would turn the reading order round, or hide, is shown by its number.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Return text that only shows: no character in it moves others or hides. */
export function visible(text) {
  return text.replace(HIDDEN, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);
}

export const number = (value) => Number(value ?? 0).toLocaleString("en");

/** Spell a stretch of time in its largest unit. */
export function age(seconds) {
  for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    const count = Math.floor(seconds / length);
    if (count >= 1) return `${count} ${unit}${count > 1 ? "s" : ""}`;
  }
  return `${Math.max(0, Math.floor(seconds))} s`;
}

/** Spell a time as people of this machine do. */
export function clock(stamp, { date = true } = {}) {
  const moment = typeof stamp === "number" ? new Date(stamp / 1000) : new Date(stamp);
  if (Number.isNaN(moment.getTime())) return String(stamp ?? "");
  const day = moment.toLocaleDateString("sv");
  const time = moment.toLocaleTimeString("en-GB");
  return date ? `${day} ${time}` : time;
}

export const short = (hash, count = 12) => String(hash ?? "").slice(0, count);

/** Wait until nothing new came for a while, then do it once. */
export function calm(act, wait_ms = 120) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait_ms);
  };
}
