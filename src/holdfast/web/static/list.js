// A list of any length: only the rows that can be seen are there.

import { el, fill } from "./dom.js";

const SPARE = 8;

/**
 * Rows of one height, `count` of them; `draw(place)` makes the content of one, and `open(place)` is
 * called for the row that is chosen. Rows that are not known yet may be drawn again by `refresh`.
 */
export class VirtualList {
  constructor({ count = 0, height = 34, label, draw, open, reach }) {
    this.count = count;
    this.height = height;
    this.chosen = -1;
    this.draw = draw;
    this.onopen = open;
    this.reach = reach;
    this.rows = new Map();
    this.inner = el("div.rows-inner", { role: "presentation" });
    this.node = el("div.rows", { role: "listbox", tabindex: "0", "aria-label": label }, this.inner);
    this.node.addEventListener("scroll", () => this.schedule(), { passive: true });
    this.resized = new ResizeObserver(() => this.schedule());
    this.resized.observe(this.node);
    this.waiting = false;
  }

  setCount(count) {
    this.count = count;
    this.inner.style.height = `${count * this.height}px`;
    this.schedule();
  }

  /** Draw again what is seen, at the next frame. */
  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  refresh() {
    this.rows.clear();
    this.inner.replaceChildren();
    this.schedule();
  }

  render() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / this.height) - SPARE);
    const last = Math.min(this.count, Math.ceil((this.node.scrollTop + this.node.clientHeight) / this.height) + SPARE);
    for (const [place, row] of this.rows) {
      if (place < first || place >= last) {
        row.remove();
        this.rows.delete(place);
      }
    }
    for (let place = first; place < last; place++) {
      if (!this.rows.has(place)) this.inner.append(this.make(place));
    }
    this.reach?.(first, last);
  }

  make(place) {
    const row = el("div.row", {
      role: "option",
      id: `row-${place}`,
      "aria-selected": String(place === this.chosen),
      "aria-posinset": place + 1,
      "aria-setsize": this.count,
      onclick: () => this.choose(place, true),
    });
    row.style.transform = `translateY(${place * this.height}px)`;
    row.style.height = `${this.height}px`;
    fill(row, this.draw(place));
    this.rows.set(place, row);
    return row;
  }

  move(delta) {
    const at = this.chosen < 0 ? (delta > 0 ? 0 : this.count - 1) : this.chosen + delta;
    this.choose(Math.max(0, Math.min(this.count - 1, at)), false);
  }

  choose(place, open) {
    if (place < 0 || place >= this.count) return;
    this.rows.get(this.chosen)?.setAttribute("aria-selected", "false");
    this.chosen = place;
    const top = place * this.height;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top + this.height > this.node.scrollTop + this.node.clientHeight) {
      this.node.scrollTop = top + this.height - this.node.clientHeight;
    }
    this.render();
    this.rows.get(place)?.setAttribute("aria-selected", "true");
    this.node.setAttribute("aria-activedescendant", `row-${place}`);
    if (open) this.onopen?.(place);
  }

  open() {
    if (this.chosen >= 0) this.onopen?.(this.chosen);
  }

  close() {
    this.resized.disconnect();
  }
}

/** Entries of the ledger by their place, the newest first, asked for page by page. */
export class Pages {
  constructor(load, arrived, size = 100) {
    this.load = load;
    this.arrived = arrived;
    this.size = size;
    this.known = new Map();
    this.asked = new Set();
  }

  get(place) {
    return this.known.get(place);
  }

  want(first, last) {
    for (let page = Math.floor(first / this.size); page <= Math.floor(Math.max(first, last - 1) / this.size); page++) {
      if (this.asked.has(page)) continue;
      this.asked.add(page);
      this.load(page * this.size, this.size).then(
        (rows) => {
          rows.forEach((row, at) => this.known.set(page * this.size + at, row));
          this.arrived();
        },
        () => this.asked.delete(page),
      );
    }
  }
}
