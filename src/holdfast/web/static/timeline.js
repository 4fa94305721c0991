// Sessions as lanes; what happened in them as marks, or as columns where there is too much of it.

import { ask } from "./api.js";
import { calm, clock, el, fill, number } from "./dom.js";
import { Pages, VirtualList } from "./list.js";
import { badge, KINDS } from "./marks.js";

const LANE = 26;
const TOP = 84;
const LEFT = 170;

export async function show(root, query, context) {
  const line = new Timeline(root, context);
  await line.load(Number(query.from ?? 0), query.to ? Number(query.to) : undefined);
  return line;
}

class Timeline {
  constructor(root, context) {
    this.context = context;
    this.off = new Set();
    this.told = null;
    this.canvas = el("canvas.lanes", { tabindex: "0", role: "img", "aria-label": "Sessions over the entries, with what happened in them" });
    this.tip = el("div.tip", { hidden: true });
    this.range = el("span.range");
    this.legend = el("div.legend", { role: "group", "aria-label": "What is shown" });
    this.list = new VirtualList({
      label: "Entries, the newest first",
      draw: (place) => this.row(place),
      open: (place) => this.pages.get(place) && context.open(this.pages.get(place).seq),
      reach: (first, last) => this.pages?.want(first, last),
    });
    root.append(
      el(
        "div.bar",
        {},
        el("h1", {}, "Timeline"),
        this.range,
        el("span.grow"),
        el("button", { type: "button", onclick: () => this.zoom(0.5) }, "Closer"),
        el("button", { type: "button", onclick: () => this.zoom(2) }, "Further"),
        el("button", { type: "button", onclick: () => this.load(0) }, "All"),
      ),
      this.legend,
      el("div.stage", {}, this.canvas, this.tip),
      el("h2", {}, "Entries"),
      this.list.node,
    );
    this.drawLegend();
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.drag(event));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.repaint = () => this.draw();
    addEventListener("repaint", this.repaint);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.canvas.parentNode);
    this.soon = calm((from, to) => this.load(from, to), 90);
  }

  async load(from = 0, to = undefined) {
    const told = await ask("timeline", { from: Math.max(0, Math.floor(from)), to: to === undefined ? undefined : Math.ceil(to), buckets: 240 });
    const fresh = this.told === null || this.told.from !== told.from || this.told.to !== told.to || this.told.entries !== told.entries;
    this.told = told;
    this.live = to === undefined || to >= told.entries;
    fill(this.range, `entries ${number(told.from)} to ${number(Math.max(told.from, told.to - 1))} of ${number(told.entries)}`, told.lanes_more ? `, ${number(told.lanes_more)} older sessions are not drawn` : "");
    this.draw();
    if (fresh) this.fillList();
  }

  fillList() {
    const { from, to } = this.told;
    this.pages = new Pages(
      async (place, limit) => (await ask("entries", { before: to - place, limit: Math.min(limit, to - place - from) })).rows,
      () => this.list.refresh(),
    );
    this.list.setCount(to - from);
    this.list.refresh();
  }

  row(place) {
    const row = this.pages?.get(place);
    if (!row) return el("span.dim", {}, "…");
    return [
      el("span.seq", {}, number(row.seq)),
      badge(row.type ?? "damaged"),
      el("span.line", {}, row.line || row.damaged || ""),
      el("time.dim", {}, clock(row.time)),
    ];
  }

  // The picture

  drawLegend() {
    fill(
      this.legend,
      Object.entries(KINDS)
        .filter(([kind]) => kind !== "damaged")
        .map(([kind, [name]]) =>
          el(
            "button.chip",
            {
              type: "button",
              dataset: { kind },
              "aria-pressed": String(!this.off.has(kind)),
              onclick: () => {
                if (!this.off.delete(kind)) this.off.add(kind);
                this.drawLegend();
                this.draw();
              },
            },
            name,
          ),
        ),
    );
  }

  x(seq) {
    const { from, to } = this.told;
    return LEFT + ((seq - from) / Math.max(1, to - from)) * (this.width - LEFT - 12);
  }

  seq(x) {
    const { from, to } = this.told;
    return from + ((x - LEFT) / Math.max(1, this.width - LEFT - 12)) * (to - from);
  }

  draw() {
    if (!this.told) return;
    const shown = this.told.lanes.slice(0, 60);
    this.width = this.canvas.parentNode.clientWidth;
    this.height = TOP + Math.max(1, shown.length) * LANE + 8;
    const scale = devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    this.canvas.style.height = `${this.height}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    const colours = palette();
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.drawColumns(pen, colours);
    this.lanes = new Map();
    shown.forEach((lane, place) => this.drawLane(pen, colours, lane, TOP + place * LANE));
    this.drawMarks(pen, colours);
    this.drawTimes(pen, colours);
    this.drawSaves(pen, colours);
  }

  /** Draw each save as a line through all lanes, with a flag on top. */
  drawSaves(pen, colours) {
    if (this.off.has("save")) return;
    pen.fillStyle = colours("save");
    for (const save of this.told.saves ?? []) {
      const x = this.x(save.seq + 1);
      pen.fillRect(x - 0.5, TOP - 4, 1, this.height - TOP);
      pen.fillRect(x - 3, TOP - 8, 7, 7);
    }
  }

  drawColumns(pen, colours) {
    const buckets = this.told.buckets.length ? this.told.buckets : this.grouped();
    const most = Math.max(1, ...buckets.map((one) => sum(one.counts, this.off)));
    for (const one of buckets) {
      const left = Math.max(LEFT, this.x(one.first));
      const right = Math.min(this.width - 12, this.x(one.stop));
      let bottom = TOP - 22;
      for (const [kind, count] of Object.entries(one.counts)) {
        if (this.off.has(kind)) continue;
        const tall = (count / most) * (TOP - 34);
        pen.fillStyle = colours(kind);
        pen.fillRect(left, bottom - tall, Math.max(1, right - left - 1), tall);
        bottom -= tall;
      }
    }
  }

  /** Put marks into columns, where the server sent them one by one. */
  grouped() {
    const { from, to, marks } = this.told;
    const wide = Math.max(1, Math.ceil((to - from) / 120));
    const found = new Map();
    for (const mark of marks) {
      const first = from + Math.floor((mark.seq - from) / wide) * wide;
      const one = found.get(first) ?? { first, stop: first + wide, counts: {} };
      one.counts[mark.kind] = (one.counts[mark.kind] ?? 0) + 1;
      found.set(first, one);
    }
    return [...found.values()];
  }

  drawLane(pen, colours, lane, top) {
    this.lanes.set(lane.id, top);
    pen.fillStyle = colours("text");
    pen.fillText(cut(pen, lane.title || lane.id, LEFT - 18), 8, top + LANE / 2);
    const left = Math.max(LEFT, this.x(lane.first));
    const right = Math.min(this.width - 12, this.x(lane.last + 1));
    pen.fillStyle = colours("lane");
    pen.beginPath();
    pen.roundRect(left, top + 5, Math.max(3, right - left), LANE - 10, 5);
    pen.fill();
    if (lane.ended !== null) {
      pen.fillStyle = lane.reason === "crashed" ? colours("error") : colours("end");
      pen.fillRect(right - 3, top + 5, 3, LANE - 10);
    }
  }

  drawMarks(pen, colours) {
    for (const mark of this.told.marks) {
      const top = this.lanes.get(mark.session);
      if (top === undefined || this.off.has(mark.kind)) continue;
      pen.fillStyle = colours(mark.kind);
      const x = this.x(mark.seq + 0.5);
      const big = ["decision", "error", "checkpoint", "compaction", "clear"].includes(mark.kind);
      pen.beginPath();
      pen.arc(x, top + LANE / 2, big ? 5 : 3, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  drawTimes(pen, colours) {
    const timed = this.told.marks.length ? this.told.marks.map((one) => [one.seq, one.us]) : this.told.buckets.map((one) => [one.first, one.since_us]);
    pen.fillStyle = colours("dim");
    let right = LEFT - 20;
    for (const [seq, us] of timed) {
      const x = this.x(seq);
      if (!us || x < right + 20 || x > this.width - 130) continue;
      const said = clock(us);
      pen.fillText(said, x, TOP - 10);
      right = x + pen.measureText(said).width;
    }
  }

  // Moving about

  zoom(factor, at = undefined) {
    const { from, to, entries } = this.told;
    const middle = at ?? (from + to) / 2;
    const wide = Math.max(20, Math.min(entries, (to - from) * factor));
    const share = (middle - from) / Math.max(1, to - from);
    const first = Math.max(0, Math.min(entries - wide, middle - share * wide));
    this.load(first, first + wide);
  }

  wheel(event) {
    event.preventDefault();
    const { from, to, entries } = this.told;
    const wide = to - from;
    if (event.ctrlKey || Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.seq(event.offsetX));
      return;
    }
    const first = Math.max(0, Math.min(entries - wide, from + (event.deltaX / this.width) * wide));
    this.soon(first, first + wide);
  }

  drag(event) {
    const begun = { x: event.clientX, from: this.told.from, to: this.told.to };
    this.moved = false;
    const move = (next) => {
      const wide = begun.to - begun.from;
      const away = ((begun.x - next.clientX) / Math.max(1, this.width - LEFT)) * wide;
      if (Math.abs(begun.x - next.clientX) > 4) this.moved = true;
      const first = Math.max(0, Math.min(this.told.entries - wide, begun.from + away));
      if (this.moved) this.soon(first, first + wide);
    };
    const done = () => removeEventListener("pointermove", move);
    addEventListener("pointermove", move);
    addEventListener("pointerup", done, { once: true });
  }

  near(event) {
    let best = null;
    for (const mark of this.told?.marks ?? []) {
      const top = this.lanes?.get(mark.session);
      if (top === undefined || this.off.has(mark.kind)) continue;
      const away = Math.hypot(this.x(mark.seq + 0.5) - event.offsetX, top + LANE / 2 - event.offsetY);
      if (away < 9 && (best === null || away < best.away)) best = { mark, away };
    }
    return best?.mark ?? null;
  }

  hover(event) {
    const mark = this.near(event);
    const column = mark ? null : (this.told?.buckets ?? []).find((one) => event.offsetY < TOP && this.x(one.first) <= event.offsetX && this.x(one.stop) > event.offsetX);
    this.tip.hidden = !mark && !column;
    if (this.tip.hidden) return;
    fill(
      this.tip,
      mark
        ? `${mark.kind}, entry ${number(mark.seq)}, ${clock(mark.us)}`
        : [`entries ${number(column.first)} to ${number(column.stop - 1)}, ${clock(column.since_us)}`, Object.entries(column.counts).map(([kind, count]) => el("div", {}, `${kind} ${number(count)}`))],
    );
    this.tip.style.left = `${Math.min(event.offsetX + 12, this.width - 220)}px`;
    this.tip.style.top = `${event.offsetY + 12}px`;
  }

  click(event) {
    if (this.moved) return;
    const mark = this.near(event);
    if (mark) this.context.open(mark.seq);
    else if (this.told.buckets.length) this.zoom(0.25, this.seq(event.offsetX));
  }

  key(event) {
    const { from, to, entries } = this.told;
    const wide = to - from;
    const moves = { ArrowLeft: -0.2, ArrowRight: 0.2 };
    if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key in moves) {
      const first = Math.max(0, Math.min(entries - wide, from + moves[event.key] * wide));
      this.load(first, first + wide);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  head(told) {
    if (!this.told) return;
    if (this.live) this.soon(this.told.from, undefined);
    else this.told.entries = told.entries;
  }

  move(delta) {
    this.list.move(delta);
  }

  open() {
    this.list.open();
  }

  close() {
    removeEventListener("repaint", this.repaint);
    this.resized.disconnect();
    this.list.close();
  }
}

function sum(counts, off) {
  return Object.entries(counts).reduce((all, [kind, count]) => (off.has(kind) ? all : all + count), 0);
}

function cut(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let kept = text.slice(0, 40);
  while (kept && pen.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = { text: "--text", dim: "--dim", lane: "--lane" };
  return (kind) => style.getPropertyValue(names[kind] ?? KINDS[kind]?.[1] ?? "--k-other").trim();
}
