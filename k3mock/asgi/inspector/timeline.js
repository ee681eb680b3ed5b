// A timeline of every write: planned above, real below, a colour for what it carries.

import { bytesText, count, h, plural, s, span } from "./dom.js";

const HIGH = 100;
const LEFT = 62;
const RIGHT = 18;
const PLANNED = 26;
const REAL = 54;
const KINDS = [
  ["reasoning", "reasoning"], ["content", "answer"], ["tool", "tool call"],
  ["fault", "fault or error"], ["silence", "silence"], ["other", "other"],
];

export class Timeline {
  constructor() {
    this.zoom = 1;
    this.chosen = -1;
    this.picture = s("svg", { class: "timeline", height: HIGH, role: "img" });
    this.scroll = h("div", { class: "scroll", tabindex: 0, role: "group",
      "aria-label": "Timeline of writes; left and right arrow keys go from write to write",
      onkeydown: (event) => this.key(event) }, this.picture);
    this.tip = h("div", { class: "tip", hidden: true, role: "status" });
    this.legend = h("div", { class: "legend" });
    const zoom = (label, told, change) => h("button", { type: "button", title: told, "aria-label": told,
      onclick: () => this.scale(change) }, label);
    this.node = h("section", { class: "card when", "aria-label": "Timeline" },
      h("div", { class: "row-of" }, h("h2", null, "Timeline"), this.legend,
        h("span", { class: "zoom" }, zoom("−", "Show more time", 0.5), zoom("+", "Show less time", 2))),
      this.scroll, this.tip);
    this.picture.addEventListener("pointermove", (event) => this.point(event));
    this.scroll.addEventListener("pointerleave", () => this.choose(-1));
    this.scroll.addEventListener("blur", () => this.choose(-1));
    new ResizeObserver(() => this.found && this.draw()).observe(this.scroll);
  }

  show(found, writes, duration) {
    this.found = found;
    this.writes = writes;
    this.duration = duration;
    this.draw();
  }

  scale(by) {
    this.zoom = Math.min(64, Math.max(1, this.zoom * by));
    this.draw();
  }

  draw() {
    const wide = Math.max(260, this.scroll.clientWidth) * this.zoom;
    const { found, writes } = this;
    const times = [
      ...writes.flatMap((each) => [each.at_ms, each.planned_ms ?? 0]),
      ...found.beside.flatMap((each) => [each.at_ms, each.planned_until_ms ?? 0]),
      found.head?.at_ms ?? 0, this.duration ?? 0,
    ];
    const until = Math.max(1, ...times) * 1.02;
    const x = (ms) => LEFT + (Math.max(0, ms) / until) * (wide - LEFT - RIGHT);
    this.x = x;
    this.picture.setAttribute("width", wide);
    this.picture.setAttribute("aria-label",
      `${plural(writes.length, "write")} in ${span(this.duration ?? until)}`);
    const thick = writes.length > wide / 5 ? 1.4 : 2.6;
    this.marks = writes.map((each) => s("rect", {
      class: `mark ${each.kind}`, x: x(each.at_ms) - thick / 2, y: REAL, width: thick, height: 26, rx: thick / 3,
      "data-n": each.n,
    }));
    this.picture.replaceChildren(
      s("g", { class: "axis" }, axis(until, x, wide)),
      s("text", { class: "lane", x: 4, y: PLANNED + 12 }, "planned"),
      s("text", { class: "lane", x: 4, y: REAL + 17 }, "real"),
      s("line", { class: "rail", x1: LEFT, x2: wide - RIGHT, y1: REAL + 26.5, y2: REAL + 26.5 }),
      s("g", null, found.beside.filter((each) => each.kind === "silence").map((each) => this.silence(each, x))),
      s("g", null, head(found.head, x), planned(writes, x)), s("g", null, this.marks),
      s("g", null, found.beside.filter((each) => each.kind === "fault").map((each) => fault(each, x))),
    );
    this.explain();
  }

  silence(each, x) {
    const after = this.writes.filter((write) => write.at_ms > each.at_ms).map((write) => write.at_ms);
    const until = Math.min(...after, this.duration ?? Infinity, ...(after.length ? [] : [each.planned_until_ms ?? Infinity]));
    const end = Number.isFinite(until) ? until : each.at_ms;
    const told = `silence on purpose from ${span(each.at_ms)} to ${span(end)}`;
    const wide = Math.max(2, x(end) - x(each.at_ms));
    return s("g", { class: "silence" }, s("title", null, told),
      s("rect", { x: x(each.at_ms), y: PLANNED - 4, width: wide, height: REAL + 30 - PLANNED }),
      wide > 90 ? s("text", { x: x(each.at_ms) + wide / 2, y: REAL + 4 }, `silence ${span(end - each.at_ms)}`) : null);
  }

  explain() {
    const tally = new Map();
    for (const each of [...this.writes, ...this.found.beside]) {
      tally.set(each.kind, (tally.get(each.kind) ?? 0) + 1);
    }
    this.legend.replaceChildren(...KINDS.filter(([kind]) => tally.has(kind)).map(([kind, label]) =>
      h("span", null, h("i", { class: `dot ${kind}` }), `${label} `, h("b", null, count(tally.get(kind))))));
  }

  point(event) {
    const at = event.clientX - this.picture.getBoundingClientRect().left;
    let nearest = -1;
    let least = 14;
    this.writes.forEach((each, number) => {
      const away = Math.abs(this.x(each.at_ms) - at);
      if (away < least) [nearest, least] = [number, away];
    });
    this.choose(nearest);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) this.choose(Math.max(0, Math.min(this.writes.length - 1, this.chosen + step)), true);
    else if (event.key === "Home") this.choose(0, true);
    else if (event.key === "End") this.choose(this.writes.length - 1, true);
    else if (event.key === "Escape" && this.chosen >= 0) this.choose(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  choose(number, follow = false) {
    if (this.chosen === number) return;
    this.marks?.[this.chosen]?.classList.remove("on");
    this.chosen = number;
    const write = this.writes?.[number];
    this.tip.hidden = !write;
    if (!write) return;
    this.marks[number].classList.add("on");
    this.tip.replaceChildren(...about(write));
    const at = this.x(write.at_ms);
    if (follow) this.scroll.scrollLeft = at - this.scroll.clientWidth / 2;
    const room = this.node.clientWidth - Math.min(440, this.node.clientWidth - 16);
    this.tip.style.left = `${Math.max(8, Math.min(room - 8, at - this.scroll.scrollLeft))}px`;
  }
}

function about(write) {
  const late = write.planned_ms === null ? null : write.at_ms - write.planned_ms;
  return [
    h("p", null, h("i", { class: `dot ${write.kind}` }), h("b", null, `#${write.n} ${write.kind}`),
      `  left ${span(write.at_ms)}`,
      late === null ? "" : `, planned ${span(write.planned_ms)} (${late >= 0 ? "+" : ""}${late.toFixed(1)} ms)`,
      `, ${plural(write.bytes, "byte")}, ${plural(write.events, "event")}`),
    h("pre", null, bytesText(write.data.slice(0, 600)), write.data.length > 600 ? "…" : ""),
  ];
}

function planned(writes, x) {
  const paths = new Map();
  let links = "";
  for (const each of writes) {
    if (each.planned_ms === null) continue;
    const at = x(each.planned_ms).toFixed(1);
    paths.set(each.kind, `${paths.get(each.kind) ?? ""}M${at} ${PLANNED}v14`);
    links += `M${at} ${PLANNED + 16}L${x(each.at_ms).toFixed(1)} ${REAL - 2}`;
  }
  return [s("path", { class: "links", d: links }),
    ...[...paths].map(([kind, d]) => s("path", { class: `plan ${kind}`, d }))];
}

function head(found, x) {
  if (!found) return null;
  const at = x(found.at_ms);
  return s("g", { class: "head" }, s("title", null, `headers, status ${found.status}, at ${span(found.at_ms)}`),
    s("line", { x1: at, x2: at, y1: PLANNED - 4, y2: REAL + 26 }));
}

function fault(each, x) {
  const at = x(each.at_ms);
  const told = [each.what, span(each.at_ms), each.data].filter(Boolean).join(", ");
  return s("g", { class: "end" }, s("title", null, told),
    s("path", { d: `M${at} ${PLANNED - 4}V${REAL + 26}M${at - 4} ${REAL + 30}l8 8m0 -8l-8 8` }));
}

function axis(until, x, wide) {
  const rough = until / Math.max(2, (wide - LEFT) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let at = 0; at <= until; at += step) {
    found.push(s("line", { x1: x(at), x2: x(at), y1: 18, y2: HIGH - 19 }),
      s("text", { x: x(at) + 3, y: 12 }, at === 0 ? "0" : span(at)));
  }
  return found;
}
